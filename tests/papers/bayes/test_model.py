"""Table 2's current strategies on the limit tree, and the evaluator's beliefs, by hand."""

import numpy as np
import pytest

from faceup.holdem.betting_tree import children, path_to_node
from faceup.holdem.rules import DECISION, FOLD_END
from faceup.papers.bayes.enumeration import LOSS, TIE, WIN
from faceup.papers.bayes.model import (
    ROUND_START,
    Evaluator,
    count_transitions,
    make_model,
    make_round,
)
from faceup.papers.bayes.strategies import NAMES

SLIP = 1e-9  # nearly never


def line(moves, street, first, second):
    """The betting of a street between two current strategies, the first to act named first."""
    tree = moves.tree
    root = node = int(np.flatnonzero((tree.kind == DECISION) & (tree.street == street))[0])
    while tree.kind[node] == DECISION and tree.street[node] == street:
        node = moves.after[
            NAMES.index(first if tree.actor[node] == tree.actor[root] else second), node
        ]
    return ", ".join(
        tree.labels[tree.label[k]]
        for k in path_to_node(tree, node)[len(path_to_node(tree, root)) :]
    )


@pytest.mark.parametrize(
    ("street", "first", "second", "betting"),
    [
        (1, "0/0", "0/1", "call, call"),
        (1, "0/0", "1/1", "call, raise, fold"),  # check, fold on any bet
        (1, "0/1", "3/4", "call, raise, call"),  # check, call one bet
        (1, "1/1", "2/3", "raise, raise, fold"),  # bet once, fold if it is raised
        (1, "1/2", "2/3", "raise, raise, call"),
        (1, "3/3", "2/2", "raise, raise, raise, fold"),
        (3, "3/4", "3/3", "raise, raise, raise, call"),
        (0, "0/0", "3/4", "fold"),  # half a bet is to be called
        (0, "1/2", "2/3", "call, raise, call"),
        (0, "2/2", "3/4", "raise, raise, fold"),
    ],
)
def test_strategies_meet(moves, street, first, second, betting):
    assert line(moves, street, first, second) == betting


@pytest.fixture(scope="module")
def evaluator(counts, moves):
    """Ten bins, the three types, an opponent who makes no slips."""
    return Evaluator(make_model(counts, 10, (0.1, -0.1, -0.3), SLIP), moves)


def test_shown_cards_tell_the_type_at_once(evaluator, moves):
    """With odds of 0.25 only the bluff (1/2) bets the flop, not active (0/1) or reserved (0/0)."""
    betting = make_round(moves, 1, 0, SLIP)
    place = np.array(
        [betting.ends[(betting.first[betting.ends] == 2) & (betting.folder[betting.ends] == 0)][0]]
    )
    after = evaluator.posterior(1, 0, place, np.array([5]), np.full((1, 3), 1 / 3), np.array([2]))
    assert after[0, 2] == pytest.approx(1, abs=1e-6)


def test_coarse_bins_are_sums_of_fine_ones(counts):
    fine, coarse = make_model(counts, 10, (0,), 0.02), make_model(counts, 5, (0,), 0.02)
    np.testing.assert_allclose(coarse.joint, fine.joint.reshape(4, 5, 2, 5, 2, 3).sum(axis=(2, 4)))
    np.testing.assert_allclose(coarse.choice.sum(axis=3), 1)
    assert set(np.unique(fine.choice)) == {0, 1}  # the limits are edges of ten bins


def test_a_second_turn_begins_where_the_round_has_come_to(evaluator, moves):
    """The big blind bets the river and is raised: values count what is called from there."""
    tree = moves.tree
    betting = make_round(moves, 3, 1, SLIP)
    raised = [
        t for t in betting.turns if t != ROUND_START and betting.put[t].tolist() == [200, 400]
    ]
    assert len(raised) == 1 and betting.turns[0] == ROUND_START and len(tree.kind) == 16584
    worth = evaluator.utilities(
        3, 1, np.array(raised), np.array([6]), np.array([400]), np.array([[0.0, 0.0, 1.0]])
    )[0]
    assert worth[NAMES.index("1/1")] == pytest.approx(-200, abs=1e-3)  # folds, and the bet is gone
    # bluff's 2/3 and more
    strong = evaluator.model.joint[3, 6, 3:].sum(axis=0) / evaluator.model.joint[3, 6, 3:].sum()
    calls = strong[WIN] * 1200 + strong[TIE] * 400 - strong[LOSS] * 400
    assert worth[NAMES.index("1/2")] == pytest.approx(calls, rel=1e-4)


def test_transitions_are_counted_for_both_players():
    """One deal in two bins: (1, 0), (1, 1), (0, 1), (1, 0) for one player."""
    found = count_transitions(np.array([[[19, 10, 3, 12], [0, 11, 17, 9]]]), 2)
    assert found[0, 1, 0, 1, 1] == found[0, 0, 1, 1, 1] == found[2, 0, 1, 1, 0] == 1
    assert (found[0, 0, 0] == 0.25).all() and found.sum() == pytest.approx(3 * 4)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_game_is_solved_backwards(counts, moves, seat):
    """Utilities on the turn with the river to come, by a recursion from node to node."""
    tree, rng = moves.tree, np.random.default_rng(seat)
    model = make_model(counts, 2, (0.1,), 0.02)
    future = rng.random((3, 2, 2, 2, 2))
    evaluator = Evaluator(model, moves, future)

    def moved(node, k):
        """The opponent's next nodes, and their chances."""
        ways = np.array(list(children(tree, node)))
        return zip(ways, 0.98 * (ways == moves.after[k, node]) + 0.02 / len(ways), strict=True)

    def dollars(node, street, po, oo, j, k):
        """What the player wins from a node on, with the strategies of both in this round."""
        bets = tree.bets[node].sum(axis=1)
        if tree.kind[node] == FOLD_END:
            return -bets[seat] if tree.actor[node] == seat else bets[1 - seat]
        if tree.kind[node] == DECISION and tree.street[node] == street:
            if tree.actor[node] == seat:
                return dollars(moves.after[j, node], street, po, oo, j, k)
            return sum(p * dollars(n, street, po, oo, j, k) for n, p in moved(node, k))
        if street == 3:
            shown = model.joint[3, po, oo]
            return bets[0] * (shown[WIN] - shown[LOSS]) / shown.sum()
        nexts = np.ndindex(2, 2)
        return sum(future[street, po, oo, q, r] * worth(node, street + 1, q, r) for q, r in nexts)

    def mean(turn, reach, street, po, oo, j):
        """`dollars` from a turn on, over the opponent's strategies; reach (8,): their chances to
        lead there."""
        picks = model.choice[street, 0, oo] * reach
        return sum(picks[k] * dollars(turn, street, po, oo, j, k) for k in np.flatnonzero(picks))

    def utilities(turn, reach, street, po):
        """Of each strategy from a turn on, over the opponent's odds."""
        odds = model.joint[street, po].sum(axis=1)
        total = odds @ model.choice[street, 0] @ reach
        means = [[mean(turn, reach, street, po, oo, j) for oo in range(2)] for j in range(8)]
        return np.array(means) @ odds / total

    def turns(root):
        """The player's first turns in a round, and the opponent's chances to lead there."""
        if tree.actor[root] == seat:
            return {root: np.ones(8)}
        ways = [dict(moved(root, k)) for k in range(8)]
        return {node: np.array([way[node] for way in ways]) for node in ways[0]}

    def worth(root, street, po, oo):
        """What a round is worth that begins at a node."""
        return sum(
            mean(turn, reach, street, po, oo, utilities(turn, reach, street, po).round(6).argmax())
            for turn, reach in turns(root).items()
        )

    root = int(np.flatnonzero((tree.kind == DECISION) & (tree.street == 2))[0])
    turn, reach = list(turns(root).items())[-1]
    place = np.array([ROUND_START if seat else moves.place[turn]])
    cp = tree.bets[root].sum(axis=1)[:1]
    for po in range(2):
        found = evaluator.utilities(2, seat, place, np.array([po]), cp, np.ones((1, 1)))[0]
        np.testing.assert_allclose(found - cp, utilities(turn, reach, 2, po), atol=1e-5)
