"""Leduc strategies as decision trees: what a tree is asked about a situation, and the strategy that its answers make.

A tree sees a situation as a person at the table would put it (`FEATURES`), and answers with how often to fold, to check or
call, and to raise. Any fitter that takes rows, targets and weights can make one: `cart.fit_cart`, an optimal tree.
"""

import numpy as np

from faceup.games.extensive_game import Game, action_infoset, uniform
from faceup.games.sequence_form import infoset_reach
from faceup.leduc.game import CALL, CHECK, FOLD, RAISE, Leduc, Situation
from faceup.trees import trees

FEATURES = ("card", "board", "pair", "round", "to call", "pot", "raises", "big blind", "raised before")
ANSWERS = ("fold", "check or call", "raise")
_ANSWER_OF = {FOLD: 0, CHECK: 1, CALL: 1, RAISE: 2}


def features(leduc: Leduc) -> np.ndarray:
    """Every infoset as FEATURES tell it, (n_infosets, 9) float32; no two are alike."""
    return np.array([_features(seen) for seen in leduc.situations], dtype=np.float32)


def _features(seen: Situation) -> list[int]:
    """Cards count from 1 for the lowest, 0 is none; "raised before": who was the last to raise in round one, 1 me, -1 they."""
    put = [sum(chips) for chips in seen.state.chips]
    to_call = put[1 - seen.player] - put[seen.player]
    before = 0 if seen.state.raiser < 0 else 1 if seen.state.raiser == seen.player else -1
    pair = int(seen.own == seen.public)
    return [seen.own + 1, seen.public + 1, pair, seen.round + 1, to_call, sum(put), seen.state.raises, seen.player, before]


def answer_of_action(game: Game) -> np.ndarray:
    """The answer that each action counts under, (n_actions,) int64."""
    return np.array([_ANSWER_OF[label] for label in game.labels])


def answers(leduc: Leduc, strategy: np.ndarray) -> np.ndarray:
    """A strategy's probabilities by ANSWERS, (n_infosets, 3)."""
    table = np.zeros((len(leduc.game.owner), len(ANSWERS)))
    np.add.at(table, (action_infoset(leduc.game), answer_of_action(leduc.game)), strategy)
    return table


def strategy_of(leduc: Leduc, table: np.ndarray) -> np.ndarray:
    """The strategy (n_actions,) that answers (n_infosets, 3) make: without what is illegal; if nothing is left, check or call."""
    infoset, answer = action_infoset(leduc.game), answer_of_action(leduc.game)
    legal = np.zeros(table.shape)
    legal[infoset, answer] = table[infoset, answer]
    total = legal.sum(axis=1, keepdims=True)
    legal = np.where(total > 1e-9, legal / np.where(total > 1e-9, total, 1), np.eye(len(ANSWERS))[1])
    return legal[infoset, answer]


def tree_strategy(leduc: Leduc, tree: trees.DecisionTree) -> np.ndarray:
    """The strategy (n_actions,) of a decision tree over FEATURES and ANSWERS."""
    return strategy_of(leduc, trees.predict(tree, features(leduc)).astype(np.float64))


def row_weights(leduc: Leduc, strategy: np.ndarray, tremble: float) -> np.ndarray:
    """How often each infoset comes up when both play a strategy but now and then, with probability `tremble`, act at random.

    (n_infosets,). The tremble gives weight to situations that the strategy itself avoids: an opponent need not.
    Raises ValueError unless 0 < tremble <= 1.
    """
    if not 0 < tremble <= 1:
        raise ValueError(f"tremble is {tremble}, expected above 0 and at most 1")
    return infoset_reach(leduc.game, (1 - tremble) * strategy + tremble * uniform(leduc.game))
