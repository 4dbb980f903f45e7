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

    def add(
        parent: int, by: str | float, deal: tuple[int, ...], swapped: tuple[int, ...], line: str
    ) -> None:
        """The swaps that players choose, then the betting after a line."""
        if (player := len(swapped)) < 2:
            node = builder.decision(parent, by, player, str(deal[player]), ("keep", "swap"))
            for i, label in enumerate(("keep", "swap")):
                add(node, label, deal, (*swapped, i), line)
            return
        player, held = len(line) % 2, [deal[p + 2 * swapped[p]] for p in range(2)]
        if line in _BETTING:
            told = swapped[1 - player] if seen == 1 - player else ""
            name, actions = f"{deal[player]}{held[player]}{told}:{line}", tuple(_BETTING[line])
            node = builder.decision(parent, by, player, name, actions)
            for action in actions:
                add(node, action, deal, swapped, line + action)
        elif line[-1] == "f":
            builder.end(parent, by, ANTE if line == "bf" else -ANTE)
        else:
            stake = ANTE + BET * (line[-1] == "c")
            builder.end(parent, by, stake * float(np.sign(held[0] - held[1])))

    root = builder.chance()
    deals = list(permutations(range(1, CARDS + 1), 4))  # both cards, and those that may be drawn
    for deal in deals:
        swapped = (int(deal[0] < keeps), int(deal[1] < keeps)) if keeps else ()
        add(root, 1 / len(deals), deal, swapped, "")
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
        # the player's own infosets are the same in both games, in the same order
        own, same = (np.repeat(one.owner == player, 2) for one in (game, known))
        strategy = np.zeros(len(own))
        strategy[own] = solve(make_form(known), iterations)[same]
        lost += best_response(make_form(game), strategy, 1 - player)[0] / 2
    return lost
