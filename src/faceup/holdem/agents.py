"""Agents that are asked in text (paper 000, Section 2.4), and agents and policies in each other's place.

    >>> agent = load_agent("reports/agents/cart.json")                              # doctest: +SKIP
    >>> agent.action_probabilities(hole="Ac3h", board="Kh3sJc", betting="b300c/kb400")    # doctest: +SKIP

Betting is written as Slumbot writes it: see holdem/lines. Models and functions are asked as they are; a policy of a
betting tree becomes an agent by `PolicyAgent`, and any agent a policy of a tree by `AgentPolicy`.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from faceup.cards.cards import HOLE_CARDS, N_HOLES, STREETS, hole_index, parse_hand
from faceup.cards.equity import StreetTable
from faceup.cards.features import HISTORIES, betting_features, check_history, feature_names, hole_features
from faceup.holdem.lines import line_to, node_after, read_action, state_after
from faceup.holdem.policy import (
    Action,
    Agent,
    ModelPolicy,
    Policy,
    StreetRows,
    call_row,
    cards_text,
    check_street,
    checked_answers,
    free_holes,
    last,
    pairs_of,
)
from faceup.holdem.rules import DECISION, BettingState, Menu, menu_labels, pot_and_call
from faceup.holdem.tree import BettingTree, children, columns, decisions
from faceup.holdem.words import Step, call_words, reasons, steps
from faceup.lab.memo import Cache
from faceup.trees.tree import AgentFile, load_agent_file

OneHand = Callable[[str, str, str], Mapping[str, float]]  # (hole, board, betting) -> {label: probability}


class ModelAgent(Agent):
    """Four models, one a street."""

    def __init__(
        self, menu: Menu, models: Sequence[Any], tables: tuple[StreetTable, ...] | None = None, history: str = "opponent"
    ):
        """models, history: as in `ModelPolicy`; tables: of cards/equity (None: each hand is evaluated by itself)."""
        super().__init__(menu)
        self.models, self.tables, self.history = tuple(models), tables, check_history(history)
        self._hands = Cache()  # features of the last hands asked for

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> np.ndarray:
        """As in `Agent`."""
        return self.models[state_after(betting).street].predict(self.features(holes, board, betting))

    def features(self, holes: np.ndarray, board: Sequence[int], betting: str) -> np.ndarray:
        """What the street's model reads of each hole, (n, n_features) float32."""
        state, key = state_after(betting), (tuple(board), holes.tobytes())
        hands = last(self._hands, key, partial(hole_features, holes, list(board), self.tables))
        return pairs_of(hands, betting_features(np.array([state.bets]), np.array([state.actor]), self.history))


class TreeAgent(ModelAgent):
    """Four decision trees, one a street, that can say why."""

    def __init__(self, file: AgentFile, tables: tuple[StreetTable, ...] | None = None):
        """tables: as in `ModelAgent`. Raises ValueError where labels or features are not those that this package knows."""
        known = {history: tuple(feature_names(street, history) for street in range(4)) for history in HISTORIES}
        history = next((setting for setting, names in known.items() if names == file.feature_names), None)
        if history is None:
            expected = list(zip(*known.values(), strict=True))  # of each street
            street = next((k for k, given in enumerate(file.feature_names) if given not in expected[k]), 3)
            raise ValueError(f"{STREETS[street]}: features {file.feature_names[street]}, expected one of {expected[street]}")
        super().__init__(_menu(file.labels, file.provenance.get("menu")), file.trees, tables, history)
        self.trees, self.feature_names, self.provenance = file.trees, file.feature_names, file.provenance

    def path(self, hole: str, board: str = "", betting: str = "") -> list[Step]:
        """The questions from the root to the leaf that answers; arguments as in `action_probabilities`."""
        private, public = parse_hand(hole, board)
        check_street(public, betting)
        x, street = self.features(np.array([hole_index(*private)]), public, betting), state_after(betting).street
        return steps(self.trees[street], self.feature_names[street], x[0])

    def explain(self, hole: str, board: str = "", betting: str = "") -> str:
        """The way through the tree in words, answers about the same number put together, then what it does."""
        why, answer = reasons(self.path(hole, board, betting)), self.action_probabilities(hole, board, betting)
        state, amounts = state_after(betting), self.legal(betting)
        pot, to_call = pot_and_call(state)
        lines = [f"{STREETS[state.street]}: ${pot:,} in the pot, {call_words(pot, to_call)}"]
        lines += [f"  {'because' if i == 0 else '    and'} {reason}" for i, reason in enumerate(why)]
        names = {"fold": "fold", "call": "call" if to_call else "check"}
        likeliest = sorted(answer.items(), key=lambda item: -item[1])
        actions = [f"{names.get(a, f'{a} (to ${amounts[a]:,})')} {100 * p:.0f} %" for a, p in likeliest if p >= 0.005]
        return "\n".join([*lines, "so: " + ", ".join(actions)])


class FunctionAgent(Agent):
    """A function of one hand, asked for one hand after the other."""

    def __init__(self, function: OneHand, menu: Menu):
        """function("Ac3h", "Kh3sJc", "b300c/kb400") -> {label: weight} as in `Agent.answers`; labels are the menu's."""
        super().__init__(menu)
        self.function = function

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> list[list[float]]:
        """As in `Agent`; ValueError on an answer that is none."""
        return [self._answer(cards_text(pair), cards_text(board), betting) for pair in HOLE_CARDS[holes].tolist()]

    def _answer(self, hole: str, board: str, betting: str) -> list[float]:
        answer = self.function(hole, board, betting)
        if not isinstance(answer, Mapping) or not answer or set(answer) - set(self.labels):
            raise ValueError(f"function: answer {answer!r}, expected a probability for one or more of {self.labels}")
        return [answer.get(label, 0) for label in self.labels]


class PolicyAgent(Agent):
    """A policy of a betting tree; bets that the tree has not are read as the likelier of the sizes beside them.

    Its `views` are nodes of the tree, and it may be asked for a node in the place of a line.
    """

    def __init__(self, tree: BettingTree, policy: Policy):
        """policy: answers for the tree's nodes."""
        self.tree, self.policy = tree, policy
        self._rows = Cache()  # of the last boards

    def node(self, betting: str | int) -> int:
        """The node as which a line is read."""
        return node_after(self.tree, betting, state_after(betting).actor, lambda i: 0.5) if isinstance(betting, str) else betting

    def views(self, view: str | int, state: BettingState, action: Action, own: int | None = None) -> list[tuple[int, float]]:
        """Nodes as which an action may be read, and their probabilities."""
        node = self.node(view)
        if self.tree.kind[node] != DECISION:
            return [(node, 1.0)]
        return read_action(self.tree, node, state, *action) if own is None else [(children(self.tree, node)[own], 1.0)]

    def legal(self, betting: str | int = "") -> dict[str, int]:
        """In dollars of the tree; checks and calls where the tree has the players all-in and dollars are left."""
        tree, node = self.tree, self.node(betting)
        if tree.kind[node] != DECISION:
            return {"call": 0}
        return {tree.labels[tree.label[c]]: int(tree.bets[c, tree.actor[node], tree.street[node]]) for c in children(tree, node)}

    def probabilities(self, holes: np.ndarray, board: Sequence[int], betting: str | int) -> np.ndarray:
        """The policy's rows, one a hole, over the actions of the tree's decision; betting: a line, or a node of the tree."""
        if isinstance(betting, str):
            check_street(board, betting)
        node = self.node(betting)
        if self.tree.kind[node] != DECISION:
            return np.ones((len(holes), 1))
        wanted = np.zeros(N_HOLES, dtype=bool)
        wanted[holes] = True
        make = partial(self.policy.street, int(self.tree.street[node]), list(board), wanted)
        rows, row_of_hole = last(self._rows, (tuple(board), wanted.tobytes()), make)
        return rows[row_of_hole[holes], columns(self.tree, node)].astype(np.float64)


class AgentPolicy:
    """Any agent as a policy of a betting tree: on each street it is asked at every decision, for the holes that are wanted."""

    def __init__(self, tree: BettingTree, agent: Agent, seat: int | None = None):
        """seat: the only one in which it will play (None: both); at the other's decisions it then calls.

        Raises ValueError where the agent's legal actions are not those of the tree.
        """
        self.tree, self.agent = tree, agent
        self._lines = [{int(node): line_to(tree, node) for node in decisions(tree, street, seat)} for street in range(4)]
        self._rows = Cache()  # of the last boards
        for node, line in (item for lines in self._lines for item in lines.items()):
            offers, own = [tree.labels[tree.label[c]] for c in children(tree, node)], list(agent.legal(line))
            if own != offers:
                raise ValueError(f"agent at betting {line!r}: legal are {own}, expected the tree's {offers}")

    def on(self, tree: BettingTree, seat: int) -> "AgentPolicy":
        """The same agent in one seat of a tree with other sizes: it reads dollars."""
        return AgentPolicy(tree, self.agent, seat)

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """A row for all wanted holes with which the agent acts alike; each board has a table of its own."""
        asked = free_holes(board) if wanted is None else wanted
        return last(self._rows, (tuple(board), asked.tobytes()), partial(self._street, street, board, np.flatnonzero(asked)))

    def _street(self, street: int, board: list[int], holes: np.ndarray) -> StreetRows:
        out = np.repeat(call_row(self.tree, street), max(len(holes), 1), axis=0)
        for node, line in self._lines[street].items():
            out[: len(holes), columns(self.tree, node)] = self.agent.probabilities(holes, board, line)
        rows, row = np.unique(out, axis=0, return_inverse=True)
        row_of_hole = np.zeros(N_HOLES, dtype=np.int32)
        row_of_hole[holes] = row.reshape(-1)[: len(holes)]
        return rows, row_of_hole


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


def load_agent(path: str | os.PathLike, tables: tuple[StreetTable, ...] | None = None) -> TreeAgent:
    """Read a tree agent, such as reports/agents/cart.json; raises ValueError naming what is wrong with it.

    tables: of cards/equity, for many questions (None: each hand is evaluated by itself).
    """
    return TreeAgent(load_agent_file(Path(path)), tables)


def load_policy(path: str | os.PathLike, tree: BettingTree, tables: tuple[StreetTable, ...]) -> ModelPolicy:
    """A tree agent's file as a policy of a betting tree; raises ValueError on a bad file, or on other labels than the tree's."""
    agent = load_agent(path)
    if agent.labels != tree.labels:
        raise ValueError(f"{Path(path).name}: labels are {agent.labels}, expected the tree's {tree.labels}")
    return ModelPolicy(tree, agent.trees, tables, agent.history)


def load_models(
    tree: BettingTree, tables: tuple[StreetTable, ...], distill: str | os.PathLike, agents: str | os.PathLike
) -> dict[str, ModelPolicy]:
    """The models as policies: "CART" and "OCT" from the folder `agents`, "XGBoost" and "NN" from the folder `distill`.

    All are told of the betting what CART's file says. Raises ValueError where a file is missing, of another betting tree or of
    another history.
    """
    from faceup.holdem.models import Boosted, Neural

    grown = {"CART": Path(agents) / "cart.json", "OCT": Path(agents) / "oct.json"}
    boosted = [Path(distill) / f"boosted_{street}.json" for street in STREETS]
    neural = [Path(distill) / f"neural_{street}.safetensors" for street in STREETS]
    for path in (*grown.values(), *boosted, *neural):
        if not path.is_file():
            raise ValueError(f"{path.name}: there is no such file, expected what the stage distill makes")
    loaded = {name: load_policy(path, tree, tables) for name, path in grown.items()}
    history = loaded["CART"].history
    if loaded["OCT"].history != history:
        raise ValueError(f"{grown['OCT'].name}: history is {loaded['OCT'].history}, expected CART's, {history}")
    others: dict[str, list[Any]] = {"XGBoost": [*map(Boosted.load, boosted)], "NN": [*map(Neural.load, neural)]}
    for name, models in others.items():
        for street, model in enumerate(models):
            one = np.zeros((1, len(feature_names(street, history))), dtype=np.float32)
            checked_answers(model.predict(one), 1, len(tree.labels), f"{name}, {STREETS[street]}")
        loaded[name] = ModelPolicy(tree, models, tables, history)
    return loaded
