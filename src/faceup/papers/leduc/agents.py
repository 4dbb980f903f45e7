"""Leduc agents that need no training: the opponents of paper 001 (Section III.A) and
expectiminimax (Section II.B); exact winnings between agents.

An agent is a strategy for both seats: a probability for each action of the game, (n_actions,). The
random opponent is `extensive_game.uniform`.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from faceup.games.extensive_game import action_infoset, against, infoset_reach
from faceup.games.sequence_form import exploitability, fill_best_response, fill_values, plans, value
from faceup.papers.leduc.game import (
    CALL,
    CHECK,
    FOLD,
    NO_CARD,
    RAISE,
    Leduc,
    LeducState,
    Rules,
    Situation,
    legal_actions,
    next_state,
    winnings,
)


def pure_agent(leduc: Leduc, choose: Callable[[Situation], str]) -> np.ndarray:
    """The agent that takes the action `choose` names in each situation."""
    game, strategy = leduc.game, np.zeros(len(leduc.game.labels))
    for i, seen in enumerate(leduc.situations):
        first, end = game.first_action[i : i + 2]
        strategy[first + game.labels[first:end].index(choose(seen))] = 1
    return strategy


def aggressive_agent(leduc: Leduc) -> np.ndarray:
    """Raises if it can, else calls, else checks."""

    def choose(seen: Situation) -> str:
        legal = legal_actions(leduc.rules, seen.state)
        return next(action for action in (RAISE, CALL, CHECK) if action in legal)

    return pure_agent(leduc, choose)


def cautious_agent(leduc: Leduc, shipped: bool = False) -> np.ndarray:
    """In round one raises a king and checks a queen where that is free, in round two raises a pair;
    folds everything else.

    So it folds an unpaired king in round two, even where checking is free. Where a raise is not
    legal it calls. shipped: as in RLCard 1.2.0, which compares the suit with the rank and so folds
    every hand in round one.
    """
    first_round = {} if shipped else {"K": RAISE, "Q": CHECK}
    second_best = {RAISE: CALL, CHECK: FOLD, FOLD: FOLD}

    def choose(seen: Situation) -> str:
        """The wished action, or the next best that is legal."""
        if seen.state.round == 0:
            wish = first_round.get(leduc.rules.ranks[seen.own], FOLD)
        else:
            wish = RAISE if seen.own == seen.public else FOLD
        legal = legal_actions(leduc.rules, seen.state)
        return next(action for action in (wish, second_best[wish], CHECK) if action in legal)

    return pure_agent(leduc, choose)


def expectiminimax_agent(leduc: Leduc, depth: int) -> np.ndarray:
    """Takes the action of the largest expectiminimax value, `depth` actions further on (Section
    II.B); ties go to the first in RLCard's order.

    Hidden cards are equally likely, whatever the opponent has done, and the opponent does what is
    worst for the agent, without seeing a card. At the depth a heuristic stands for the rest: the
    share of the opponent's hands that are worse less the share of those that are better, times the
    chips that both have put in.
    """
    rules, ranks = leduc.rules, range(len(leduc.rules.ranks))

    def worth(
        state: LeducState, seen: Situation, public: int, weights: np.ndarray, left: int
    ) -> float:
        """Value of a state to the player who has seen a situation, `left` actions on; weights
        (n_ranks,): probability of the opponent's cards.
        """
        if state.folded >= 0:
            return weights.sum() * (1 - 2 * seen.state.player) * winnings(rules, state, ())
        # the heuristic averages over public cards, too
        if public == NO_CARD and (state.round or left == 0):
            shown = weights[:, None] * [_unseen(rules, seen.own, card) for card in ranks]
            return sum(worth(state, seen, card, shown[:, card], left) for card in ranks)
        if state.over or left == 0:
            matched = min(map(sum, state.chips))
            return weights @ _showdowns(rules, seen.own, public) * matched / rules.unit
        after = [next_state(rules, state, action) for action in legal_actions(rules, state)]
        values = [worth(then, seen, public, weights, left - 1) for then in after]
        return max(values) if state.player == seen.state.player else min(values)

    def choose(seen: Situation) -> str:
        """The action of the largest value, rounded: two sums of the same terms are a tie."""
        legal, weights = legal_actions(rules, seen.state), _unseen(rules, seen.own, seen.public)
        after = [next_state(rules, seen.state, action) for action in legal]
        values = [worth(state, seen, seen.public, weights, depth) for state in after]
        return legal[int(np.argmax(np.round(values, 9)))]

    return pure_agent(leduc, choose)


@cache
def _showdowns(rules: Rules, own: int, public: int) -> np.ndarray:
    """Showdown of a card against each rank, (n_ranks,): 1 if it wins, -1 if it loses."""
    state = LeducState(("",), 0, ((1,), (1,)), 0, -1, -1, True)
    deals = [(own, card, public) for card in range(len(rules.ranks))]
    return np.array([winnings(rules, state, deal) * rules.unit for deal in deals])


@cache
def _unseen(rules: Rules, *seen: int) -> np.ndarray:
    """Probability of each rank of a card that is not among those seen, (n_ranks,)."""
    left = np.array([rules.suits - seen.count(rank) for rank in range(len(rules.ranks))])
    return left / left.sum()


def action_values(leduc: Leduc, opponent: np.ndarray) -> np.ndarray:
    """Mean winnings of each action against a known opponent, followed by a best response,
    (n_actions,), in the rules' unit.

    They count from the start of the game, so that folding at once loses the blind; nan where the
    opponent's strategy never leads.
    """
    form, mover = leduc.form, leduc.game.owner[action_infoset(leduc.game)]
    won = np.empty(len(opponent))
    for player in range(2):
        worth, plan = np.zeros(len(opponent) + 2), plans(form, opponent)
        fill_values(form, player, plan, worth)
        fill_best_response(form, player, worth, np.zeros(len(opponent)))
        others = infoset_reach(leduc.game, np.where(mover == player, 1.0, opponent))
        reach = others[action_infoset(leduc.game)]
        mean = np.divide(worth[:-2], reach, out=np.full(len(won), np.nan), where=reach > 0)
        won = np.where(mover == player, mean, won)
    return won


def exact_winnings(leduc: Leduc, agent: np.ndarray, opponent: np.ndarray) -> float:
    """Expected winnings of an agent from another a game, averaged over the seats."""
    seats = against(leduc.game, agent, opponent), against(leduc.game, opponent, agent)
    return (value(leduc.form, seats[0]) - value(leduc.form, seats[1])) / 2


def standings(
    leduc: Leduc, agents: dict[str, np.ndarray], opponents: dict[str, np.ndarray]
) -> dict[str, dict[str, float]]:
    """Exact winnings of each agent from each opponent, and each agent's "exploitability"."""
    table = {}
    for name, agent in agents.items():
        table[name] = {key: exact_winnings(leduc, agent, o) for key, o in opponents.items()}
        table[name]["exploitability"] = exploitability(leduc.form, agent)
    return table
