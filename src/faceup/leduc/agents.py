"""Leduc agents that need no training: opponents of paper 001 (Section III.A), expectiminimax (Section II.B); what agents win.

An agent is a strategy for both seats, a probability for each action of the game; the random opponent is `extensive_game.uniform`.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from faceup.games.extensive_game import against
from faceup.games.sequence_form import Form, exploitability, make_form, value
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
        if seen.round == 0:
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
    the opponent has done. At the depth the heuristic stands in for the rest.
    """
    rules = leduc.rules

    @cache
    def worth(state: LeducState, me: int, own: int, public: int, left: int) -> float:
        """What a state is worth to player `me`, `left` actions further on, in the rules' unit."""
        if state.folded >= 0:
            return (1 - 2 * me) * winnings(rules, state, ())
        if state.over:
            return showdown_chance(rules, own, public) * sum(state.chips[me]) / rules.unit
        if left == 0:
            return heuristic(rules, state, own, public)
        if len(state.line) > 1 and public == NO_CARD:
            return sum(p * worth(state, me, own, card, left) for card, p in _unseen(rules, own))
        values = [worth(next_state(rules, state, a), me, own, public, left - 1) for a in legal(rules, state)]
        return max(values) if state.player == me else min(values)

    def choose(seen: Situation) -> str:
        options = legal(rules, seen.state)
        values = [worth(next_state(rules, seen.state, a), seen.player, seen.own, seen.public, depth) for a in options]
        return options[int(np.argmax(np.round(values, 9)))]  # rounded: two ways to the same sum are a tie

    return pure_agent(leduc, choose)


def heuristic(rules: Rules, state: LeducState, own: int, public: int) -> float:
    """How many hands are worse less how many are better, as a share of all, times the chips that both have put in.

    That is what a showdown would pay now, in the rules' unit. Before the public card all of its values count.
    """
    cards = [(public, 1.0)] if public != NO_CARD else _unseen(rules, own)
    ratio = sum(p * showdown_chance(rules, own, card) for card, p in cards)
    return ratio * min(map(sum, state.chips)) / rules.unit


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


def exact_winnings(leduc: Leduc, agent: np.ndarray, opponent: np.ndarray, form: Form | None = None) -> float:
    """What an agent wins from another a game, seats averaged; no sampling."""
    game = leduc.game
    form = form or make_form(game)
    return (value(game, against(game, agent, opponent), form) - value(game, against(game, opponent, agent), form)) / 2


def standings(leduc: Leduc, agents: dict[str, np.ndarray], opponents: dict[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Exact winnings of each agent from each opponent, and each agent's "exploitability"."""
    form = make_form(leduc.game)
    return {
        name: {other: exact_winnings(leduc, agent, opponent, form) for other, opponent in opponents.items()}
        | {"exploitability": exploitability(leduc.game, agent, form)}
        for name, agent in agents.items()
    }
