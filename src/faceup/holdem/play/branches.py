"""What a decision tree does in each of its branches, and what that earns (paper 000, Section 5).

A tree agent plays the average strategy in both seats on many boards. Every decision it meets falls into one leaf of its round's
tree, so that all that happens can be summed leaf by leaf, and branch by branch: how often play comes there, with hands how
strong, which action is taken, and what each action that was possible would have earned. From those sums branches that bluff and
questions that pay are found by what they do, not by looking for them.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS
from faceup.cards.features import board_features
from faceup.holdem.betting.betting_tree import CALL, FOLD, STREETS, BettingTree, children
from faceup.holdem.play.agents import TreePolicy
from faceup.holdem.solve.action_values import ActionValues, action_values
from faceup.holdem.solve.board import N_PAIRS
from faceup.holdem.solve.policy import Policy
from faceup.lab.stats import student_95
from faceup.trees.tree import DecisionTree, below, leaf_of, node_depths

N_BINS = 20  # of equity
_OF_LABEL = 5  # sums kept for each label


class Seen(NamedTuple):
    """Sums over the play of each board, for every node of one round's tree; K labels.

    A game is played in both seats equally often. Gains are in dollars, against checking or calling with the same hand.
    """

    chance: np.ndarray  # (n_boards, n) that a game comes to a decision in this branch
    equity: np.ndarray  # (n_boards, n) the same times the equity of the hand
    legal: np.ndarray  # (n_boards, n, K) chance of decisions at which a label is legal
    gain: np.ndarray  # (n_boards, n, K) the same times what the label would gain
    taken: np.ndarray  # (n_boards, n, K) chance that a label is taken
    earned: np.ndarray  # (n_boards, n, K) the same times what it gains
    folded: np.ndarray  # (n_boards, n, K) chance that a label is taken and answered by a fold
    strength: np.ndarray  # (n, N_BINS) chance by the equity of the hand, all boards together


@njit(cache=True)
def _add(place, columns, sums):
    """sums[place[h], c] += columns[c, h]."""
    for c in range(columns.shape[0]):
        for h in range(place.shape[0]):
            sums[place[h], c] += columns[c, h]


def look(
    policy: TreePolicy, theirs: Policy, boards: Sequence[Sequence[int]], progress: Callable[[int], None] = lambda done: None
) -> list[Seen]:
    """Let decision trees play `theirs` on boards (n, 5) as dealt; one result a round. Raises ValueError without boards."""
    if len(boards) == 0:
        raise ValueError("boards: none given, expected one at least")
    n_labels = len(policy.tree.labels)
    sums = [np.zeros((len(boards), len(m.feature), 2 + _OF_LABEL * n_labels)) for m in policy.models]
    strength = [np.zeros((len(m.feature), N_BINS)) for m in policy.models]
    for b, board in enumerate(boards):
        played = action_values(policy.tree, policy, theirs, board)
        for street, (_, nodes, histories) in enumerate(policy.histories):
            leaves, equity = _leaves(policy, street, board)
            bins = np.minimum((equity * N_BINS).astype(np.int64), N_BINS - 1)
            for node, history in zip(nodes, histories, strict=True):
                columns = _columns(policy.tree, int(node), played, equity)
                _add(leaves[history], columns, sums[street][b])
                _add(leaves[history] * N_BINS + bins, columns[:1], strength[street].reshape(-1, 1))
        progress(b + 1)
    return [_seen(model, s, bins, n_labels) for model, s, bins in zip(policy.models, sums, strength, strict=True)]


def _leaves(policy: TreePolicy, street: int, board: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each betting history and hole, (n_histories, 1326) int32, and the holes' equities on a street (1326,)."""
    hands = board_features(street, policy.tables[street], [int(c) for c in board[: BOARD_CARDS[street]]])
    told = policy.histories[street].told
    x = np.empty((len(told), len(hands), hands.shape[1] + told.shape[1]), dtype=np.float32)
    x[:, :, : hands.shape[1]] = hands
    x[:, :, hands.shape[1] :] = told[:, None, :]
    return leaf_of(policy.models[street], x.reshape(-1, x.shape[2])).reshape(x.shape[:2]), hands[:, 0]


def _columns(tree: BettingTree, node: int, played: ActionValues, equity: np.ndarray) -> np.ndarray:
    """What `Seen` sums, of one decision and each hole: (2 + 5 K, 1326)."""
    columns = np.zeros((2 + _OF_LABEL * len(tree.labels), len(equity)))
    player, scale = tree.actor[node], 1 / (2 * N_PAIRS)  # of two seats and all pairs of holes
    own = played.own[player, node] * scale
    columns[0] = own * played.others[player, node]
    columns[1] = columns[0] * equity
    checked = next(played.value[player, c] for c in children(tree, node) if tree.label[c] == CALL)
    for child in children(tree, node):
        start = 2 + _OF_LABEL * tree.label[child]
        gain = own * (played.value[player, child] - checked)
        columns[start : start + 4] = columns[0], gain, columns[0] * played.share[child], gain * played.share[child]
        answer = tree.first_child[child]
        if tree.n_children[child] and tree.label[answer] == FOLD and tree.actor[child] != player:
            columns[start + 4] = own * played.share[child] * played.others[player, answer]
    return columns


def _seen(model: DecisionTree, sums: np.ndarray, strength: np.ndarray, n_labels: int) -> Seen:
    """The sums by name, those of inner nodes made from their branches'."""
    for node in np.flatnonzero(model.feature >= 0)[::-1]:
        left, right = model.left[node], model.right[node]
        sums[:, node] = sums[:, left] + sums[:, right]
        strength[node] = strength[left] + strength[right]
    of_label = sums[:, :, 2:].reshape(*sums.shape[:2], n_labels, _OF_LABEL)
    legal, gain, taken, earned, folded = np.moveaxis(of_label, -1, 0)
    return Seen(sums[:, :, 0], sums[:, :, 1], legal, gain, taken, earned, folded, strength)


class Mean(NamedTuple):
    """A mean and the half-width of its 95 % interval over boards; NaN where nothing was counted."""

    mean: np.ndarray
    ci95: np.ndarray

    def as_dict(self) -> dict[str, float | None]:
        """A single mean for a file of metrics; None where there is no number."""
        return {name: float(x) if np.isfinite(x) else None for name, x in self._asdict().items()}


def ratio(total: np.ndarray, count: np.ndarray) -> Mean:
    """sum(total) / sum(count) over boards (axis 0), with the interval of a ratio of sums."""
    n, counted = len(total), count.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total.sum(axis=0) / counted
        spread = np.sqrt(((total - mean * count) ** 2).sum(axis=0) * n / (n - 1)) / counted
    return Mean(mean, student_95(n) * spread)


def gains(seen: Seen, node: int) -> Mean:
    """What each label (K,) would gain over checking or calling, in dollars, with the hands of a branch."""
    return ratio(seen.gain[:, node], seen.legal[:, node])


def shares(seen: Seen) -> np.ndarray:
    """How often each action is taken in each branch, (n, K); NaN where play never came."""
    with np.errstate(invalid="ignore"):
        return seen.taken.sum(axis=0) / seen.chance.sum(axis=0)[:, None]


class Found(NamedTuple):
    """Branches of one round's tree, the best first."""

    nodes: np.ndarray  # (m,) int64
    met: np.ndarray  # (m,) int64 how many of the conditions each meets
    earned: np.ndarray  # (m,) dollars a game
    conditions: int


def _bets(seen: Seen) -> tuple[np.ndarray, np.ndarray]:
    """Chance that a bet or raise of any size is taken, and what it gains, (n_boards, n) each."""
    return seen.taken[:, :, CALL + 1 :].sum(axis=2), seen.earned[:, :, CALL + 1 :].sum(axis=2)


def bet_gain(seen: Seen, node: int) -> Mean:
    """What the bets and raises that a branch takes gain over checking or calling, dollars each."""
    taken, earned = _bets(seen)
    return ratio(earned[:, node], taken[:, node])


def bluffs(seen: Seen, model: DecisionTree, *, deepest: int, least: float, equity: float) -> Found:
    """Branches down to a depth that bet with hands of mean equity `equity` or less, by what their bets earn a game.

    Conditions: a bet or raise in `least` of all cases or more; it gains over checking or calling, the interval included.
    Branches that meet fewer of the two come after those that meet more.
    """
    taken, earned = _bets(seen)
    chance, gain = seen.chance.sum(axis=0), ratio(earned, taken)
    with np.errstate(invalid="ignore"):
        met = np.stack([taken.sum(axis=0) / chance >= least, gain.mean > gain.ci95])
        weak = ratio(seen.equity, seen.chance).mean <= equity
    return _ranked(met, earned.mean(axis=0), weak & (node_depths(model) <= deepest), taken.sum(axis=0) > 0)


def questions(seen: Seen, model: DecisionTree, names: Sequence[str], *, deepest: int, least: float) -> Found:
    """Questions about the cards whose two answers lead to different actions, each the better one there, by what that earns.

    names: of the features. The likeliest action of each answer is taken in `least` of all cases or more, and earns more there
    than the other answer's would, the interval included (two conditions for each answer).
    """
    share, n = np.nan_to_num(shares(seen)), len(model.feature)
    likeliest = share.argmax(axis=1)
    about_cards = np.array(["equity" in name for name in names])[model.feature] & (model.feature >= 0)
    met, earned = np.zeros((4, n), dtype=bool), np.zeros(n)
    for node in np.flatnonzero(about_cards & (node_depths(model) < deepest)):
        for i, (here, there) in enumerate(((model.left[node], model.right[node]), (model.right[node], model.left[node]))):
            better = instead(seen, here, likeliest[here], likeliest[there])
            met[2 * i : 2 * i + 2, node] = share[here].max() >= least, better.mean > better.ci95
            earned[node] += np.nan_to_num(better.mean) * seen.chance[:, here].mean()
    differs = likeliest[model.left] != likeliest[model.right]
    return _ranked(met, earned, about_cards & (node_depths(model) < deepest) & differs, seen.chance.sum(axis=0) > 0)


def instead(seen: Seen, node: int, label: int, other: int) -> Mean:
    """What a label earns more than another in a branch, in dollars, where both are legal."""
    count = np.minimum(seen.legal[:, node, label], seen.legal[:, node, other])
    return ratio(seen.gain[:, node, label] - seen.gain[:, node, other], count)


def _ranked(met: np.ndarray, earned: np.ndarray, allowed: np.ndarray, seen: np.ndarray) -> Found:
    """Allowed branches by conditions met (n_conditions, n), then by what they earn; ties by number."""
    count = met.sum(axis=0)
    nodes = np.flatnonzero(allowed & seen)
    order = nodes[np.lexsort((nodes, -earned[nodes], -count[nodes]))]
    return Found(order, count[order], earned[order], len(met))


def best(found: Sequence[Found]) -> tuple[int, int]:
    """(round, node) of the best branch of all rounds: most conditions met, then earned. Raises ValueError where there is none."""
    first = [(f.met[0], f.earned[0], -street) for street, f in enumerate(found) if len(f.nodes)]
    if not first:
        raise ValueError("found: no branch on any round, expected one")
    street = -max(first)[2]
    return street, int(found[street].nodes[0])


class Followers(NamedTuple):
    """The hands of a board that follow a branch, on the betting line on which most of them come there."""

    line: int  # node of the betting tree
    holes: np.ndarray  # (m,) those that the branch takes there, by equity
    equity: np.ndarray  # (m,)
    likely: np.ndarray  # (m,) chance that the agent plays this line with the hole, up to the decision


def followers(policy: TreePolicy, theirs: Policy, board: Sequence[int], street: int, branch: int) -> Followers:
    """The hands of one board (five cards) that a branch of a round's tree takes, on its likeliest line.

    Raises ValueError where no hand of the board can come there.
    """
    board = [int(c) for c in board]
    played = action_values(policy.tree, policy, theirs, board)
    leaves, equity = _leaves(policy, street, board)
    inside = below(policy.models[street], branch)[leaves]
    _, nodes, history = policy.histories[street]
    actor = policy.tree.actor[nodes]
    own, others = played.own[actor, nodes], played.others[actor, nodes]
    chance = (own * others * inside[history]).sum(axis=1)
    i = int(chance.argmax())
    if not chance[i] > 0:
        raise ValueError(f"branch {branch} of the {STREETS[street]}: no hand of board {board} comes there")
    holes = np.flatnonzero(inside[history[i]] & (others[i] > 0) & (played.own[0, 0] > 0))
    holes = holes[np.argsort(equity[holes], kind="stable")]
    return Followers(int(nodes[i]), holes, equity[holes], own[i, holes])
