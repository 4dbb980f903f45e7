"""CFR-BR; oracles: the best responder of matches, with kernels of its own, and the reference."""

import numba
import numpy as np
import pytest
from games import (
    FEW_BUCKETS,
    SMALL,
    SMALL_MENU,
    node_reach,
    node_values,
    random_models,
    random_table,
    save_random_agent,
    threads,
)

from faceup.holdem.agents import load_agent
from faceup.holdem.best_response import fold_values
from faceup.holdem.betting_tree import children, columns, decision_nodes
from faceup.holdem.buckets import river_equities
from faceup.holdem.cfr_br import CfrBr, OpponentMixture, cfr_br_with_other_menu, retrain
from faceup.holdem.infosets import HandBuckets, TreeLeaves, strategy_table
from faceup.holdem.policy import ModelPolicy
from faceup.holdem.rules import FOLD_END, SHOWDOWN, menu_from
from faceup.holdem.showdown import free_holes
from faceup.util.rng import rng

DEALS = np.array([rng(5, "test", k).permutation(52) for k in range(10)])
TURN, RIVERS = DEALS[0, :4].tolist(), DEALS[0, 4:6].tolist()  # what most runs deal first

RNG = np.random.default_rng(4)
EVEN = np.zeros((169, 169))  # all-ins before the flop are worth nothing
TABLE = random_table(SMALL, 3)
BEST, SELF = OpponentMixture(1, None), OpponentMixture(0, None)  # CFR-BR and self-play
LEVELS = HandBuckets(SMALL, TABLE, FEW_BUCKETS.turn % 15, 9)
RUN = CfrBr(LEVELS, EVEN, LEVELS)


def leaves_run(equities, by_reach: bool = False) -> CfrBr:
    """A run that solves random trees; it begins with the answers that they have."""
    leaves = TreeLeaves(ModelPolicy(SMALL, random_models(SMALL.labels, 9), equities))
    return CfrBr(leaves, EVEN, LEVELS, by_reach)


def random_state(run: CfrBr):
    """Random weights, some of them negative."""
    state = run.start()
    for weights in (*state.regrets, *state.strategy_sums, *state.responder_regrets):
        weights[:] = RNG.normal(size=weights.shape)
    return state


def test_a_learner_begins_as_it_plays(equities):
    """Levels as the table before the turn, leaves with their answers."""
    for found, wanted in zip(
        LEVELS.policy(RUN.start().strategy_sums).tables[:2], TABLE.tables, strict=False
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    learner = leaves_run(equities).learner
    for found, wanted in zip(
        learner.retrained(leaves_run(equities).start().strategy_sums),
        learner.base_policy.models,
        strict=True,
    ):
        np.testing.assert_allclose(found.value, wanted.value, rtol=1e-5)


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_leaves_answer_as_their_trees_do(equities, seat):
    """On all streets, with random weights; also in a seat where the other has its own sizes."""
    run = leaves_run(equities)
    game = (
        run
        if seat is None
        else cfr_br_with_other_menu(
            run.learner, *(menu_from(*[[[x], []]] * 4) for x in (1, 2)), seat, EVEN, LEVELS
        )
    )
    leaves, board = game.learner, DEALS[0, :5].tolist()
    weights, holes = random_state(run).strategy_sums, np.flatnonzero(free_holes(board))
    policy, compared = leaves.policy(weights), 0
    for street, n_cards in enumerate((0, 3, 4, 5)):
        seen = leaves.street_infosets(street, board[:n_cards])
        rows, row = policy.street_rows(street, board[:n_cards])
        mine = seen.row[river_equities(board)[holes]] if street == 3 else seen.row[holes]
        found = strategy_table(game.tree, street, seen, weights[street])[mine]
        for node in decision_nodes(game.tree, street, seat):
            own = columns(game.tree, node)
            legal = weights[street][seen.infoset[mine, seen.situation[node]]][
                :, game.tree.label[children(game.tree, node)]
            ]
            # else a learner plays evenly, and a tree checks or calls
            sound = (legal > 0).any(axis=1)
            np.testing.assert_allclose(found[sound, own], rows[row[holes]][sound, own], atol=1e-5)
            compared += sound.sum()
    assert compared > 10_000


def values_before_the_river(policies, player, best=()) -> np.ndarray:
    """A player's values (n_nodes, 1326) on two rivers; decisions before the river are left open."""
    value, before = np.zeros((len(SMALL.kind), 1326)), int(SMALL.street_start[3])
    for river in RIVERS:
        left, found = node_values(SMALL, policies, [*TURN, river], best)
        value[:, left] += 48 / 2 / 44 * found[player]
    reach, holes = np.zeros((2, before, 1326), dtype=np.float32), np.flatnonzero(free_holes(TURN))
    reach[:, :, holes] = node_reach(SMALL, policies, DEALS[0, :5], holes)[:, :before]
    folds = np.flatnonzero((SMALL.kind == FOLD_END) & (SMALL.street < 3))
    value[folds] = fold_values(SMALL, folds, player, reach) * free_holes(TURN)
    value[(SMALL.kind == SHOWDOWN) & (SMALL.street == 0)] = 0
    return value


def add_regrets(regrets, weights, seen, player, value, street, counts=None) -> None:
    """Add a player's regrets on a street by counts (n_nodes, n), in a backward pass of value."""
    counts = np.ones(value.shape) if counts is None else counts
    rows = strategy_table(SMALL, street, seen, weights)[seen.row]
    for node in decision_nodes(SMALL, street)[::-1]:
        below = value[children(SMALL, node)]
        if SMALL.actor[node] != player:
            value[node] = below.sum(axis=0)
            continue
        value[node] = (rows[:, columns(SMALL, node)].T * below).sum(axis=0)
        own = seen.infoset[seen.row, seen.situation[node]]
        for c in children(SMALL, node):
            np.add.at(regrets[:, SMALL.label[c]], own, counts[node] * (value[c] - value[node]))


def assert_learned(found, before, wanted, tolerance):
    """Weights after one iteration, which counts 1 / 100."""
    for new, old, added in zip(found, before, wanted, strict=True):
        near = tolerance * 1e-3 * np.abs(added).max() + 2e-6
        np.testing.assert_allclose(new - old, 0.01 * added, rtol=tolerance, atol=near)


def test_regrets_of_the_best_response():
    """What an iteration adds to the responder's regrets before the turn, where it responds best."""
    state = random_state(RUN)
    policy = LEVELS.policy(state.regrets)
    wanted = [np.zeros(weights.shape) for weights in state.responder_regrets]
    for player in range(2):
        value = values_before_the_river([policy, policy], player, best=[player])
        for node in decision_nodes(SMALL, 2)[::-1]:
            below = value[children(SMALL, node)]
            value[node] = below.max(axis=0) if SMALL.actor[node] == player else below.sum(axis=0)
        for s in (1, 0):
            seen = LEVELS.street_infosets(s, TURN[: 3 * s])
            add_regrets(wanted[s], state.responder_regrets[s], seen, player, value, s)
    found = RUN.train(state, DEALS[:1, :6], BEST).responder_regrets
    assert_learned(found, state.responder_regrets, wanted, 1e-3)


@pytest.mark.parametrize("by_reach", [False, True])
@pytest.mark.parametrize("opponent", [SELF, OpponentMixture(1e-7, TABLE)])
def test_regrets_against_who_plays_rows(opponent, by_reach):
    """What an iteration adds in self-play, and against (nearly always) the blueprint."""
    run = CfrBr(LEVELS, EVEN, LEVELS, by_reach)
    state, before = random_state(run), int(SMALL.street_start[3])
    policy = LEVELS.policy(state.regrets)
    wanted = [np.zeros(weights.shape) for weights in state.regrets]
    for player in range(2):
        both = [policy if p == player or opponent == SELF else TABLE for p in range(2)]
        for river in RIVERS:
            left, found = node_values(SMALL, both, [*TURN, river])
            seen = LEVELS.street_infosets(3, [])
            seen = seen._replace(row=seen.row[river_equities([*TURN, river])[left]])
            counts = node_reach(SMALL, both, [*TURN, river], left)[player] if by_reach else None
            add_regrets(wanted[3], state.regrets[3], seen, player, found[player], 3, counts)
        value, counts = values_before_the_river(both, player), np.zeros((before, 1326))
        holes = np.flatnonzero(free_holes(TURN))  # the others are worth nothing
        counts[:, holes] = (
            node_reach(SMALL, both, DEALS[0, :5], holes)[player, :before] if by_reach else 1
        )
        for s in (2, 1, 0):
            seen = LEVELS.street_infosets(s, TURN[: (0, 3, 4)[s]])
            add_regrets(wanted[s], state.regrets[s], seen, player, value, s, counts)
    assert_learned(run.train(state, DEALS[:1, :6], opponent).regrets, state.regrets, wanted, 2e-3)


# so near that dollars are the same, but the action has another name
@pytest.mark.parametrize("size", [1, 1.00001])
def test_a_seat_against_other_sizes_learns_its_half(equities, size):
    """Against the tree's own sizes, seats trained apart learn what both do together."""
    run = leaves_run(equities, by_reach=True)
    theirs = menu_from([[size], []], [[size], []], [[]], [[size], []])
    games = [
        cfr_br_with_other_menu(run.learner, SMALL_MENU, theirs, seat, EVEN, LEVELS)
        for seat in range(2)
    ]
    state = random_state(run)
    known, n = SMALL.labels.index("raise_1"), len(SMALL.labels)
    wide = (
        state.responder_regrets
        if size == 1
        else tuple(np.pad(x, ((0, 0), (0, 1))) for x in state.responder_regrets)
    )
    for x, old in zip(wide, state.responder_regrets, strict=True):
        x[:, n:] = old[:, known : known + 1]  # the other name for the same bet
    learned = [[*run.train(state, DEALS[:1, :6], BEST)[:3]]]
    learned += [
        [*game.train(state._replace(responder_regrets=wide), DEALS[:1, :6], BEST)[:3]]
        for game in games
    ]
    for half in learned[1:]:
        for x, old in zip(half[2], state.responder_regrets, strict=True):
            x[:, known] += (x[:, n:] - old[:, known : known + 1]).sum(axis=1)
        half[2] = tuple(x[:, :n] for x in half[2])
    learned = [sum(one, ()) for one in learned]
    for before, both, *halves in zip(sum(state[:3], ()), *learned, strict=True):
        near = 1e-4 * np.abs(both).max()
        np.testing.assert_allclose(halves[0] + halves[1] - before, both, rtol=1e-4, atol=near)
        assert all((half != before).any() for half in halves)
    # now an opponent who is there in a quarter of the hands
    state = state._replace(responder_regrets=wide)
    seldom = games[0].train(state, DEALS[:1, :6], OpponentMixture(0.25, None)).regrets
    for before, always, found in zip(state.regrets, learned[1], seldom, strict=False):
        np.testing.assert_allclose(
            4 * (found - before), always - before, rtol=1e-3, atol=1e-4 * np.abs(always).max()
        )


def test_a_retrained_agent_keeps_its_splits_and_learns_as_the_game_does(equities, tmp_path):
    """Leaf probabilities are those of `CfrBr.train`, also with other bets on every second pair."""
    agent = load_agent(save_random_agent(tmp_path / "random.json", SMALL_MENU, 9), equities)
    other, share, other_share = menu_from(*[[[0.5, 2], []]] * 4), 0.25, 0.5
    # it learns in the table's groups before the turn
    responder = HandBuckets(SMALL, TABLE, np.zeros_like(FEW_BUCKETS.turn), 1)
    run = CfrBr(TreeLeaves(agent.policy(SMALL)), EVEN, responder, by_reach=True)
    state = run.train(
        run.start(100), DEALS[:2, :6], OpponentMixture(share, TABLE), boards_per_update=2
    )
    found = retrain(agent, SMALL, TABLE, EVEN, DEALS[:2, :6], share, 100)
    for tree, wanted in zip(found.trees, run.learner.retrained(state.strategy_sums), strict=True):
        np.testing.assert_array_equal(tree.value, wanted.value)
    wide = cfr_br_with_other_menu(run.learner, SMALL_MENU, other, 0, EVEN, responder)
    state = wide.train(
        state._replace(responder_regrets=wide.start().responder_regrets),
        DEALS[2:4, :6],
        OpponentMixture(other_share, None),
        boards_per_update=2,
    )
    given = agent, SMALL, TABLE, EVEN, DEALS[:4, :6], share, 100
    found = retrain(*given, others=[(other, other_share)])
    for tree, before, wanted in zip(
        found.trees, agent.trees, run.learner.retrained(state.strategy_sums), strict=True
    ):
        np.testing.assert_array_equal(tree.value, wanted.value)
        np.testing.assert_array_equal(tree.threshold, before.threshold)
        assert (np.abs(tree.value - before.value) > 1e-3).any()
    found.save(tmp_path / "agent.json")
    loaded, board = load_agent(tmp_path / "agent.json", equities), DEALS[0, :3].tolist()
    assert (loaded.provenance["turn_boards"], loaded.provenance["known_share"]) == (4, share)
    holes = np.flatnonzero(free_holes(board))
    asked = [one.probabilities(holes, board, "ck/") for one in (found, loaded)]
    np.testing.assert_allclose(*asked, rtol=0, atol=1e-3)  # a file rounds


@pytest.mark.parametrize("together", [1, 2])
def test_threads_and_pauses_change_no_bit(equities, together):
    """But for a pause between deals that are learned from side by side."""
    found, run = [], leaves_run(equities)
    for n, parts in (
        (1, (slice(3),)),
        (2, (slice(3),)),
        (2, (slice(together), slice(together, 3))),
    ):
        state = run.start(warm_start=1)
        with threads(min(n, numba.config.NUMBA_NUM_THREADS)):
            for part in parts:
                state = run.train(state, DEALS[part, :9], BEST, boards_per_update=together)
        found.append([weights.tobytes() for group in state[:3] for weights in group])
    assert found[0] == found[1] == found[2]
