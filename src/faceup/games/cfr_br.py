"""CFR-BR: one player minimises regret against an opponent who always knows his strategy (Johanson et al., AAAI 2012).

The learner may see less than the game shows: some of its infosets are one to it (`grouped`). In each iteration the opponent,
who sees everything, plays a best response to the learner's current strategy, and the learner adds the regrets that he has
against it. A best responder has no regret, so that the learner's average strategy goes to the least exploitable one that he
can express. With nothing grouped that is an equilibrium strategy.
"""

import numpy as np
from numba import njit

from faceup.games.cfr import VARIANTS, Cfr, Variant, _learn
from faceup.games.extensive_game import Game, action_infoset
from faceup.games.sequence_form import Form, _fill_plan, _fill_values, _respond


def grouped(game: Game, group: np.ndarray) -> Game:
    """The game in which infosets of one group, (k,) whole numbers, are one infoset, named as its first.

    Raises ValueError on another shape, and where a group's infosets are of two players or differ in their actions.
    """
    group = np.asarray(group)
    if group.shape != game.owner.shape:
        raise ValueError(f"group has shape {group.shape}, expected {game.owner.shape}: a number an infoset")
    first, kept, new = np.unique(group, return_index=True)[1], [], np.zeros(len(group), dtype=np.int32)
    for number, i in enumerate(np.sort(first).tolist()):
        same = np.flatnonzero(group == group[i]).tolist()
        if any(_kind(game, j) != _kind(game, i) for j in same):
            raise ValueError(
                f"group {group[i]}: {[game.names[j] for j in same]} differ, expected one player and the same actions"
            )
        kept.append(i)
        new[same] = number
    n = np.diff(game.first_action)
    start = np.append(0, np.cumsum(n[kept])).astype(np.int32)
    actions = np.repeat(start[new] - game.first_action[:-1], n) + np.arange(n.sum())
    return game._replace(
        action=np.where(game.action >= 0, actions[game.action], -1).astype(np.int32),
        infoset=np.where(game.infoset >= 0, new[game.infoset], -1).astype(np.int32),
        owner=game.owner[kept],
        names=tuple(game.names[i] for i in kept),
        first_action=start,
        labels=tuple(label for i in kept for label in _kind(game, i)[1]),
    )


def _kind(game: Game, infoset: int) -> tuple[int, tuple[str, ...]]:
    """Who decides at an infoset, and between what."""
    first, end = game.first_action[infoset : infoset + 2]
    return int(game.owner[infoset]), game.labels[first:end]


@njit(cache=True, nogil=True)
def _advance_against_best(form, learner, tables, best, factors, floor, predictive):
    """As `cfr._advance`, but the opponent answers with a best response, best (n_actions,), and the learner alone learns."""
    for t in range(factors.shape[0]):
        other = 1 - learner
        _fill_values(form, other, tables.plan, tables.worth)
        _respond(form, other, tables.worth, best)
        _fill_plan(form, other, best, tables.plan)
        _fill_values(form, learner, tables.plan, tables.worth)
        _learn(form, learner, tables, factors[t, 0], factors[t, 1], factors[t, 2], floor, predictive)
        _fill_plan(form, learner, tables.strategy, tables.plan)


class CfrBr(Cfr):
    """A run of CFR-BR for one player of a game; in its strategies only that player's part means anything."""

    def __init__(self, game: Game, learner: int, variant: Variant = VARIANTS["CFR"], form: Form | None = None):
        """Raises ValueError on a learner that is not 0 or 1, and as `Cfr`."""
        if learner not in (0, 1):
            raise ValueError(f"learner is {learner!r}, expected 0 or 1")
        super().__init__(game, variant, form)
        self.learner = learner

    def _run(self, factors: np.ndarray) -> None:
        best, (_, _, _, floor, predictive) = np.zeros(len(self.game.labels)), self.variant
        _advance_against_best(self.form, self.learner, self.tables, best, factors, floor, predictive)

    def restart(self) -> None:
        """Go on from the average strategy, with an average that begins anew and steps half as large as now's.

        Regrets then are twice the average strategy times the positive regrets of its infoset.
        """
        average, regrets = self.average(), np.maximum(self.tables.regrets, 0)
        total = np.add.reduceat(regrets, self.game.first_action[:-1])
        self.tables.regrets[:] = 2 * average * total[action_infoset(self.game)]
        self.tables.strategy[:] = average
        self.tables.averages[:] = 0
        _fill_plan(self.form, self.learner, self.tables.strategy, self.tables.plan)


def least_exploitable(game: Game, learner: int, stages: int = 8, iterations: int = 10_000) -> np.ndarray:
    """A strategy (n_actions,) whose part of the learner loses least to who knows it, by stages of CFR-BR with restarts between.

    Raises ValueError as `CfrBr` does, and unless there is a stage.
    """
    if stages < 1:
        raise ValueError(f"stages is {stages}, expected at least 1")
    run = CfrBr(game, learner, VARIANTS["DCFR"])
    for stage in range(stages):
        if stage:
            run.restart()
        run.advance(iterations)
    return run.average()
