"""Leduc agents that need no training: opponents of paper 001 (Section III.A), expectiminimax
(Section II.B); what agents win.

An agent is a strategy for both seats, a probability for each action of the game; the random
opponent is `extensive_game.uniform`.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np

from faceup.games.extensive_game import action_infoset, against, infoset_reach
from faceup.games.sequence_form import exploitability, fill_best_response, fill_values, plans, value
from faceup.papers.leduc.game import (
    LABELS,
    LETTER,
    NO_CARD,
    Leduc,
    LeducState,
    Rules,
    Situation,
    legal,
    next_state,
    start,
    winnings,
)

CALL, RAISE, FOLD, CHECK = LABELS


def aggressive_agent(leduc: Leduc) -> np.ndarray:
    """Raises if it can, else calls, else checks."""
    order = (RAISE, CALL, CHECK, FOLD)
    return pure_agent(
        leduc, lambda seen: next(x for x in order if x in legal(leduc.rules, seen.state))
    )


def cautious_agent(leduc: Leduc, shipped: bool = False) -> np.ndarray:
    """In round one raises a king and checks a queen where that is free, in round two raises a pair;
    folds all else.

    So it folds an unpaired king in round two, even where checking is free. Where a raise is not
    legal it calls. shipped: as in RLCard 1.2.0, which looks for the rank where the suit stands, and
    so folds all in round one.
    """
    first_round = {} if shipped else {"K": RAISE, "Q": CHECK}

    def choose(seen: Situation) -> str:
        """By the own card in the first round, by a pair or none in the second."""
        if seen.state.round == 0:
            wish = first_round.get(leduc.rules.ranks[seen.own], FOLD)
        else:
            wish = RAISE if seen.own == seen.public else FOLD
        allowed = legal(leduc.rules, seen.state)
        return next(
            x for x in (wish, {RAISE: CALL, CHECK: FOLD}.get(wish, FOLD), CHECK) if x in allowed
        )

    return pure_agent(leduc, choose)


def pure_agent(leduc: Leduc, choose: Callable[[Situation], str]) -> np.ndarray:
    """The agent that takes the action `choose` names in each situation."""
    game, strategy = leduc.game, np.zeros(len(leduc.game.labels))
    for i, seen in enumerate(leduc.situations):
        first, end = game.first_action[i : i + 2]
        strategy[first + game.labels[first:end].index(choose(seen))] = 1
    return strategy


def expectiminimax_agent(
    leduc: Leduc, depth: int, card_by: np.ndarray | None = None, acts_by: np.ndarray | None = None
) -> np.ndarray:
    """Takes the action of the largest expectiminimax value `depth` actions further on; ties go to
    the first in RLCard's order.

    card_by: the opponent's strategy, by which its card is inferred from what it has done: P(card |
    actions) is proportional to P(card) P(actions | card). Without one, as in the paper, hidden
    cards are equally likely, whatever was done. acts_by: what the opponent is expected to do from
    here on; without one it sees no card and does what is worst for the agent. With both, and a
    depth that reaches all ends, the agent is a best response. At the depth the heuristic stands in
    for the rest: what a showdown would pay now, which is how many hands are worse less how many are
    better, as a share, times the chips that both have put in.
    """
    rules, ranks = leduc.rules, range(len(leduc.rules.ranks))
    inferred, expected = ({} if by is None else _chances(leduc, by) for by in (card_by, acts_by))

    def worth(
        state: LeducState, seen: Situation, public: int, weights: np.ndarray, left: int
    ) -> float:
        """What a state is worth to who has seen a situation, `left` actions on; weights (n_ranks,):
        of the opponent's cards.
        """
        if state.folded >= 0:
            return weights.sum() * (1 - 2 * seen.state.player) * winnings(rules, state, ())
        # the heuristic counts all public cards that may come, too
        if public == NO_CARD and (state.round or left == 0):
            shown = weights[:, None] * [_unseen(rules, seen.own, card) for card in ranks]
            return sum(worth(state, seen, card, shown[:, card], left) for card in ranks)
        if state.over or left == 0:
            return (
                weights
                @ _showdowns(rules, seen.own, public)
                * min(map(sum, state.chips))
                / rules.unit
            )
        after = {action: next_state(rules, state, action) for action in legal(rules, state)}
        if state.player == seen.state.player or not expected:
            values = [worth(then, seen, public, weights, left - 1) for then in after.values()]
            return max(values) if state.player == seen.state.player else min(values)
        parts = {action: weights * expected[state.line, public, action] for action in after}
        return sum(
            worth(after[action], seen, public, part, left - 1)
            for action, part in parts.items()
            if part.any()
        )

    def choose(seen: Situation) -> str:
        """The action of the largest value; rounded, since two ways to the same sum are a tie."""
        options, weights, state = (
            legal(rules, seen.state),
            _unseen(rules, seen.own, seen.public),
            start(rules),
        )
        for letter in "".join(seen.state.line) if inferred else "":
            action = next(label for label in LETTER if LETTER[label] == letter)
            if state.player != seen.state.player:
                weights = (
                    weights * inferred[state.line, seen.public if state.round else NO_CARD, action]
                )
            state = next_state(rules, state, action)
        total = weights.sum()  # 0 on a line that the opponent never plays
        weights = weights / total if total > 0 else _unseen(rules, seen.own, seen.public)
        values = [
            worth(next_state(rules, seen.state, a), seen, seen.public, weights, depth)
            for a in options
        ]
        return options[int(np.argmax(np.round(values, 9)))]

    return pure_agent(leduc, choose)


def _chances(
    leduc: Leduc, strategy: np.ndarray
) -> dict[tuple[tuple[str, ...], int, str], np.ndarray]:
    """How often a strategy takes an action with each card, (n_ranks,), by line, public card and
    action.
    """
    found = defaultdict[tuple, np.ndarray](lambda: np.zeros(len(leduc.rules.ranks)))
    for infoset, label, chance in zip(
        action_infoset(leduc.game), leduc.game.labels, strategy, strict=True
    ):
        own, public, state = leduc.situations[infoset]
        found[state.line, public, label][own] = chance
    return found


@cache
def _showdowns(rules: Rules, own: int, public: int) -> np.ndarray:
    """1 for each rank that a card beats in a showdown, -1 for each that beats it, (n_ranks,)."""
    state = LeducState(("",), 0, ((1,), (1,)), 0, -1, -1, True)
    return np.array(
        [
            winnings(rules, state, (own, card, public)) * rules.unit
            for card in range(len(rules.ranks))
        ]
    )


@cache
def _unseen(rules: Rules, *seen: int) -> np.ndarray:
    """Chance of each rank of a card that is not among those seen, (n_ranks,)."""
    left = np.array([rules.suits - seen.count(rank) for rank in range(len(rules.ranks))])
    return left / left.sum()


def action_values(leduc: Leduc, opponent: np.ndarray) -> np.ndarray:
    """What each action wins on average from an opponent who is known and then answered best,
    (n_actions,), in the rules' unit.

    It counts from the game's start, so that folding at once loses the blind; nan where the opponent
    never lets it come.
    """
    form, mover = leduc.form, leduc.game.owner[action_infoset(leduc.game)]
    won = np.empty(len(opponent))
    for player in range(2):
        worth, plan = np.zeros(len(opponent) + 2), plans(form, opponent)
        fill_values(form, player, plan, worth)
        fill_best_response(form, player, worth, np.zeros(len(opponent)))
        reach = infoset_reach(leduc.game, np.where(mover == player, 1.0, opponent))[
            action_infoset(leduc.game)
        ]
        won = np.where(
            mover == player,
            np.divide(worth[:-2], reach, out=np.full(len(won), np.nan), where=reach > 0),
            won,
        )
    return won


def exact_winnings(leduc: Leduc, agent: np.ndarray, opponent: np.ndarray) -> float:
    """What an agent wins from another a game, seats averaged; no sampling."""
    seats = (agent, opponent), (opponent, agent)
    first, second = (value(leduc.form, against(leduc.game, *pair)) for pair in seats)
    return (first - second) / 2


def standings(
    leduc: Leduc, agents: dict[str, np.ndarray], opponents: dict[str, np.ndarray]
) -> dict[str, dict[str, float]]:
    """Exact winnings of each agent from each opponent, and each agent's "exploitability"."""
    return {
        name: {
            other: exact_winnings(leduc, agent, opponent) for other, opponent in opponents.items()
        }
        | {"exploitability": exploitability(leduc.form, agent)}
        for name, agent in agents.items()
    }
