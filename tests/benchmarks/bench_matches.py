"""How fast agents meet: hands really played a second, and the seconds of Table 1's sums over boards."""

from time import perf_counter

import numpy as np
import pytest
from report import record

from faceup.game.betting import CALL, menu_from
from faceup.game.cards import canonical_boards
from faceup.hands.equity import all_tables
from faceup.hands.groups import Groups
from faceup.parameters import section
from faceup.paths import AGENTS
from faceup.play.agents import load_agent, tree_policy
from faceup.play.dealt import play_match
from faceup.play.match import Table, play_boards, random_boards
from faceup.play.match_tree import make_sides, play_sides
from faceup.solve.policy import FixedPolicy, TablePolicy

GAMES = 100_000
BOARDS = 10


@pytest.fixture(scope="module")
def tables():
    """The four streets' tables."""
    return all_tables()


def one_group() -> Groups:
    """All hands of a street before the river in one group: as fast to look up as any."""
    flop, turn = (np.zeros((len(canonical_boards(n).keys), 1326), dtype=np.int32) for n in (3, 4))
    return Groups(flop, turn, (169, 1, 1, 1981))


def uniform_table(tree, groups: Groups) -> TablePolicy:
    """Every action equally often."""
    uniform = FixedPolicy(tree, None)
    return TablePolicy(tuple(np.repeat(uniform.street(s, [])[0], groups.n_groups[s], axis=0) for s in range(4)), groups)


def test_matches(tables) -> None:
    """CART against a table of the stand-in's sizes, played and summed; and the sums of Table 1's cheap agents by their rates."""
    sides = make_sides(menu_from(**section("betting")), menu_from(*section("stand_in_betting").values()))
    tree, knobs = sides.own[0], section("head_to_head")
    agent = load_agent(AGENTS / "cart.json")
    cart, opponent = tree_policy(tree, tables, agent.trees), uniform_table(sides.own[1], one_group())
    play_match(sides, cart, opponent, tables, 100, seed=1)
    start = perf_counter()
    won = play_match(sides, cart, opponent, tables, GAMES, seed=2)
    rate = won.size / (perf_counter() - start)
    agents = [uniform_table(tree, one_group()), cart, cart, FixedPolicy(tree, CALL), FixedPolicy(tree, None)]
    table, boards = Table(tree, agents), random_boards(BOARDS + 1, seed=3)
    table.play(boards[0])
    start = perf_counter()
    play_boards(table, boards[1:])
    shared = (perf_counter() - start) / BOARDS
    play_sides(sides, agents, opponent, boards[:1])
    start = perf_counter()
    play_sides(sides, agents, opponent, boards[1:])
    translated = (perf_counter() - start) / BOARDS
    record(
        "matches",
        {
            "games_per_second": round(rate),
            "seconds_per_board": round(shared, 3),
            "seconds_per_board_against_other_sizes": round(translated, 3),
            "table_seconds": round(shared * knobs["match_boards"] + translated * knobs["stand_in_boards"], 1),
        },
    )
    assert rate > 0
