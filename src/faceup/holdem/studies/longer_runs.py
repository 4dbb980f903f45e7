"""What longer training should bring, from what a best response wins after each stop, for the study `longer_runs`."""

from collections.abc import Sequence

import numpy as np

from faceup.holdem.solve.best_response import Exploitability, _jackknife_ci95


def power_law(boards: Sequence[int], losses: np.ndarray, ahead: np.ndarray | float) -> np.ndarray:
    """What a straight line through logarithms says of `ahead` boards; losses (stops, ...) mbb/g after so many boards (stops,)."""
    slope, height = np.polyfit(np.log(boards), np.log(losses), 1)
    return np.exp(height + slope * np.log(ahead))


def forecast(boards: Sequence[int], runs: Sequence[Exploitability], ahead: float) -> tuple[float, float, float]:
    """A power law's mbb/g after `ahead` boards, and both ends of its 95 % interval by the jackknife over the runs' flops."""
    without = np.log(power_law(boards, np.array([run.without for run in runs]), ahead))
    said, factor = power_law(boards, np.array([run.mbb for run in runs]), ahead), np.exp(_jackknife_ci95(without))
    return float(said), float(said / factor), float(said * factor)


def as_in_the_last_doubling(boards: Sequence[int], runs: Sequence[Exploitability], ahead: np.ndarray | float) -> np.ndarray:
    """mbb/g after `ahead` boards if each further doubling gains the share that the last two stops gained."""
    return power_law(boards[-2:], np.array([run.mbb for run in runs[-2:]]), ahead)
