"""Discounted counterfactual regret minimization (DCFR) on extensive games.

Regret matching plays actions in proportion to their positive regrets, and the average strategy
converges to an equilibrium (Zinkevich et al. 2007). DCFR (Brown & Sandholm 2019, with their
recommended alpha = 3/2, beta = 0, gamma = 2) discounts: after iteration t

- positive regrets are scaled by t^alpha / (t^alpha + 1) and negative ones by t^beta / (t^beta + 1);
- the strategy of iteration t has weight t^gamma in the average.

Discounts follow the addition of iteration t's regrets. Updates alternate: player 1 plays against
the updated strategy of player 0. An iteration updates both. The average takes a player's strategy
before its update.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.extensive_game import normalized
from faceup.games.sequence_form import Form, fill_plan, fill_values, plans

ALPHA, GAMMA = 1.5, 2


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
def _learn(form, player, tables, scales, weight):
    """One backward pass over a player's infosets: add the iteration's regrets, discount and match.

    scales: of positive and of other regrets; weight: in the average.
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
            regrets[a] += worth[a] - mean
            regrets[a] *= scales[0] if regrets[a] > 0.0 else scales[1]
            strategy[a] = regrets[a]
        match_regrets(strategy, first, end)


@njit(cache=True, nogil=True)
def _advance(form, tables, scales, weights):
    """An iteration for each row of scales (n, 2) and weight in the average (n,)."""
    for t in range(len(scales)):
        for player in range(2):
            fill_values(form, player, tables.plan, tables.worth)
            _learn(form, player, tables, scales[t], weights[t])
            fill_plan(form, player, tables.strategy, tables.plan)


class Cfr:
    """A run on one game."""

    def __init__(self, form: Form, discounted: bool = True):
        """discounted: DCFR, else plain CFR, all of whose iterations count alike."""
        self.form, self.discounted, self.iteration = form, discounted, 0
        n = int(form.first_action[-1])
        even = normalized(form.first_action, np.zeros(n))
        self.tables = CfrTables(np.zeros(n), np.zeros(n), even, plans(form, even), np.zeros(n + 2))

    def advance(self, iterations: int) -> None:
        """Run further iterations."""
        end = self.iteration + iterations
        t = np.arange(self.iteration + 1, end + 1, dtype=np.float64)
        scales, weights = np.ones((iterations, 2)), np.ones(iterations)
        if self.discounted:
            self.tables.averages[:] *= (self.iteration / end) ** GAMMA
            scales[:, 0], scales[:, 1] = 1 / (1 + t**-ALPHA), 0.5  # t^0 / (t^0 + 1)
            weights = (t / end) ** GAMMA
        _advance(self.form, self.tables, scales, weights)
        self.iteration = end

    def average(self) -> np.ndarray:
        """The average strategy, (n_actions,); uniform where its own reach is 0."""
        return normalized(self.form.first_action, self.tables.averages)


def solve(form: Form, iterations: int) -> np.ndarray:
    """The average strategy (n_actions,) after some iterations."""
    run = Cfr(form)
    run.advance(iterations)
    return run.average()
