"""Best responses, matches and CFR-BR of toys on all ranks: torchrun .. toy_shared.py FOLDER. Each rank leaves what it got."""

import sys
from pathlib import Path

import numpy as np
from games import PUSH, SMALL, RandomPolicy

from faceup.holdem.play.match import Table, play_boards, random_boards
from faceup.holdem.safe.game import SafeGame
from faceup.holdem.safe.learners import Levels
from faceup.holdem.scale.cfr_br import learn_safely
from faceup.holdem.scale.sums import Batch
from faceup.holdem.solve.best_response import Responder, answer_flops
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.notebook.ranks import Ranks, joined
from faceup.notebook.storage import save_npz

FLOPS = np.array([[0, 1, 2], [48, 49, 50], [0, 1, 2]])  # suits are folded: few turns and rivers
BOARDS = random_boards(5, 1)
IDS = [((7 * np.arange(1326)[None] + np.arange(n)[:, None]) % 20).astype(np.int32) for n in (1755, 16_432)]
GROUPS = Groups(*IDS, (169, 20, 20, N_RIVER_GROUPS))


def responder() -> Responder:
    return Responder(PUSH, RandomPolicy(PUSH, 1), np.full((169, 169), 0.4))


def table() -> Table:
    return Table(SMALL, [RandomPolicy(SMALL, k) for k in range(2)])


def game() -> SafeGame:
    tables = [np.resize(t, (n, t.shape[1])) for n, t in zip(GROUPS.n_groups, RandomPolicy(SMALL, 3).tables, strict=True)]
    levels = Levels(SMALL, TablePolicy(tuple(tables), GROUPS), IDS[1] % 15, 9)
    return SafeGame(SMALL, levels, levels, np.zeros((169, 169)), rivers=2, first=0, warm=1.0, seed=5)


def arrays(*results: object) -> list[np.ndarray]:
    """All arrays in nested tuples and lists."""
    return [a for result in results for a in ([result] if isinstance(result, np.ndarray) else arrays(*result))]  # type: ignore[misc]


def found(ranks: Ranks) -> list[np.ndarray]:
    """All that the toys give."""
    run = game()
    alone = learn_safely(run, run.state, 1, Batch(1, 1), ranks=ranks)
    state = learn_safely(run, learn_safely(run, alone, 3, Batch(4, 1), ranks=ranks), 6, Batch(4, 1), ranks=ranks)
    answers = answer_flops(responder(), FLOPS, ranks=ranks)
    played = play_boards(table(), BOARDS, ranks=ranks), play_boards(table(), BOARDS, 30, 2, ranks=ranks)
    return arrays(answers, played, alone[:3], state[:3])


if __name__ == "__main__":
    with joined() as ranks:
        save_npz(Path(sys.argv[1]) / f"{ranks.rank}.npz", **{f"a{k:02d}": array for k, array in enumerate(found(ranks))})
