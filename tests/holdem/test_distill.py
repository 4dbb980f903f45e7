"""Training street by street: disjoint boards, the same models on any number of threads."""

from functools import partial

import numpy as np
import pytest

from faceup.cards.cards import canonical
from faceup.holdem.distill import fit_streets, on_boards, prune_and_refit, split_boards
from faceup.holdem.samples import TrainingSamples
from faceup.trees.cart import fit_cart
from faceup.trees.tree import n_leaves
from faceup.util.rng import rng

grow = partial(fit_cart, max_depth=4, min_rows=5, stream=partial(rng, 1, "test"))


def some_rows(seed: int, n: int = 600, n_boards: int = 6) -> TrainingSamples:
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.random((n, 2)), rng.choice([0, 100, 300], (n, 4))], axis=1).astype(
        np.float32
    )
    P = (
        rng.dirichlet([1, 1, 1], n) / 4
        + 0.75 * np.eye(3)[(2 * X[:, 0] + X[:, -1] / 300).astype(int).clip(0, 2)]
    )
    weights, boards = rng.exponential(size=n), np.repeat(np.arange(n_boards), n // n_boards)
    return TrainingSamples(X, P.astype(np.float32), weights, boards, 0 * P, boards, boards)


def cart(rows: TrainingSamples):
    return grow(rows.X, rows.P, rows.w)


def same(one, two) -> bool:
    """Whether two trees, or sets of rows, hold the same."""
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("n,share", [(400, 0.2), (300, 0.5), (10, 0.01)])
def test_no_flop_is_in_two_parts(n, share):
    """Up to suits: validation boards come first, then those of training, then those of the test."""
    deals = np.array([np.random.default_rng([9, k]).permutation(52)[:5] for k in range(n + 340)])
    dealt, more = np.split(deals, [n])
    valid, rest = np.split(dealt, [max(2, round(share * n))])

    def without(boards, others):
        used = {canonical(board[:3])[0] for board in np.array(others).tolist()}
        return [board for board in boards.tolist() if canonical(board[:3])[0] not in used]

    train = without(rest, valid)
    test = without(more, [*valid, *train])
    split = split_boards(dealt, share, more)
    parts = [split.boards[part].tolist() for part in split[1:]]
    assert parts == [valid.tolist(), train, test] and len(split.boards) == sum(map(len, parts))
    assert n < 400 or (n / 2 < len(train) < len(rest) and 0 < len(test) < len(more)), (
        "some flops come twice"
    )


def test_a_split_without_boards_for_a_part_is_refused():
    deals = np.array([np.random.default_rng([9, k]).permutation(52)[:5] for k in range(9)])
    with pytest.raises(ValueError, match="held_out is 0.2 of 2 boards, expected boards left"):
        split_boards(deals[:2], 0.2, deals[2:])
    with pytest.raises(ValueError, match="1 more boards, expected some with flops of their own"):
        split_boards(deals, 0.2, deals[:1])


def test_rows_of_some_boards_have_weights_of_mean_one():
    rows = some_rows(1)
    part = on_boards(rows, [0, 3])
    whole = TrainingSamples(*(np.concatenate([c[:100], c[300:400]]) for c in rows))
    assert part.w == pytest.approx(whole.w / whole.w.mean())
    assert same(part._replace(w=whole.w), whole)


def test_rounds_come_back_in_order_and_as_if_trained_alone():
    rounds, seen = [some_rows(seed) for seed in range(4)], []
    models = fit_streets([grow] * 4, rounds, seen.append)
    assert all(same(model, cart(rows)) for rows, model in zip(rounds, models, strict=True))
    assert seen == [1, 2, 3, 4]


def sized_rows(seed: int, n: int = 4000) -> TrainingSamples:
    """Equity, own bets, button, bet faced, stack; folds fall with equity, alike for any size."""
    rng = np.random.default_rng(seed)
    own = np.stack(
        [rng.choice([100, 300], n), rng.choice([0, 600], n), 0 * np.ones(n), 0 * np.ones(n)], axis=1
    )
    stack = (20_000 - own.sum(axis=1)) / (2 * own.sum(axis=1))
    faced = np.where(rng.random(n) < 0.2, stack, rng.choice([0.5, 1, 2], n))
    X = np.concatenate(
        [rng.random((n, 1)), own, rng.integers(2, size=(n, 1)), faced[:, None], stack[:, None]],
        axis=1,
    )
    fold = (1 - X[:, 0] + rng.normal(0, 0.3, n)).clip(0, 1) * rng.choice([0.5, 1], n)
    P = np.stack([fold, (1 - fold) * 0.7, (1 - fold) * 0.3], axis=1).astype(np.float32)
    boards, costs = np.repeat(np.arange(8), n // 8), rng.exponential(size=(n, 3))
    return TrainingSamples(X.astype(np.float32), P, np.ones(n), boards, costs, boards, boards)


def test_finished_trees_are_small_and_never_fold_less_to_a_larger_bet():
    train, valid = ([sized_rows(seed + k) for k in range(4)] for seed in (20, 30))
    trees = [grow(r.X, r.P, r.w, max_depth=9, min_rows=10) for r in train]
    small, smaller = (
        prune_and_refit(trees, train, valid, 0.5, tolerance) for tolerance in (0.0, 0.02)
    )
    assert n_leaves(small[0]) == n_leaves(trees[0]), "all of its rows are there"
    for tree, before, after, rows in zip(trees[1:], small[1:], smaller[1:], train[1:], strict=True):
        assert n_leaves(tree) > n_leaves(before) > n_leaves(after) > 1
        asked = np.repeat(rows.X[None, :300], 8, axis=0)
        asked[:, :, 6] = np.minimum(np.geomspace(0.1, 60, 8)[:, None], asked[0, :, 7])
        folds = [np.stack([t.predict(X)[:, 0] for X in asked]) for t in (tree, after)]
        assert np.diff(folds[0], axis=0).min() < -0.02 and np.diff(folds[1], axis=0).min() > -1e-5
