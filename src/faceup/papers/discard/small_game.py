"""The tell in a game small enough for exact answers: six cards, one each, one swap, one bet.

Cards are 1 to 6. Both put in 1 chip and hold one card; who holds less than `keeps` swaps it for
another of the deck. The first player checks or bets the pot, the second answers or bets after a
check, and the higher card wins.
"""

from itertools import permutations

import numpy as np

from faceup.games.extensive_game import Game, GameBuilder

CARDS, ANTE, BET = 6, 1.0, 2.0
_BETTING = {"": "kb", "k": "kb", "kb": "fc", "b": "fc"}  # line: actions


def small_game(keeps: int, seen: tuple[bool, bool]) -> Game:
    """The game in which cards below `keeps` are swapped; seen: whether each player's infosets tell
    if the other has swapped.
    """
    builder = GameBuilder()
    # both cards, and what both may draw
    root, deals = builder.chance(), list(permutations(range(1, CARDS + 1), 4))

    def add(parent: int, by: str | float, line: str, known: list[str], wins: float) -> None:
        """The betting after a line, below a parent."""
        if line not in _BETTING:
            worth = (
                ANTE * (1 if line == "bf" else -1)
                if line[-1] == "f"
                else wins * (ANTE + BET * (line[-1] == "c"))
            )
            builder.end(parent, by, worth)
            return
        player = len(line) % 2
        node = builder.decision(parent, by, player, known[player] + line, tuple(_BETTING[line]))
        for action in _BETTING[line]:
            add(node, action, line + action, known, wins)

    for deal in deals:
        held = [deal[p] if deal[p] >= keeps else deal[2 + p] for p in range(2)]
        swapped = [str(int(deal[p] < keeps)) for p in range(2)]
        known = [f"{deal[p]}{held[p]}{swapped[1 - p] if seen[p] else ''}:" for p in range(2)]
        add(root, 1 / len(deals), "", known, float(np.sign(held[0] - held[1])))
    return builder.build()


def unseeing(game: Game, blind: Game, strategy: np.ndarray) -> np.ndarray:
    """A strategy of the game whose swaps are not seen, in the one where both see them; (n_actions,)
    of either.
    """
    first = {
        (p, name): f
        for p, name, f in zip(blind.owner, blind.names, blind.first_action[:-1], strict=True)
    }
    starts = [first[p, name[:2] + name[3:]] for p, name in zip(game.owner, game.names, strict=True)]
    return np.concatenate([strategy[f : f + 2] for f in starts])
