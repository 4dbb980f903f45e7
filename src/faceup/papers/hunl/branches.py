"""Play and winnings in each branch of a decision tree (paper 000, Section 5).

A tree agent plays another policy in both seats on many boards. Each of its decisions falls into one
leaf of its street's tree, so that play is summed by leaf, and then by branch. Bluffing branches are
selected by their measured gain.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS
from faceup.cards.features import board_features
from faceup.holdem.action_values import action_values
from faceup.holdem.betting_tree import children
from faceup.holdem.board import N_PAIRS
from faceup.holdem.policy import ModelPolicy, Policy, model_inputs
from faceup.holdem.rules import CALL, FOLD
from faceup.trees.tree import DecisionTree, add_up, leaf_of, node_depths
from faceup.util.stats import student_95

N_BINS = 20  # of equity
# with play in a branch, for an interval: that of a single board would be 0
_LEAST_BOARDS = 10


class BranchSums(NamedTuple):
    """Sums over the play on each board for the n nodes of one street's tree, by action label (K).

    Probabilities are those of a game, with both seats equally often. Gains are in dollars, over
    checking or calling with the same hand.
    """

    legal: np.ndarray  # (n_boards, n, K) P(decision in this branch at which the label is legal)
    gain: np.ndarray  # (n_boards, n, K) that probability times the label's gain
    taken: np.ndarray  # (n_boards, n, K) P(the label is taken in this branch)
    earned: np.ndarray  # (n_boards, n, K) that probability times the label's gain
    folded: np.ndarray  # (n_boards, n, K) P(the label is taken and the opponent folds)
    equity: np.ndarray  # (n_boards, n) `probability` times the hand's equity
    by_equity: np.ndarray  # (n, N_BINS) `probability` by the hand's equity, summed over boards

    @property
    def probability(self) -> np.ndarray:
        """P(decision in this branch), (n_boards, n): checking or calling is always legal."""
        return self.legal[:, :, CALL]


def branch_sums(
    policy: ModelPolicy,
    theirs: Policy,
    boards: Sequence[Sequence[int]],
    progress: Callable[[int], None] = lambda done: None,
) -> list[BranchSums]:
    """Sums of decision trees that play `theirs` on boards (n, 5) as dealt; one record a street."""
    tree, streets = policy.tree, list[BranchSums]()
    for model in policy.models:
        shape = len(boards), len(model.feature), len(tree.labels)
        by_node = np.zeros(shape[:2]), np.zeros((shape[1], N_BINS))
        streets.append(BranchSums(*[*np.zeros((5, *shape)), *by_node]))
    for b, board in enumerate(boards):
        played = action_values(tree, policy, theirs, board)
        for street, sums in enumerate(streets):
            leaves, equity = _leaves(policy, street, board)
            bins, n = (
                np.minimum((equity * N_BINS).astype(np.int64), N_BINS - 1),
                len(sums.by_equity),
            )
            _, nodes, situation = policy.betting_inputs[street]
            for node, leaf in zip(nodes.tolist(), leaves[situation], strict=True):
                player = tree.actor[node]
                # two seats, all pairs of holes
                own = played.own_reach[player, node] / (2 * N_PAIRS)
                probability = own * played.opposing_reach[player, node]
                sums.equity[b] += np.bincount(leaf, probability * equity, n)
                np.add.at(sums.by_equity, (leaf, bins), probability)
                below = children(tree, node)
                called = next(played.value[player, c] for c in below if tree.label[c] == CALL)
                for child in below:
                    gain, share = (
                        own * (played.value[player, child] - called),
                        played.probability[child],
                    )
                    columns = [probability, gain, probability * share, gain * share]
                    reply = tree.first_child[child]
                    if tree.actor[child] != player and tree.label[reply] == FOLD:
                        columns.append(own * share * played.opposing_reach[player, reply])
                    for array, column in zip(sums, columns, strict=False):
                        array[b, :, tree.label[child]] += np.bincount(leaf, column, n)
        progress(b + 1)
    for model, sums in zip(policy.models, streets, strict=True):
        for array in (*(array.swapaxes(0, 1) for array in sums[:6]), sums.by_equity):
            add_up(model.left, model.right, array)
    return streets


def _leaves(
    policy: ModelPolicy, street: int, board: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each betting situation and hole, (n_situations, 1326) int32, and the equity of
    each hole on a street's board, (1326,).
    """
    hands = board_features(
        street, policy.equities[street], [int(c) for c in board[: BOARD_CARDS[street]]]
    )
    x = model_inputs(hands, policy.betting_inputs[street].features)
    return leaf_of(policy.models[street], x).reshape(-1, len(hands)), hands[:, 0]


class Mean(NamedTuple):
    """A mean and the half-width of its 95 % interval over boards: NaN without play, inf with play
    on fewer than ten boards.
    """

    mean: np.ndarray
    ci95: np.ndarray


def ratio(total: np.ndarray, count: np.ndarray) -> Mean:
    """sum(total) / sum(count) over boards (axis 0), with the interval of a ratio of sums."""
    n, counted = len(total), count.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total.sum(axis=0) / counted
        spread = np.sqrt(((total - mean * count) ** 2).sum(axis=0) * n / (n - 1)) / counted
    few = (count > 0).sum(axis=0) < min(_LEAST_BOARDS, n)
    return Mean(mean, np.where(few & (counted > 0), np.inf, student_95(n) * spread))


def shares(sums: BranchSums) -> np.ndarray:
    """The frequency of each action in each branch, (n, K); NaN without play."""
    return ratio(sums.taken, sums.probability[:, :, None]).mean


def bet_gain(sums: BranchSums, node: int | slice) -> Mean:
    """The gain over checking or calling of a branch's bets and raises, in dollars a bet."""
    bets = slice(CALL + 1, None)
    return ratio(sums.earned[:, node, bets].sum(axis=-1), sums.taken[:, node, bets].sum(axis=-1))


def advantage(sums: BranchSums, node: int, label: int, other: int) -> Mean:
    """The gain of a label over another in a branch, in dollars, where both are legal."""
    count = np.minimum(sums.legal[:, node, label], sums.legal[:, node, other])
    return ratio(sums.gain[:, node, label] - sums.gain[:, node, other], count)


def bluffing_leaves(
    sums: BranchSums, model: DecisionTree, *, least: float, equity: float
) -> np.ndarray:
    """The leaves that bluff, (n,) bool: a bet or raise has a frequency of at least `least`, and the
    hands that come there have a mean equity of at most `equity`.
    """
    bets = np.nan_to_num(shares(sums))[:, CALL + 1 :].sum(axis=1)
    weak = ratio(sums.equity, sums.probability).mean <= equity
    return (model.feature < 0) & weak & (bets >= least)


def asked_more(
    sums: BranchSums, model: DecisionTree, asked: np.ndarray, leaves: np.ndarray
) -> tuple[Mean, Mean, Mean]:
    """Which share of the questions that lead to decisions are about some features: on the paths to
    some leaves, on all paths, and the difference, each weighted by play.

    asked: the features, (n_features,) bool; leaves (n,) bool.
    """
    about, all_questions = np.zeros((2, len(model.feature)))
    for node in np.flatnonzero(model.feature >= 0):  # parents come before children
        for child in (model.left[node], model.right[node]):
            about[child] = about[node] + asked[model.feature[node]]
            all_questions[child] = all_questions[node] + 1
    played = [sums.probability * mask for mask in (leaves, model.feature < 0)]
    total, count = (np.array([p @ n for p in played]) for n in (about, all_questions))
    one, other = (ratio(*of) for of in zip(total, count, strict=True))
    # the jackknife: both shares with each board left out
    n = len(sums.probability)
    left_out = (total.sum(axis=1)[:, None] - total) / (count.sum(axis=1)[:, None] - count)
    spread = np.sqrt((n - 1) * (left_out[0] - left_out[1]).var())
    return one, other, Mean(one.mean - other.mean, student_95(n) * spread)


def error_reduction(model: DecisionTree, n_features: int) -> np.ndarray:
    """The percentage of each feature in the tree's reduction of the squared error of action
    probabilities, weighted by stake, (n_features,). A node's value must be the mean of its rows.

    A split of a node with weight w and mean v reduces the error by w_left |v_left|^2 + w_right
    |v_right|^2 - w |v|^2.
    """
    split, size = model.feature >= 0, model.weight * (model.value.astype(float) ** 2).sum(axis=1)
    reduced = (size[model.left] + size[model.right] - size)[split]
    by_feature = np.bincount(model.feature[split], reduced, n_features)
    return 100 * by_feature / max(by_feature.sum(), 1e-12)


def best_bluff(
    sums: BranchSums, model: DecisionTree, *, deepest: int, least: float, equity: float
) -> tuple[int, float, int] | None:
    """The branch that bluffs best: (criteria met, dollars a game that its bets earn, node); None if
    none bets.

    Considered are branches at most `deepest` splits from the root whose hands have a mean equity of
    at most `equity`. Best is the largest tuple. Criteria: a bet or raise has a frequency of at
    least `least`; it gains over checking or calling, the interval included.
    """
    gain, bets = bet_gain(sums, slice(None)), np.nan_to_num(shares(sums))[:, CALL + 1 :].sum(axis=1)
    considered = (
        (ratio(sums.equity, sums.probability).mean <= equity)
        & (node_depths(model) <= deepest)
        & (bets > 0)
    )
    n_met = (bets >= least).astype(int) + (gain.mean > gain.ci95)
    earned = sums.earned[:, :, CALL + 1 :].sum(axis=2).mean(axis=0)
    nodes = np.flatnonzero(considered).tolist()
    return max(((int(n_met[k]), float(earned[k]), k) for k in nodes), default=None)


def best_logical_split(
    sums: BranchSums, model: DecisionTree, names: Sequence[str], *, deepest: int
) -> tuple[int, float, int] | None:
    """The best split on the hand between different actions: (conditions, dollars, node); None where
    no split on the hand has two actions.

    Each branch should take its action in 70 % of cases, and gain by it over the other's action. The
    dollars are lost in a game if the two actions are swapped. names: of the features.
    """
    taken, found = np.nan_to_num(shares(sums)), []
    action = taken.argmax(axis=1)
    played = sums.probability.sum(axis=0) > 0
    for node in np.flatnonzero((model.feature >= 0) & (node_depths(model) < deepest) & played):
        pair = int(model.left[node]), int(model.right[node])
        if "equity" not in names[model.feature[node]] or action[pair[0]] == action[pair[1]]:
            continue
        conditions, lost = 0, 0.0
        for this, other in (pair, pair[::-1]):
            gain = advantage(sums, this, action[this], action[other])
            conditions += int(taken[this].max() >= 0.7) + int(gain.mean > gain.ci95)
            lost += float(np.nan_to_num(gain.mean)) * sums.probability[:, this].mean()
        found.append((conditions, lost, int(node)))
    return max(found, default=None)
