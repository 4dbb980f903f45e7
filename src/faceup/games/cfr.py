"""Counterfactual regret minimisation on extensive games: CFR, CFR+, LCFR, DCFR and PCFR+ as
settings of one update.

Regret matching plays actions in proportion to their positive regrets, and the average strategy
converges to an equilibrium (Zinkevich et al. 2007). Variants differ in their discounts: after
iteration t

- positive regrets are scaled by t^alpha / (t^alpha + 1) and negative ones by t^beta / (t^beta + 1)
  (Brown & Sandholm 2019), or negative ones are set to 0 (CFR+, Tammelin 2014);
- the strategy of iteration t has weight t^gamma in the average;
- a predictive variant plays as if the last regrets would recur (Farina, Kroer & Sandholm 2021).

Discounts follow the addition of iteration t's regrets. Updates alternate: player 1 plays against
the updated strategy of player 0. An iteration updates both. The average takes a player's strategy
before its update.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.extensive_game import normalised
from faceup.games.sequence_form import Form, fill_plan, fill_values, plans


class Variant(NamedTuple):
    """Settings of the update; infinite alpha and beta mean no discount."""

    alpha: float
    beta: float
    gamma: float
    floor: bool = False  # negative regrets become 0
    predictive: bool = False


VARIANTS = {
    "CFR": Variant(math.inf, math.inf, 0),
    "CFR+": Variant(math.inf, math.inf, 1, floor=True),
    "LCFR": Variant(1, 1, 1),
    "DCFR": Variant(1.5, 0, 2),
    "PCFR+": Variant(math.inf, math.inf, 2, floor=True, predictive=True),
}


class CfrTables(NamedTuple):
    """The state of CFR between iterations, and scratch space."""

    regrets: np.ndarray  # (n_actions,)
    averages: np.ndarray  # (n_actions,) weighted sum of plans
    strategy: np.ndarray  # (n_actions,) of the next iteration
    plan: np.ndarray  # (n_actions + 2,) plans of `strategy`
    worth: np.ndarray  # (n_actions + 2,) scratch


@njit(cache=True, nogil=True)
def match_regrets(strategy, first, end):
    """Regret matching in place: turn the regrets in strategy[first:end] into probabilities, uniform
    if none is positive.
    """
    total = 0.0
    for a in range(first, end):
        strategy[a] = max(strategy[a], 0.0)
        total += strategy[a]
    for a in range(first, end):
        strategy[a] = strategy[a] / total if total > 0.0 else 1.0 / (end - first)


@njit(cache=True, nogil=True)
def _learn(form, player, tables, up, down, weight, floor, predictive):
    """One backward pass over a player's infosets: add the iteration's regrets, discount and match.

    up, down: scales of positive and negative regrets; weight: in the average.
    """
    regrets, strategy, worth = tables.regrets, tables.strategy, tables.worth
    for i in form.own[player][::-1]:
        first, end = form.first_action[i], form.first_action[i + 1]
        mean = 0.0
        for a in range(first, end):
            mean += strategy[a] * worth[a]
            tables.averages[a] += weight * tables.plan[a]
        worth[form.above[i]] += mean
        for a in range(first, end):
            gain = worth[a] - mean
            regret = regrets[a] + gain
            if regret > 0.0:
                regret *= up
            elif floor:
                regret = 0.0
            else:
                regret *= down
            regrets[a] = regret
            strategy[a] = regret + gain if predictive else regret
        match_regrets(strategy, first, end)


@njit(cache=True, nogil=True)
def _advance(form, tables, factors, floor, predictive):
    """One iteration for each row of factors (n, 3): scales of positive and negative regrets, weight
    in the average.
    """
    for t in range(factors.shape[0]):
        for player in range(2):
            fill_values(form, player, tables.plan, tables.worth)
            _learn(
                form, player, tables, factors[t, 0], factors[t, 1], factors[t, 2], floor, predictive
            )
            fill_plan(form, player, tables.strategy, tables.plan)


class Cfr:
    """A run of one variant on one game."""

    def __init__(self, form: Form, variant: Variant):
        self.form, self.variant, self.iteration = form, variant, 0
        n = int(form.first_action[-1])
        even = normalised(form.first_action, np.zeros(n))
        self.tables = CfrTables(np.zeros(n), np.zeros(n), even, plans(form, even), np.zeros(n + 2))

    def advance(self, iterations: int) -> None:
        """Run further iterations."""
        end = self.iteration + iterations
        t = np.arange(self.iteration + 1, end + 1, dtype=np.float64)
        weight = (t / end) ** self.variant.gamma
        scales = _scale(t, self.variant.alpha), _scale(t, self.variant.beta)
        factors = np.stack([*scales, weight], axis=1)
        self.tables.averages[:] *= (self.iteration / end) ** self.variant.gamma
        _advance(self.form, self.tables, factors, self.variant.floor, self.variant.predictive)
        self.iteration = end

    def average(self) -> np.ndarray:
        """The average strategy, (n_actions,); uniform where its own reach is 0."""
        return normalised(self.form.first_action, self.tables.averages)


def _scale(t: np.ndarray, exponent: float) -> np.ndarray:
    """t^x / (t^x + 1); 1 for an infinite exponent."""
    return np.ones(len(t)) if math.isinf(exponent) else 1 / (1 + t**-exponent)


def solve(form: Form, iterations: int, variant: Variant = VARIANTS["DCFR"]) -> np.ndarray:
    """The average strategy (n_actions,) after some iterations of a variant."""
    run = Cfr(form, variant)
    run.advance(iterations)
    return run.average()
