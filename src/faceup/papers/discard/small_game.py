"""The tell in a game small enough for exact answers: six cards, one each, one swap, one bet.

Cards are 1 to 6. Both players put in 1 chip and hold one card, which they may swap for another of
the deck. Then the first player checks or bets the pot, the second answers or bets after a check,
and the higher card wins.
"""

from itertools import permutations

import numpy as np

from faceup.games.cfr import solve
from faceup.games.extensive_game import Game, GameBuilder
from faceup.games.sequence_form import best_response, make_form

CARDS, ANTE, BET = 6, 1.0, 2.0
_BETTING = {"": "kb", "k": "kb", "kb": "fc", "b": "fc"}  # line: actions


def small_game(keeps: int | None, seen: int | None) -> Game:
    """The game, in chips.

    keeps: cards below it are swapped, None: players choose; seen: the player whose swap the other
    one sees, None: both are hidden.
    """
    builder = GameBuilder()

    def bet(parent: int, by: str | float, line: str, known: list[str], wins: float) -> None:
        """The betting after a line."""
        if line not in _BETTING:
            fold = ANTE * (1 if line == "bf" else -1)
            worth = fold if line[-1] == "f" else wins * (ANTE + BET * (line[-1] == "c"))
            builder.end(parent, by, worth)
            return
        player, actions = len(line) % 2, tuple(_BETTING[line])
        node = builder.decision(parent, by, player, known[player] + line, actions)
        for action in actions:
            bet(node, action, line + action, known, wins)

    def swap(parent: int, by: str | float, deal: tuple[int, ...], swapped: tuple[int, ...]) -> None:
        """The swaps that are left, and the betting."""
        player = len(swapped)
        if player == 2:
            held = [deal[p + 2 * swapped[p]] for p in range(2)]
            known = [
                f"{deal[p]}{held[p]}{swapped[1 - p] if seen == 1 - p else ''}:" for p in (0, 1)
            ]
            bet(parent, by, "", known, float(np.sign(held[0] - held[1])))
        elif keeps:
            swap(parent, by, deal, (*swapped, int(deal[player] < keeps)))
        else:
            node = builder.decision(parent, by, player, str(deal[player]), ("keep", "swap"))
            for i, label in enumerate(("keep", "swap")):
                swap(node, label, deal, (*swapped, i))

    root = builder.chance()
    deals = list(permutations(range(1, CARDS + 1), 4))  # both cards, and those that may be drawn
    for deal in deals:
        swap(root, 1 / len(deals), deal, ())
    return builder.build()


def tell_price(keeps: int | None, aware: bool, iterations: int) -> float:
    """Chips a hand that a player loses to a best response that sees its swaps, averaged over seats;
    without a tell it is 0.

    keeps: as `small_game` takes it; aware: the player has solved the game in which its swaps are
    seen, else the one in which they are hidden; iterations: of CFR.
    """
    lost = 0.0
    for player in range(2):
        game, known = small_game(keeps, player), small_game(keeps, player if aware else None)
        form, known_form = make_form(game), make_form(known)
        solution, strategy = solve(known_form, iterations), np.zeros(len(game.labels))
        # the player's own infosets have the same names in both games
        start = {known.names[i]: known.first_action[i] for i in known_form.own[player]}
        for i in form.own[player]:
            first, same = game.first_action[i], start[game.names[i]]
            strategy[first : first + 2] = solution[same : same + 2]
        lost += best_response(form, strategy, 1 - player)[0] / 2
    return lost
