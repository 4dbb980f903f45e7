"""Best responses over flops, exact matches over boards and CFR-BR, shared out over processes: the same bytes on any number.

All ranks call these with the same arguments, between `with joined() as ranks:` and the end, and all get the whole result.
"""

from collections.abc import Callable, Sequence

import numpy as np

from faceup.cards.cards import N_CLASSES
from faceup.holdem.play.match import Table, _random_subset
from faceup.holdem.safe.game import SafeGame, SafeState, learn
from faceup.holdem.scale.ranks import Ranks
from faceup.holdem.scale.sums import Batch, Sums, Tables, checked
from faceup.holdem.solve.best_response import FlopValues, Responder


def answer_flops(
    responder: Responder, flops: np.ndarray, ranks: Ranks, progress: Callable[[int], None] = lambda done: None
) -> tuple[list[FlopValues], np.ndarray]:
    """As `answer_flops` of solve/best_response. Raises ConnectionError where a rank is lost."""
    distinct, where, times = np.unique(flops, axis=0, return_inverse=True, return_counts=True)
    total = responder.leaks

    def work(k: int) -> np.ndarray:
        responder.leaks = np.zeros_like(total)
        found = responder.flop(distinct[k].tolist(), int(times[k]))
        return np.concatenate([array.ravel() for array in (*found, responder.leaks)])

    n, values = N_CLASSES * len(responder._frontier[0]), []
    ends = np.cumsum([2 * n, 2 * n, 3 * N_CLASSES, N_CLASSES, total.size])
    for k, numbers in enumerate(ranks.in_order(len(distinct), ends[-1], work)):
        value, luck, leaks, pairs, more = np.split(numbers, ends[:-1])
        by_node = value.reshape(2, -1, N_CLASSES), luck.reshape(2, -1, N_CLASSES)
        values.append(FlopValues(*by_node, leaks.reshape(3, N_CLASSES), pairs))
        total += more.reshape(total.shape)
        progress(int(times[: k + 1].sum()))
    responder.leaks = total
    return [values[k] for k in where.reshape(-1)], total


def play_boards(
    table: Table, boards: Sequence[Sequence[int]], ranks: Ranks, subset_size: int | None = None, seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:  # fmt: skip
    """As `play_boards` of play/match. Raises ConnectionError where a rank is lost."""

    def work(k: int) -> np.ndarray:
        subset = None if subset_size is None else _random_subset(boards[k], subset_size, seed, k)
        return table.play(boards[k], subset).ravel()

    n, out = len(table.policies), []
    for numbers in ranks.in_order(len(boards), n * n, work):
        out.append(numbers.reshape(n, n))
        progress(len(out))
    return np.array(out)


def learn_safely(
    run: SafeGame, state: SafeState, iterations: int, batch: Batch, ranks: Ranks,
    progress: Callable[[int], None] = lambda done: None,
) -> SafeState:  # fmt: skip
    """As `learn` of safe/game, from batches of turn boards. A batch of 1 is what that one does.

    Raises ValueError where the batch does not fit the ranks, ConnectionError where one is lost.
    """
    if checked(batch, ranks.size).boards == 1:
        return learn(run, state, iterations, progress)
    known, n = (*state.regrets, *state.opponent), len(state.regrets)
    sums = Sums(known, state.averages, batch, ranks)
    sums.set(known, state.averages)

    def play(iteration: int, added: Tables) -> None:
        """Learn from one board on copies. Regrets lose a last digit there, as they do when they are added one by one."""
        learnt = tuple(table.copy() for table in sums.known)
        run.state = SafeState(learnt[:n], added[len(learnt) :], learnt[n:], iteration)
        run.advance(1)
        for total, after, before in zip(added, learnt, sums.known, strict=False):
            total += after - before

    first, end = state.iteration, state.iteration + iterations
    while first < end:
        done = min(end, first - first % batch.boards + batch.boards)
        sums.add(first, done, play)
        progress(done - state.iteration)
        first = done
    sums.gather()
    run.state = SafeState(sums.known[:n], sums.kept, sums.known[n:], end)
    return run.state
