"""From a tree to sentences: each way from the root to a leaf is a rule, "if ... and ..., then ...".

Conditions on the same feature on one path are one condition with a lower and an upper end. Features are named by phrases such
as "the opponent's chance of at or below your card", and a condition reads "0.2 < phrase <= 0.8".

The paper's two rules (Ganzfried and Yusuf, Section 4) are here too, as corrections of any strategy of the one-card game.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from faceup.trees.trees import DecisionTree

STRONG_CARDS = 4  # the paper's cards 7 to 10: its tree splits on the opponent's cdf at card 6


class Path(NamedTuple):
    """A leaf and how rows come there."""

    bounds: dict[int, tuple[float, float]]  # feature -> (lower, upper): lower < x <= upper, either may be infinite
    value: np.ndarray  # (n_labels,) of the leaf
    share: float  # of the weight of all rows


def paths(tree: DecisionTree) -> list[Path]:
    """All leaves of a tree from left to right."""
    return list(_paths(tree))


def _paths(tree: DecisionTree) -> Iterator[Path]:
    waiting: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
    while waiting:
        node, bounds = waiting.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            yield Path(bounds, tree.value[node], float(tree.weight[node] / tree.weight[0]))
            continue
        low, high = bounds.get(feature, (-np.inf, np.inf))
        threshold = float(tree.threshold[node])
        waiting.append((int(tree.right[node]), bounds | {feature: (max(low, threshold), high)}))
        waiting.append((int(tree.left[node]), bounds | {feature: (low, min(high, threshold))}))


def condition(bounds: tuple[float, float], name: str, digits: int = 2) -> str:
    """One feature's condition, e.g. "0.20 < your card <= 0.80"."""
    low, high = bounds
    left = f"{short(low, digits)} < " if np.isfinite(low) else ""
    right = f" <= {short(high, digits)}" if np.isfinite(high) else ""
    return f"{left}{name}{right}" if right else f"{name} > {short(low, digits)}"


def short(x: float, digits: int = 2) -> str:
    """A number with so many digits, or with more where these would make a whole number of it: 0.9999 is not 1.00."""
    text = f"{x:.{digits}f}"
    whole = float(text).is_integer() and not float(x).is_integer()
    return short(x, digits + 1) if whole and digits < 9 else text


def sentence(path: Path, feature_names: Sequence[str], action: str, digits: int = 2) -> str:
    """A path in words. Raises ValueError for a feature without a name."""
    unknown = [feature for feature in path.bounds if feature >= len(feature_names)]
    if unknown:
        raise ValueError(f"feature {unknown[0]} has no name: expected {len(feature_names)} features")
    conditions = [condition(bounds, feature_names[feature], digits) for feature, bounds in path.bounds.items()]
    return f"If {' and '.join(conditions)}, then {action}." if conditions else f"Always {action}."


def beaten(other: np.ndarray) -> np.ndarray:
    """Share (n, 10) of the opponent's possible hands that each card beats, that card itself not among them."""
    below, above = np.cumsum(other, axis=1) - other, 1 - np.cumsum(other, axis=1)
    return below / np.maximum(below + above, 1e-300)


def with_80_20_rule(strategies: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Strategies (n, 10, 31) in which cards that beat 20 % to 80 % of the opponent's check (the paper's first rule)."""
    share = beaten(other)
    return _with(strategies, (share >= 0.2) & (share <= 0.8), 0)


def with_all_in_rule(strategies: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Strategies (n, 10, 31) in which cards that beat 95 % of the opponent's go all-in (the paper's second rule).

    That is where the opponent's cards are strong, 7 to 10, at least 10 % of the time.
    """
    strong = other[:, -STRONG_CARDS:].sum(axis=1) >= 0.1
    return _with(strategies, (beaten(other) >= 0.95) & strong[:, None], strategies.shape[2] - 1)


def _with(strategies: np.ndarray, ruled: np.ndarray, size: int) -> np.ndarray:
    only = np.zeros(strategies.shape[2])
    only[size] = 1
    return np.where(ruled[:, :, None], only, strategies)
