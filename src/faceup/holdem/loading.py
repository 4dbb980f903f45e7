"""No-limit hold'em as notebooks load it: a betting tree and the exact equities that go with it."""

from typing import NamedTuple

import numpy as np

from faceup.cards.equity import StreetEquities, load_equities
from faceup.cards.matchups import load_preflop_wins
from faceup.holdem.betting_tree import BettingTree, build_tree
from faceup.holdem.rules import Menu, menu_from
from faceup.util.paths import DATA


class Holdem(NamedTuple):
    """A betting abstraction with its tree, and equities."""

    menu: Menu
    tree: BettingTree
    equities: tuple[StreetEquities, ...]  # of the four streets
    preflop_wins: np.ndarray  # (169, 169), all-ins before the flop: of `cards.matchups`


def load_game(
    preflop_sizes: list[list[float]],
    flop_sizes: list[list[float]],
    turn_sizes: list[list[float]],
    river_sizes: list[list[float]],
) -> Holdem:
    """The game with these bet sizes (`rules.menu_from`), and the equities of `10_equity`.

    Raises FileNotFoundError before `10_equity` has run.
    """
    menu = menu_from(preflop_sizes, flop_sizes, turn_sizes, river_sizes)
    equity = DATA / "equity"
    return Holdem(menu, build_tree(menu), load_equities(equity), load_preflop_wins(equity))
