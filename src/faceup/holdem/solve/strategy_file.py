"""The average strategy as a file: what self-play leaves and every later stage reads.

An .npz of plain arrays: `preflop`, `flop`, `turn`, `river` (n_groups, width) float32 probabilities,
`groups_flop` and `groups_turn` int32 (see solve/groups.py) and `n_groups` (4,). The betting tree is not
stored: it follows from params.yaml, and a file that does not fit the tree is refused.
"""

import os
from pathlib import Path

import numpy as np

from faceup.cards.cards import N_CLASSES, canonical_boards
from faceup.holdem.betting.betting_tree import STREETS, BettingTree, columns, decisions, line_text
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.notebook.storage import load_npz, save_npz

SUM_TOLERANCE = 1e-3


def save_strategy(path: str | os.PathLike, policy: TablePolicy) -> None:
    """Write a table policy, whole or not at all."""
    groups = policy.groups
    tables = dict(zip(STREETS, policy.tables, strict=True))
    numbers = np.array(groups.n_groups, dtype=np.int64)
    save_npz(path, **tables, groups_flop=groups.flop, groups_turn=groups.turn, n_groups=numbers)


def load_strategy(path: str | os.PathLike, tree: BettingTree) -> TablePolicy:
    """Read and check a strategy for a tree.

    Raises ValueError naming the file where it is missing, damaged or of another tree.
    """
    name = Path(path).name
    try:
        arrays = load_npz(path)
    except FileNotFoundError as error:
        raise ValueError(f"{name}: there is no such file, expected what self-play saves") from error
    except Exception as error:  # zipfile and numpy raise a dozen kinds for damaged bytes
        raise ValueError(f"{name}: cannot be read ({error}), expected what self-play saves") from error
    if missing := [key for key in (*STREETS, "groups_flop", "groups_turn", "n_groups") if key not in arrays]:
        raise ValueError(f"{name}: holds no {', '.join(missing)}, expected the arrays that self-play saves")
    groups = _checked_groups(name, arrays)
    tables = tuple(np.ascontiguousarray(arrays[street]) for street in STREETS)
    for street, table in enumerate(tables):
        _check_table(name, tree, street, table, groups.n_groups[street])
    return TablePolicy(tables, groups)


def _checked_groups(name: str, arrays: dict[str, np.ndarray]) -> Groups:
    numbers = arrays["n_groups"]
    whole = numbers.shape == (4,) and numbers.dtype.kind in "iu"
    if not whole or numbers[0] != N_CLASSES or numbers[3] != N_RIVER_GROUPS:
        expected = f"[{N_CLASSES}, flop, turn, {N_RIVER_GROUPS}]"
        raise ValueError(f"{name}: n_groups is {numbers.tolist()}, expected {expected}")
    for street, n_cards in ((1, 3), (2, 4)):
        key = f"groups_{STREETS[street]}"
        ids, shape = arrays[key], (len(canonical_boards(n_cards).keys), 1326)
        if ids.shape != shape or ids.dtype != np.int32:
            raise ValueError(f"{name}: {key} is {ids.dtype} of shape {ids.shape}, expected int32 of {shape}")
        if ids.min() < -1 or ids.max() >= numbers[street]:
            said = f"{key} holds groups from {ids.min()} to {ids.max()}"
            raise ValueError(f"{name}: {said}, expected from -1 to {numbers[street] - 1}")
    return Groups(arrays["groups_flop"], arrays["groups_turn"], tuple(numbers.tolist()))


def _check_table(name: str, tree: BettingTree, street: int, table: np.ndarray, n_groups: int) -> None:
    """Raises ValueError unless a table holds probabilities for each group at each decision of its street."""
    key, shape = STREETS[street], (n_groups, int(np.diff(tree.street_start)[street]))
    if table.shape != shape or table.dtype != np.float32:
        said = f"{key} is {table.dtype} of shape {table.shape}"
        raise ValueError(f"{name}: {said}, expected float32 of {shape}: is it of other betting parameters?")
    wrong = ~((table >= 0) & (table <= 1))  # also true for nan
    if wrong.any():
        raise ValueError(f"{name}: {key} holds {table[wrong][0]}, expected probabilities from 0 to 1")
    for node in decisions(tree, street):
        total = table[:, columns(tree, node)].sum(axis=1)
        worst = int(np.abs(total - 1).argmax())
        if abs(total[worst] - 1) > SUM_TOLERANCE:
            place = f"{key}, after '{line_text(tree, int(node))}', group {worst}"
            raise ValueError(f"{name}: {place}: probabilities sum to {total[worst]:.6f}, expected 1")
