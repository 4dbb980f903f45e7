"""Self-play on a subgame, one board dealt again and again, comes near an equilibrium by brute-force best responses."""

from types import SimpleNamespace

import numpy as np
from games import node_values

from faceup.cards.cards import HOLE_CARDS
from faceup.holdem import groups as hand_groups
from faceup.holdem.board import N_PAIRS
from faceup.holdem.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.lines import state_after
from faceup.holdem.policy import TablePolicy
from faceup.holdem.rules import menu_from
from faceup.holdem.selfplay import Discount, SelfPlay
from faceup.holdem.tree import build_tree

# Every hole is a group of its own, so that nothing is lost by grouping; on the river by its number in the place of its equity.
OWN_GROUPS = Groups(
    *(np.tile(np.arange(1326, dtype=np.int32), (n, 1)) for n in (1755, 16_432)), (1326, 1326, 1326, N_RIVER_GROUPS)
)
BOARD = [9, 24, 34, 51, 3]
DEALS_IT = SimpleNamespace(permutation=lambda n: np.array(BOARD))
TREE = build_tree(menu_from([[]], [[]], [[]], [[]]), state_after("b5000c/kk/"))  # turn and river, all-in alone; a pot of $10,000


def test_a_subgame_with_a_known_river_is_solved(monkeypatch):
    """What both best responses win falls from 11 % of the pot to 2 %, all 1,081 holes dealt alike."""
    monkeypatch.setattr(hand_groups, "CLASS_OF_HOLE", np.arange(len(HOLE_CARDS)))
    monkeypatch.setattr(hand_groups, "_river_equity", lambda cards, out: np.copyto(out, np.arange(1326)))
    play, won = SelfPlay(TREE, OWN_GROUPS, Discount(1.5, 0.0, 2.0, 1), lambda number: DEALS_IT), []
    for iterations in (20, 160):
        play.advance(iterations)
        average = TablePolicy(play.average(), OWN_GROUPS)
        best = [node_values(TREE, (average, average), BOARD, best=player)[1][player, 0].sum() for player in range(2)]
        won.append(sum(best) / 2 / N_PAIRS)
    assert 1000 < won[0] < 1300 and 0 < won[1] < 200
