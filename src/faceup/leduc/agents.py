"""Leduc agents that need no training: opponents of paper 001 (Section III.A), expectiminimax (Section II.B); what agents win.

An agent is a strategy for both seats, a probability for each action of the game; the random opponent is `extensive_game.uniform`.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from faceup.games.extensive_game import against
from faceup.games.sequence_form import exploitability, value
from faceup.leduc.game import CALL, CHECK, FOLD, NO_CARD, RAISE, Leduc, LeducState, Rules, Situation, legal, next_state, winnings


def aggressive_agent(leduc: Leduc) -> np.ndarray:
    """Raises if it can, else calls, else checks."""
    order = (RAISE, CALL, CHECK, FOLD)
    return pure_agent(leduc, lambda seen: next(x for x in order if x in legal(leduc.rules, seen.state)))


def cautious_agent(leduc: Leduc, shipped: bool = False) -> np.ndarray:
    """Plays its best cards only: raises a king or a pair, checks a queen where that is free, and folds all else.

    Where a raise is not legal it calls, where a check is not legal it folds. shipped: as in RLCard 1.2.0, which looks for the
    rank where the suit stands, and so folds all in round one.
    """
    first_round = {} if shipped else {"K": RAISE, "Q": CHECK}

    def choose(seen: Situation) -> str:
        """By the own card in the first round, by a pair or none in the second."""
        if seen.state.round == 0:
            wish = first_round.get(leduc.rules.ranks[seen.own], FOLD)
        else:
            wish = RAISE if seen.own == seen.public else FOLD
        allowed = legal(leduc.rules, seen.state)
        return next(x for x in (wish, {RAISE: CALL, CHECK: FOLD}.get(wish, FOLD), CHECK) if x in allowed)

    return pure_agent(leduc, choose)


def pure_agent(leduc: Leduc, choose: Callable[[Situation], str]) -> np.ndarray:
    """The agent that takes the action `choose` names in each situation."""
    game, strategy = leduc.game, np.zeros(len(leduc.game.labels))
    for i, seen in enumerate(leduc.situations):
        first, end = game.first_action[i : i + 2]
        strategy[first + game.labels[first:end].index(choose(seen))] = 1
    return strategy


# --- expectiminimax -----------------------------------------------------------------------------------------


def expectiminimax_agent(leduc: Leduc, depth: int) -> np.ndarray:
    """Takes the action of the largest expectiminimax value `depth` actions further on; ties go to the first in RLCard's order.

    The opponent is taken to see no card and to choose what is worst for the agent; hidden cards are equally likely, whatever
    the opponent has done. At the depth the heuristic stands in for the rest: what a showdown would pay now, which is how many
    hands are worse less how many are better, as a share of all, times the chips that both have put in.
    """
    rules = leduc.rules

    @cache
    def worth(state: LeducState, me: int, own: int, public: int, left: int) -> float:
        """What a state is worth to player `me`, `left` actions further on, in the rules' unit."""
        if state.folded >= 0:
            return (1 - 2 * me) * winnings(rules, state, ())
        if public == NO_CARD and (state.round or left == 0):  # the heuristic counts all public cards that may come, too
            return sum(p * worth(state, me, own, card, left) for card, p in _unseen(rules, own))
        if state.over or left == 0:
            return showdown_chance(rules, own, public) * min(map(sum, state.chips)) / rules.unit
        values = [worth(next_state(rules, state, a), me, own, public, left - 1) for a in legal(rules, state)]
        return max(values) if state.player == me else min(values)

    def choose(seen: Situation) -> str:
        """The action of the largest value; rounded, since two ways to the same sum are a tie."""
        options = legal(rules, seen.state)
        after = [next_state(rules, seen.state, a) for a in options]
        values = [worth(state, seen.state.player, seen.own, seen.public, depth) for state in after]
        return options[int(np.argmax(np.round(values, 9)))]

    return pure_agent(leduc, choose)


@cache
def showdown_chance(rules: Rules, own: int, public: int) -> float:
    """Chance to win less chance to lose a showdown against a random unseen card."""
    state = LeducState(("", ""), 0, ((1,), (1,)), 0, -1, -1, True)
    return sum(p * winnings(rules, state, (own, card, public)) for card, p in _unseen(rules, own, public)) * rules.unit


def _unseen(rules: Rules, *seen: int) -> list[tuple[int, float]]:
    """Ranks of a card that is not among those seen, and their chances."""
    left = [rules.suits - seen.count(rank) for rank in range(len(rules.ranks))]
    return [(rank, n / sum(left)) for rank, n in enumerate(left) if n]


# --- what an agent wins -------------------------------------------------------------------------------------


def exact_winnings(leduc: Leduc, agent: np.ndarray, opponent: np.ndarray) -> float:
    """What an agent wins from another a game, seats averaged; no sampling."""
    seats = (agent, opponent), (opponent, agent)
    first, second = (value(leduc.form, against(leduc.game, *pair)) for pair in seats)
    return (first - second) / 2


def standings(leduc: Leduc, agents: dict[str, np.ndarray], opponents: dict[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Exact winnings of each agent from each opponent, and each agent's "exploitability"."""
    return {
        name: {other: exact_winnings(leduc, agent, opponent) for other, opponent in opponents.items()}
        | {"exploitability": exploitability(leduc.form, agent)}
        for name, agent in agents.items()
    }
