"""Agents to play with: a tree agent asked in words, and all models as policies (paper 000, Section 2.4).

    >>> agent = load_agent("reports/agents/cart.json")                              # doctest: +SKIP
    >>> agent.action_probabilities(hole="Ac3h", board="Kh3sJc", betting="b300c/kb400")    # doctest: +SKIP

Betting is written as Slumbot writes it: see holdem/betting/notation.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from faceup.cards.equity import BOARD_CARDS, StreetTable
from faceup.cards.features import HISTORIES, betting_features, feature_names, hand
from faceup.holdem.betting.betting_tree import (
    CALL,
    STREETS,
    BettingState,
    BettingTree,
    Menu,
    menu_labels,
    offered,
    pot_and_call,
)
from faceup.holdem.betting.notation import state_after
from faceup.holdem.learn.agent_file import AgentFile, load_agent_file
from faceup.holdem.learn.boosted import Boosted
from faceup.holdem.learn.neural import Neural
from faceup.holdem.solve.policy import ModelPolicy, Predict
from faceup.trees import decision_tree
from faceup.trees.decision_tree import DecisionTree

_SPLIT = 2048  # rows: a multiple of what a network predicts at once, so that halves give the same bits


class Step(NamedTuple):
    """A question that a tree asks on the way to its answer, and the hand's answer."""

    feature: str
    value: float
    threshold: float

    def __str__(self) -> str:
        relation = "<=" if self.value <= self.threshold else ">"
        return f"{self.feature} is {self.value:,.6g} {relation} {self.threshold:,.6g}"


def _name(state: BettingState) -> str:
    return STREETS[state.street]


class TreeAgent:
    """Four decision trees, one a round, asked about a hand and a betting line."""

    def __init__(self, file: AgentFile):
        """Raises ValueError where labels or features are not those that this package knows."""
        self.labels = file.labels  # all actions it can name: "fold", "call", "raise_<pots>", .., "all_in"
        self.trees = file.trees
        self.provenance = file.provenance
        self.history = _history(file.feature_names)  # what it is told of the betting, a key of hands.features.HISTORIES
        self._menu = _menu(file.labels, file.provenance.get("menu"))

    def action_probabilities(self, hole: str, board: str = "", betting: str = "") -> dict[str, float]:
        """Probability of each legal action of the player to act, by label; "call" is check if that is free.

        hole: "Ac3h", the cards of the player to act; board: "", "Kh3sJc", ..; betting: "b300c/kb400". Raises
        ValueError on a bad card, a board of another street than the line's, and lines as in `state_after`.
        """
        state, x = self._situation(hole, board, betting)
        return self._answer(state, x)

    def legal(self, betting: str = "") -> dict[str, int]:
        """Legal actions by label, and the dollars on this street to which each brings the player's bet."""
        state = state_after(betting)
        now = state.bets[state.actor][state.street]
        called = {"fold": now, "call": now + pot_and_call(state)[1]}
        actions = offered(state, self._menu, self.labels)
        return {self.labels[label]: called.get(action, amount) for label, action, amount in actions}

    def path(self, hole: str, board: str = "", betting: str = "") -> list[Step]:
        """The questions from the root to the leaf that answers; arguments as in `action_probabilities`."""
        state, x = self._situation(hole, board, betting)
        return self._steps(state, x)

    def explain(self, hole: str, board: str = "", betting: str = "") -> str:
        """The way through the tree in words, a line a question, then the answer."""
        state, x = self._situation(hole, board, betting)
        pot, to_call = pot_and_call(state)
        asked = f"${to_call:,} to call" if to_call else "nothing to call"
        lines = [f"{_name(state)}: ${pot:,} in the pot, {asked}"]
        lines += [f"  {step}" for step in self._steps(state, x)]
        likeliest = sorted(self._answer(state, x).items(), key=lambda item: -item[1])
        amounts = self.legal(betting)
        said = [f"{_words(label, to_call, amounts[label])} {100 * p:.0f} %" for label, p in likeliest if p >= 0.005]
        return "\n".join([*lines, "so: " + ", ".join(said)])

    def _situation(self, hole: str, board: str, betting: str) -> tuple[BettingState, np.ndarray]:
        """The state, and the features of the player to act, (n_features,) float32."""
        state, cards = state_after(betting), hand(hole, board)
        if cards.street != state.street:
            wanted = f"{BOARD_CARDS[state.street]} cards on the {_name(state)}, to which betting {betting!r} leads"
            raise ValueError(f"board {board!r}: has {len(cards.board)} cards, expected {wanted}")
        told = betting_features(np.array([state.bets]), np.array([state.actor]), self.history)
        return state, np.concatenate([cards.strength(), told[0]])

    def _answer(self, state: BettingState, x: np.ndarray) -> dict[str, float]:
        """The leaf's probabilities over legal labels, renormalised; if nothing is left, check or call."""
        p = decision_tree.predict(self.trees[state.street], x[None])[0].astype(np.float64)
        legal = [label for label, _, _ in offered(state, self._menu, self.labels)]
        total = p[legal].sum()
        return {self.labels[k]: float(p[k] / total if total > 1e-9 else k == CALL) for k in legal}

    def _steps(self, state: BettingState, x: np.ndarray) -> list[Step]:
        return steps(self.trees[state.street], feature_names(state.street, self.history), x)


def steps(model: DecisionTree, names: Sequence[str], x: np.ndarray) -> list[Step]:
    """The questions that a tree asks about features x (n_features,) float32, from the root to the leaf."""
    node, made = 0, []
    while (k := int(model.feature[node])) >= 0:
        made.append(Step(names[k], float(x[k]), float(model.threshold[node])))
        node = int((model.left if x[k] <= model.threshold[node] else model.right)[node])
    return made


def _words(label: str, to_call: int, amount: int) -> str:
    """Such as "check", "call", "raise_1 (to $300)"."""
    if label in ("fold", "call"):
        return "check" if label == "call" and not to_call else label
    return f"{label} (to ${amount:,})"


def _history(names: Sequence[tuple[str, ...]]) -> str:
    """The setting whose features these are, of four rounds; ValueError naming a round that has others."""
    known = {history: [feature_names(street, history) for street in range(4)] for history in HISTORIES}
    for history, expected in known.items():
        if list(names) == expected:
            return history
    street = next((k for k, given in enumerate(names) if given not in [expected[k] for expected in known.values()]), 3)
    raise ValueError(f"{STREETS[street]}: features {names[street]}, expected one of {[f[street] for f in known.values()]}")


def _menu(labels: Sequence[str], menu: Menu | None) -> Menu:
    """The sizes offered: those of the agent's own game where its file tells, else every size everywhere."""
    try:
        if menu is None:
            sizes = [float(name.removeprefix("raise_")) for name in labels if name.startswith("raise_")]
            menu = {street: [sizes] for street in STREETS}
        known = menu_labels(menu)
    except (TypeError, ValueError) as error:
        raise ValueError(f"menu {menu}, labels {labels}: expected pot fractions ({error})") from error
    if known != tuple(labels):
        raise ValueError(f"labels are {labels}, expected {known}, those of the agent's menu")
    return menu


def load_agent(path: str | os.PathLike) -> TreeAgent:
    """Read a tree agent, such as reports/agents/cart.json; raises ValueError naming what is wrong with it."""
    return TreeAgent(load_agent_file(Path(path)))


def tree_policy(
    tree: BettingTree, tables: tuple[StreetTable, ...], models: Sequence[DecisionTree], history: str = "opponent"
) -> ModelPolicy:
    """The policy of four decision trees, one a round, that are told this of the betting (a `TreeAgent`'s `history`)."""
    return ModelPolicy(tree, [partial(decision_tree.predict, model) for model in models], tables, history)


def load_models(
    tree: BettingTree, tables: tuple[StreetTable, ...], distill: str | os.PathLike, agents: str | os.PathLike
) -> dict[str, ModelPolicy]:
    """The models as policies: "CART" and "OCT" from the folder `agents`, "XGBoost" and "NN" from the folder `distill`.

    All are told of the betting what CART's file says. Raises ValueError where a file is missing, of another betting tree or of
    another history.
    """
    grown = {"CART": Path(agents) / "cart.json", "OCT": Path(agents) / "oct.json"}
    boosted = [Path(distill) / f"boosted_{street}.json" for street in STREETS]
    neural = [Path(distill) / f"neural_{street}.safetensors" for street in STREETS]
    for path in (*grown.values(), *boosted, *neural):
        if not path.is_file():
            raise ValueError(f"{path.name}: there is no such file, expected what the stage distill makes")
    read = {name: load_agent(path) for name, path in grown.items()}
    for name, agent in read.items():
        if agent.labels != tree.labels:
            raise ValueError(f"{grown[name].name}: labels are {agent.labels}, expected the tree's {tree.labels}")
    history = read["CART"].history
    if read["OCT"].history != history:
        raise ValueError(f"{grown['OCT'].name}: history is {read['OCT'].history}, expected CART's, {history}")
    asked = {
        "XGBoost": [partial(_halves, Boosted.load(path).predict) for path in boosted],
        "NN": [partial(_halves, Neural.load(path).predict) for path in neural],
    }
    for name, predict in asked.items():
        _check_predict(name, tree, predict, history)
    others = {name: ModelPolicy(tree, predict, tables, history) for name, predict in asked.items()}
    return {name: tree_policy(tree, tables, agent.trees, history) for name, agent in read.items()} | others


def _check_predict(name: str, tree: BettingTree, predict: Sequence[Predict], history: str) -> None:
    """Raises ValueError unless a model takes the features of its round and answers with the tree's labels."""
    for street, answer in enumerate(predict):
        n = answer(np.zeros((1, len(feature_names(street, history))), dtype=np.float32)).shape[1]
        if n != len(tree.labels):
            raise ValueError(f"{name}, {STREETS[street]}: {n} labels, expected the tree's {len(tree.labels)}")


def _halves(predict: Predict, X: np.ndarray) -> np.ndarray:
    """The same predictions by two threads, for models that predict on one."""
    middle = len(X) // (2 * _SPLIT) * _SPLIT
    if middle == 0:
        return predict(X)
    with ThreadPoolExecutor(2) as pool:
        return np.concatenate(list(pool.map(predict, (X[:middle], X[middle:]))))
