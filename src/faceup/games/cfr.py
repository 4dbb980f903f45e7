"""Counterfactual regret minimisation on extensive games: CFR, CFR+, LCFR, DCFR and PCFR+ as settings of one update.

Regret matching plays actions in proportion to their positive regrets, and the average of all strategies played goes to an
equilibrium (Zinkevich et al. 2007). Variants differ in what they forget: after iteration t

- positive regrets are scaled by t^alpha / (t^alpha + 1) and negative ones by t^beta / (t^beta + 1) (Brown & Sandholm 2019),
  or negative ones are set to 0 (CFR+, Tammelin 2014);
- the strategy of iteration t counts t^gamma in the average;
- a predictive variant plays as if the next regrets would be the last ones again (Farina, Kroer & Sandholm 2021).

Discounts come after iteration t's regrets have been added. Players take turns: player 1 already meets the strategy
that player 0 has just changed to. An iteration updates both. What counts in the average is the strategy that a player had
before its update.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.extensive_game import Game, uniform
from faceup.games.sequence_form import Form, _fill_plan, _fill_values, exploitability, make_form


class Variant(NamedTuple):
    """Settings of the update; infinite alpha and beta forget nothing."""

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
    """All that CFR keeps between iterations, and its scratch."""

    regrets: np.ndarray  # (n_actions,)
    averages: np.ndarray  # (n_actions,) weighted sum of plans
    strategy: np.ndarray  # (n_actions,) what is played next
    plan: np.ndarray  # (n_actions + 2,) plans of `strategy`
    worth: np.ndarray  # (n_actions + 2,) scratch


@njit(cache=True, nogil=True)
def match_regrets(strategy, first, end):
    """Regret matching for kernels: turn the regrets in strategy[first:end] into probabilities, uniform if none is positive."""
    total = 0.0
    for a in range(first, end):
        strategy[a] = max(strategy[a], 0.0)
        total += strategy[a]
    for a in range(first, end):
        strategy[a] = strategy[a] / total if total > 0.0 else 1.0 / (end - first)


@njit(cache=True, nogil=True)
def _learn(form, player, tables, up, down, weight, floor, predictive):
    """Add one iteration's regrets of a player, discount them, and match: one sweep up the player's infosets."""
    regrets, strategy, worth = tables.regrets, tables.strategy, tables.worth
    for j in range(form.n_own[player] - 1, -1, -1):
        i = form.own[player, j]
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
    """One iteration for each row of factors (n, 3): scale of positive regrets, of negative ones, weight in the average."""
    for t in range(factors.shape[0]):
        for player in range(2):
            _fill_values(form, player, tables.plan, tables.worth)
            _learn(form, player, tables, factors[t, 0], factors[t, 1], factors[t, 2], floor, predictive)
            _fill_plan(form, player, tables.strategy, tables.plan)


class Cfr:
    """A run of one variant on one game."""

    def __init__(self, game: Game, variant: Variant, form: Form | None = None):
        self.game, self.variant, self.form = game, variant, form or make_form(game)
        n = len(game.labels)
        self.tables = CfrTables(np.zeros(n), np.zeros(n), uniform(game), np.zeros(n + 2), np.zeros(n + 2))
        for player in range(2):
            _fill_plan(self.form, player, self.tables.strategy, self.tables.plan)
        self.iteration = 0

    def advance(self, iterations: int) -> None:
        """Run so many more iterations."""
        t = np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64)
        weight = (t / max(self.iteration + iterations, 1)) ** self.variant.gamma
        factors = np.stack([_kept(t, self.variant.alpha), _kept(t, self.variant.beta), weight], axis=1)
        self.tables.averages[:] *= (self.iteration / max(self.iteration + iterations, 1)) ** self.variant.gamma
        _advance(self.form, self.tables, factors, self.variant.floor, self.variant.predictive)
        self.iteration += iterations

    def average(self) -> np.ndarray:
        """The average strategy, (n_actions,); uniform where it never comes by its own choice."""
        return normalised(self.game, self.tables.averages)

    def exploitability(self) -> float:
        """Of the average strategy, in the game's unit."""
        return exploitability(self.game, self.average(), self.form)


def _kept(t: np.ndarray, exponent: float) -> np.ndarray:
    """t^x / (t^x + 1), written so that infinite exponents are no special case but at t = 1."""
    if math.isinf(exponent):
        return np.full(len(t), 1.0 if exponent > 0 else 0.0)
    return 1 / (1 + t**-exponent)


def normalised(game: Game, weights: np.ndarray) -> np.ndarray:
    """Weights of actions, none below 0, as probabilities; uniform where an infoset has none. (n_actions,)"""
    n = np.diff(game.first_action)
    total = np.repeat(np.add.reduceat(weights, game.first_action[:-1]), n)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), np.repeat(1 / n, n))


def solve(game: Game, iterations: int, variant: Variant = VARIANTS["DCFR"]) -> np.ndarray:
    """The average strategy (n_actions,) after so many iterations of a variant."""
    run = Cfr(game, variant)
    run.advance(iterations)
    return run.average()
