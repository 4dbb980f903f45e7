"""What a decision tree does in each of its branches, and what that earns (paper 000, Section 5).

A tree agent plays another policy in both seats on many boards. Every decision that it meets falls into one leaf of its street's
tree, so that all that happens can be summed leaf by leaf, and branch by branch: how often play comes there, with hands how
strong, which action is taken, and what each legal action would have earned. Branches that bluff and questions that pay are then
found by what they do. Who folds to a bet should not call a larger one with the same hand: `continuing` asks an agent.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, STREETS
from faceup.cards.features import board_features
from faceup.holdem.action_values import ActionValues, action_values
from faceup.holdem.board import N_PAIRS
from faceup.holdem.lines import longer, state_after
from faceup.holdem.policy import Agent, ModelPolicy, Policy, pairs_of
from faceup.holdem.rules import CALL, FOLD, legal_raises, pot_and_call
from faceup.holdem.tree import BettingTree, children
from faceup.lab.stats import student_95
from faceup.trees.tree import DecisionTree, add_up, below, leaf_of, node_depths

N_BINS = 20  # of equity


class BranchSums(NamedTuple):
    """Sums over the play of each board, for every node of one street's tree; K labels.

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

    def bets(self) -> tuple[np.ndarray, np.ndarray]:
        """Chance that a bet or raise of any size is taken, and what it gains, (n_boards, n) each."""
        return self.taken[:, :, CALL + 1 :].sum(axis=2), self.earned[:, :, CALL + 1 :].sum(axis=2)


def branch_sums(
    policy: ModelPolicy, theirs: Policy, boards: Sequence[Sequence[int]], progress: Callable[[int], None] = lambda done: None
) -> list[BranchSums]:
    """Let decision trees play `theirs` on boards (n, 5) as dealt; one result a street."""
    tree, n_labels = policy.tree, len(policy.tree.labels)
    sums = [np.zeros((len(model.feature), len(boards), 2 + 5 * n_labels)) for model in policy.models]
    strength = [np.zeros(len(model.feature) * N_BINS) for model in policy.models]
    for b, board in enumerate(boards):
        played = action_values(tree, policy, theirs, board)
        for street, (_, nodes, history) in enumerate(policy.histories):
            leaves, equity = _leaves(policy, street, board)
            bins = np.minimum((equity * N_BINS).astype(np.int64), N_BINS - 1)
            for node, leaf in zip(nodes.tolist(), leaves[history], strict=True):
                columns = _columns(tree, node, played, equity)
                sums[street][:, b] += np.stack([np.bincount(leaf, column, len(sums[street])) for column in columns], axis=1)
                strength[street] += np.bincount(leaf * N_BINS + bins, columns[0], len(strength[street]))
        progress(b + 1)
    found = []
    for model, of_node, of_bin in zip(policy.models, sums, strength, strict=True):
        total = np.moveaxis(add_up(model.left, model.right, of_node), 2, 0).swapaxes(1, 2)  # (2 + 5 K, n_boards, n)
        strengths = add_up(model.left, model.right, of_bin.reshape(-1, N_BINS))
        legal, gain, taken, earned, folded = np.moveaxis(total[2:].reshape(5, n_labels, *total.shape[1:]), 1, 3)
        found.append(BranchSums(total[0], total[1], legal, gain, taken, earned, folded, strengths))
    return found


def _leaves(policy: ModelPolicy, street: int, board: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each betting history and hole, (n_histories, 1326) int32, and the holes' equities on a street (1326,)."""
    hands = board_features(street, policy.tables[street], [int(c) for c in board[: BOARD_CARDS[street]]])
    x = pairs_of(hands, policy.histories[street].features)
    return leaf_of(policy.models[street], x).reshape(-1, len(hands)), hands[:, 0]


def _columns(tree: BettingTree, node: int, played: ActionValues, equity: np.ndarray) -> np.ndarray:
    """What `BranchSums` sums, of one decision and each hole: (2 + 5 K, 1326)."""
    columns, player = np.zeros((2 + 5 * len(tree.labels), len(equity))), tree.actor[node]
    of_label = columns[2:].reshape(5, len(tree.labels), -1)
    own = played.own[player, node] / (2 * N_PAIRS)  # of two seats and all pairs of holes
    chance = own * played.others[player, node]
    columns[:2] = chance, chance * equity
    called = next(played.value[player, c] for c in children(tree, node) if tree.label[c] == CALL)
    for child in children(tree, node):
        gain, share, answer = own * (played.value[player, child] - called), played.share[child], tree.first_child[child]
        of_label[:4, tree.label[child]] = chance, gain, chance * share, gain * share
        if tree.n_children[child] and tree.label[answer] == FOLD and tree.actor[child] != player:
            of_label[4, tree.label[child]] = own * share * played.others[player, answer]
    return columns


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


def gains(sums: BranchSums, node: int) -> Mean:
    """What each label (K,) would gain over checking or calling, in dollars, with the hands of a branch."""
    return ratio(sums.gain[:, node], sums.legal[:, node])


def shares(sums: BranchSums) -> np.ndarray:
    """How often each action is taken in each branch, (n, K); NaN where play never came."""
    return ratio(sums.taken, sums.chance[:, :, None]).mean


def bet_gain(sums: BranchSums, node: int) -> Mean:
    """What the bets and raises that a branch takes gain over checking or calling, dollars each."""
    taken, earned = sums.bets()
    return ratio(earned[:, node], taken[:, node])


def advantage(sums: BranchSums, node: int, label: int, other: int) -> Mean:
    """What a label earns more than another in a branch, in dollars, where both are legal."""
    count = np.minimum(sums.legal[:, node, label], sums.legal[:, node, other])
    return ratio(sums.gain[:, node, label] - sums.gain[:, node, other], count)


class Ranking(NamedTuple):
    """Branches of one street's tree, the best first."""

    nodes: np.ndarray  # (m,) int64
    met: np.ndarray  # (m,) int64 how many of the conditions each meets
    earned: np.ndarray  # (m,) dollars a game
    conditions: int


def _ranked(met: np.ndarray, earned: np.ndarray, allowed: np.ndarray) -> Ranking:
    """Allowed branches (n,) bool by conditions met (n_conditions, n), then by what they earn; ties by number."""
    nodes, count = np.flatnonzero(allowed), met.sum(axis=0)
    order = nodes[np.lexsort((nodes, -earned[nodes], -count[nodes]))]
    return Ranking(order, count[order], earned[order], len(met))


def bluffs(sums: BranchSums, model: DecisionTree, *, deepest: int, least: float, equity: float) -> Ranking:
    """Branches down to a depth that bet with hands of mean equity `equity` or less, by what their bets earn a game.

    Conditions: a bet or raise in `least` of all cases or more; it gains over checking or calling, the interval included.
    """
    taken, earned = sums.bets()
    gain, weak = ratio(earned, taken), ratio(sums.equity, sums.chance).mean <= equity
    met = np.stack([ratio(taken, sums.chance).mean >= least, gain.mean > gain.ci95])
    return _ranked(met, earned.mean(axis=0), weak & (node_depths(model) <= deepest) & (taken.sum(axis=0) > 0))


def questions(sums: BranchSums, model: DecisionTree, names: Sequence[str], *, deepest: int, least: float) -> Ranking:
    """Questions about the cards whose two answers lead to different actions, each the better one there, by what that earns.

    names: of the features. The likeliest action of each answer is taken in `least` of all cases or more, and earns more there
    than the other answer's would, the interval included (two conditions for each answer).
    """
    share, left, right = np.nan_to_num(shares(sums)), model.left, model.right
    likeliest = share.argmax(axis=1)
    about_cards = np.array(["equity" in name for name in names])[model.feature] & (model.feature >= 0)
    allowed = about_cards & (node_depths(model) < deepest) & (likeliest[left] != likeliest[right]) & (sums.chance.sum(axis=0) > 0)
    met, earned = np.zeros((4, len(left)), dtype=bool), np.zeros(len(left))
    for node in np.flatnonzero(allowed):
        for i, (here, there) in enumerate(((left[node], right[node]), (right[node], left[node]))):
            better = advantage(sums, here, likeliest[here], likeliest[there])
            met[2 * i : 2 * i + 2, node] = share[here].max() >= least, better.mean > better.ci95
            earned[node] += np.nan_to_num(better.mean) * sums.chance[:, here].mean()
    return _ranked(met, earned, allowed)


def best(found: Sequence[Ranking]) -> tuple[int, int]:
    """(street, node) of the best branch of all streets: most conditions met, then earned. Raises ValueError where none is."""
    street = max((s for s, f in enumerate(found) if len(f.nodes)), key=lambda s: (found[s].met[0], found[s].earned[0], -s))
    return street, int(found[street].nodes[0])


class Followers(NamedTuple):
    """The hands of a board that follow a branch, on the betting line on which most of them come there."""

    line: int  # node of the betting tree
    holes: np.ndarray  # (m,) those that the branch takes there, by equity
    equity: np.ndarray  # (m,)


def followers(policy: ModelPolicy, theirs: Policy, board: Sequence[int], street: int, branch: int) -> Followers:
    """The hands of one board (five cards) that a branch of a street's tree takes, on its likeliest line.

    Raises ValueError where no hand of the board can come there.
    """
    played, (leaves, equity) = action_values(policy.tree, policy, theirs, board), _leaves(policy, street, board)
    _, nodes, history = policy.histories[street]
    inside, actor = below(policy.models[street], branch)[leaves][history], policy.tree.actor[nodes]
    others = played.others[actor, nodes]
    chance = (played.own[actor, nodes] * others * inside).sum(axis=1)
    i = int(chance.argmax())
    if not chance[i] > 0:
        raise ValueError(f"branch {branch} of the {STREETS[street]}: no hand of board {list(board)} comes there")
    holes = np.flatnonzero(inside[i] & (others[i] > 0) & (played.own[0, 0] > 0))
    holes = holes[np.argsort(equity[holes], kind="stable")]
    return Followers(int(nodes[i]), holes, equity[holes])


def bet_sizes(betting: str, n: int = 25) -> list[int]:
    """Dollars of up to n bets after a line, even in their ratios: from a tenth of the pot, or the least bet, to all-in."""
    state = state_after(betting)
    (pot, _), (least, most) = pot_and_call(state), legal_raises(state)
    return sorted({round(size) for size in np.geomspace(max(least, pot / 10), most, n)})


def continuing(agent: Agent, holes: np.ndarray, board: Sequence[int], betting: str, bets: Sequence[int]) -> np.ndarray:
    """The chance that holes (n,) do not fold to each of some bets, in dollars, after a line; (n, n_bets) float64."""
    state, found = state_after(betting), []
    for bet in bets:
        line = longer(betting, state, ("raise", bet))
        fold = list(agent.legal(line)).index("fold")
        found.append(1 - agent.probabilities(holes, board, line)[:, fold])
    return np.stack(found, axis=1)


def largest_rises(chances: np.ndarray) -> np.ndarray:
    """How much each hand's chances (n, n_bets) rise at most from one bet to the next larger, (n,); 0 where they fall."""
    return np.diff(chances, axis=1).max(axis=1, initial=0)
