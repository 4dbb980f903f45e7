"""What a decision tree does in each of its branches, and what that earns (paper 000, Section 5).

A tree agent plays another policy in both seats on many boards. Every decision that it meets falls
into one leaf of its street's tree, so that all that happens can be summed leaf by leaf, and branch
by branch. Branches that bluff and questions that pay are then found by what they do. Who folds to a
bet should not call a larger one with the same hand: `continuing` asks an agent.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS
from faceup.cards.features import board_features
from faceup.holdem.action_values import action_values
from faceup.holdem.agents import Agent
from faceup.holdem.betting_lines import longer, state_after
from faceup.holdem.board import N_PAIRS
from faceup.holdem.policy import ModelPolicy, Policy, model_inputs
from faceup.holdem.rules import CALL, FOLD, legal_raises, pot_and_call
from faceup.holdem.tree import children
from faceup.trees.tree import DecisionTree, add_up, below, leaf_of, node_depths
from faceup.util.stats import student_95

N_BINS = 20  # of equity
# with play in a branch, for an interval: one board alone would have none, and look certain
_LEAST_BOARDS = 10


class BranchSums(NamedTuple):
    """Sums over the play of each board, for every node of one street's tree; K labels.

    A game is played in both seats equally often. Gains are in dollars, against checking or calling
    with the same hand.
    """

    # (n_boards, n, K) chance that a game comes to a decision in this branch at which a label is
    # legal
    legal: np.ndarray
    gain: np.ndarray  # (n_boards, n, K) the same times what the label would gain
    taken: np.ndarray  # (n_boards, n, K) chance that a label is taken
    earned: np.ndarray  # (n_boards, n, K) the same times what it gains
    folded: np.ndarray  # (n_boards, n, K) chance that a label is taken and answered by a fold
    equity: np.ndarray  # (n_boards, n) `chance` times the equity of the hand
    strength: np.ndarray  # (n, N_BINS) chance by the equity of the hand, all boards together

    @property
    def chance(self) -> np.ndarray:
        """The chance that a game comes to a decision in each branch, (n_boards, n): checking or
        calling is always legal.
        """
        return self.legal[:, :, CALL]


def branch_sums(
    policy: ModelPolicy,
    theirs: Policy,
    boards: Sequence[Sequence[int]],
    progress: Callable[[int], None] = lambda done: None,
) -> list[BranchSums]:
    """Let decision trees play `theirs` on boards (n, 5) as dealt; one result a street."""
    tree, found = policy.tree, list[BranchSums]()
    for model in policy.models:
        by_board = len(boards), len(model.feature)
        shapes = [*[(*by_board, len(tree.labels))] * 5, by_board, (by_board[1], N_BINS)]
        found.append(BranchSums(*map(np.zeros, shapes)))
    for b, board in enumerate(boards):
        played = action_values(tree, policy, theirs, board)
        for street, (sums, (_, nodes, history)) in enumerate(
            zip(found, policy.betting_inputs, strict=True)
        ):
            leaves, equity = _leaves(policy, street, board)
            bins, n = np.minimum((equity * N_BINS).astype(np.int64), N_BINS - 1), len(sums.strength)
            for node, leaf in zip(nodes.tolist(), leaves[history], strict=True):
                player = tree.actor[node]
                # of two seats and all pairs of holes
                own = played.own[player, node] / (2 * N_PAIRS)
                chance = own * played.others[player, node]
                sums.equity[b] += np.bincount(leaf, chance * equity, n)
                np.add.at(sums.strength, (leaf, bins), chance)
                called = next(
                    played.value[player, c] for c in children(tree, node) if tree.label[c] == CALL
                )
                for child in children(tree, node):
                    gain, share = own * (played.value[player, child] - called), played.share[child]
                    columns, answer = (
                        [chance, gain, chance * share, gain * share],
                        tree.first_child[child],
                    )
                    if (
                        tree.n_children[child]
                        and tree.label[answer] == FOLD
                        and tree.actor[child] != player
                    ):
                        columns.append(own * share * played.others[player, answer])
                    for array, column in zip(sums, columns, strict=False):
                        array[b, :, tree.label[child]] += np.bincount(leaf, column, n)
        progress(b + 1)
    for model, sums in zip(policy.models, found, strict=True):
        for array in (*(array.swapaxes(0, 1) for array in sums[:6]), sums.strength):
            add_up(model.left, model.right, array)
    return found


def _leaves(
    policy: ModelPolicy, street: int, board: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each betting history and hole, (n_histories, 1326) int32, and the holes' equities
    on a street (1326,).
    """
    hands = board_features(
        street, policy.tables[street], [int(c) for c in board[: BOARD_CARDS[street]]]
    )
    x = model_inputs(hands, policy.betting_inputs[street].features)
    return leaf_of(policy.models[street], x).reshape(-1, len(hands)), hands[:, 0]


class Mean(NamedTuple):
    """A mean and the half-width of its 95 % interval over boards: NaN where nothing was counted,
    inf on fewer than ten boards.
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
    """How often each action is taken in each branch, (n, K); NaN where play never came."""
    return ratio(sums.taken, sums.chance[:, :, None]).mean


def bet_gain(sums: BranchSums, node: int | slice) -> Mean:
    """What the bets and raises that a branch, or each of some, takes gain over checking or calling,
    dollars each.
    """
    return ratio(
        sums.earned[:, node, CALL + 1 :].sum(axis=-1), sums.taken[:, node, CALL + 1 :].sum(axis=-1)
    )


def advantage(sums: BranchSums, node: int, label: int, other: int) -> Mean:
    """What a label earns more than another in a branch, in dollars, where both are legal."""
    count = np.minimum(sums.legal[:, node, label], sums.legal[:, node, other])
    return ratio(sums.gain[:, node, label] - sums.gain[:, node, other], count)


class Candidate(NamedTuple):
    """A branch, and what speaks for it; of two the better one is the larger."""

    met: int  # conditions
    earned: float  # dollars a game
    node: int


def best_bluff(
    sums: BranchSums, model: DecisionTree, *, deepest: int, least: float, equity: float
) -> Candidate | None:
    """Of branches down to a depth that bet with hands of mean equity `equity` or less, the best by
    what their bets earn a game.

    Two conditions come first: a bet or raise in `least` of all cases or more; it gains over
    checking or calling, the interval included.
    """
    gain, bets = bet_gain(sums, slice(None)), np.nan_to_num(shares(sums))[:, CALL + 1 :].sum(axis=1)
    allowed = (
        (ratio(sums.equity, sums.chance).mean <= equity)
        & (node_depths(model) <= deepest)
        & (bets > 0)
    )
    met = (bets >= least).astype(int) + (gain.mean > gain.ci95)
    earned = sums.earned[:, :, CALL + 1 :].sum(axis=2).mean(axis=0)
    return max(
        (Candidate(int(met[k]), float(earned[k]), k) for k in np.flatnonzero(allowed).tolist()),
        default=None,
    )


def best_question(
    sums: BranchSums, model: DecisionTree, names: Sequence[str], *, deepest: int, least: float
) -> Candidate | None:
    """The best question about the cards whose two answers lead to different actions, each the
    better one there.

    names: of the features. Two conditions for each answer come before what that earns: its
    likeliest action is taken in `least` of all cases or more, and earns more there than the other
    answer's would, the interval included.
    """
    share, found = np.nan_to_num(shares(sums)), list[Candidate]()
    likeliest, depths = share.argmax(axis=1), node_depths(model)
    for node in np.flatnonzero(
        (model.feature >= 0) & (depths < deepest) & (sums.chance.sum(axis=0) > 0)
    ).tolist():
        left, right = int(model.left[node]), int(model.right[node])
        if "equity" not in names[model.feature[node]] or likeliest[left] == likeliest[right]:
            continue
        met, earned = 0, 0.0
        for here, there in ((left, right), (right, left)):
            better = advantage(sums, here, likeliest[here], likeliest[there])
            met += int(share[here].max() >= least) + int(better.mean > better.ci95)
            earned += float(np.nan_to_num(better.mean)) * sums.chance[:, here].mean()
        found.append(Candidate(met, earned, node))
    return max(found, default=None)


def followers(
    policy: ModelPolicy, theirs: Policy, board: Sequence[int], street: int, branch: int
) -> tuple[int, np.ndarray, np.ndarray]:
    """The hands of one board (five cards) that a branch of a street's tree takes, on the betting
    line on which most come there.

    Returns the line's node of the betting tree, the holes (m,) by equity, and their equities (m,).
    """
    played, (leaves, equity) = (
        action_values(policy.tree, policy, theirs, board),
        _leaves(policy, street, board),
    )
    _, nodes, history = policy.betting_inputs[street]
    inside, actor = below(policy.models[street], branch)[leaves][history], policy.tree.actor[nodes]
    others = played.others[actor, nodes]
    chance = (played.own[actor, nodes] * others * inside).sum(axis=1)
    if not chance.max() > 0:
        raise ValueError(
            f"branch {branch} of street {street}: no hand of board {list(board)} comes there"
        )
    i = int(chance.argmax())
    holes = np.flatnonzero(inside[i] & (others[i] > 0) & (played.own[0, 0] > 0))
    holes = holes[np.argsort(equity[holes], kind="stable")]
    return int(nodes[i]), holes, equity[holes]


def bet_sizes(betting: str) -> list[int]:
    """Dollars of up to 25 bets after a line, even in their ratios: from a tenth of the pot, or the
    least bet, to all-in.
    """
    state = state_after(betting)
    (pot, _), (least, most) = pot_and_call(state), legal_raises(state)
    return sorted({round(size) for size in np.geomspace(max(least, pot / 10), most, 25)})


def continuing(
    agent: Agent, holes: np.ndarray, board: Sequence[int], betting: str, bets: Sequence[int]
) -> np.ndarray:
    """The chance that holes (n,) do not fold to each of some bets, in dollars, after a line; (n,
    n_bets) float64.
    """
    state, found = state_after(betting), []
    for bet in bets:
        line = longer(betting, state, ("raise", bet))
        fold = list(agent.legal(line)).index("fold")
        found.append(1 - agent.probabilities(holes, board, line)[:, fold])
    return np.stack(found, axis=1)
