"""CFR-BR shared out over processes: the same bytes on any number.

All ranks call this with the same arguments, and all get the whole result. So it is with the argument `ranks` of best responses
over flops (solve/best_response) and of exact matches over boards (play/match). In a notebook `stored` gives that argument.
"""

from collections.abc import Callable

from faceup.holdem.safe.game import SafeGame, SafeState, learn
from faceup.holdem.scale.sums import Batch, Sums, Tables, checked, fits
from faceup.notebook.ranks import Ranks, all_threads


def learn_safely(
    run: SafeGame, state: SafeState, iterations: int, batch: Batch, progress: Callable[[int], None] = lambda done: None,
    ranks: Ranks | None = None,
) -> SafeState:  # fmt: skip
    """As `learn` of safe/game, from batches of turn boards. A batch of 1 is what that one does.

    Rank 0 plays batches alone that are too small for all. Raises ValueError unless batch and part are powers of two,
    ConnectionError where a rank is lost.
    """
    ranks = ranks or Ranks()
    if not fits(batch, ranks.size):
        copies = [tuple(table.copy() for table in tables) for tables in state[:3]]
        run.state = SafeState(copies[0], copies[1], copies[2], state.iteration + iterations)
        if ranks.rank == 0:
            with all_threads():
                learn_safely(run, state, iterations, batch, progress)
        for table in (*run.state.regrets, *run.state.averages, *run.state.opponent):
            ranks.broadcast(table)
        return run.state
    if batch.boards == 1:
        return learn(run, state, iterations, progress)
    batch = checked(batch, ranks.size)
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
