"""95 % intervals of means of independent draws."""

from typing import Any

import numpy as np
from scipy.special import stdtrit


def student_95(n: int) -> float:
    """Standard errors in half a 95 % interval of a mean of n draws: 4.30 for 3, 2.31 for 9, 1.98
    for 100, inf for one.
    """
    return float(stdtrit(n - 1, 0.975)) if n > 1 else np.inf


def mean_ci95(values: np.ndarray) -> tuple[Any, Any]:
    """Means over axis 0 of draws (n, ...), and half of their 95 % intervals: inf for one draw.
    Floats for draws (n,).
    """
    n = len(values)
    spread = values.std(axis=0, ddof=1) if n > 1 else np.ones(values.shape[1:])
    return values.mean(axis=0), student_95(n) * spread / np.sqrt(n)
