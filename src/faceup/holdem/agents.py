"""Agents that are asked in text (paper 000, Section 2.4), and agents and policies in each other's
place.

    >>> agent = load_agent("reports/agents/cart.json")                              # doctest: +SKIP
    >>> agent.action_probabilities(hole="Ac3h", board="Kh3sJc", betting="b300c/kb400")    # doctest: +SKIP

Betting is written as Slumbot writes it: see holdem/lines.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from faceup.cards.cards import (
    BOARD_CARDS,
    HOLE_CARDS,
    N_HOLES,
    STREETS,
    card_text,
    hole_index,
    parse_hand,
)
from faceup.cards.equity import StreetTable
from faceup.cards.features import BETTING_FEATURES, betting_features, feature_names, hole_features
from faceup.holdem.betting_lines import line_to, longer, read_action, state_after
from faceup.holdem.board import free_holes
from faceup.holdem.policy import (
    ModelPolicy,
    Policy,
    StreetRows,
    always_call_row,
    argmax_rows,
    cached,
    checked_answers,
    legal_probabilities,
    model_inputs,
)
from faceup.holdem.rules import DECISION, BettingState, Menu, menu_labels, offered, pot_and_call
from faceup.holdem.tree import BettingTree, children, columns, decisions
from faceup.holdem.wording import Step, call_words, reasons
from faceup.trees.agent_file import load_agent_file, save_agent
from faceup.trees.tree import DecisionTree, leaf_of, path_to
from faceup.util.memo import Cache

Action = tuple[str, int]  # as betting's `act` takes it
# what an agent makes of the line so far: the line itself, or the node of its own tree that it
# believes to be at
View = Any


class Agent:
    """Who is asked with a line of betting in dollars, for many hands at once; it raises by the
    sizes of a menu.

    A subclass says what it does in `answers`. An agent with other sizes has a `legal` of its own.
    """

    def __init__(self, menu: Menu):
        """labels: of all its actions, in the order of the menu's."""
        self.menu, self.labels = menu, menu_labels(menu)

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> Any:
        """A weight for each label of `labels` with each of n holes (n,), (n, n_labels); weights
        need not sum to 1.

        What goes to actions that are not legal is shared out among the legal ones; where none is
        left it checks or calls.
        """
        raise NotImplementedError

    def legal(self, betting: View = "") -> dict[str, int]:
        """Legal actions by label, and the dollars on this street to which each brings the player's
        bet.
        """
        state = state_after(betting)
        bet = state.bets[state.actor][state.street]
        called = {"fold": bet, "call": bet + pot_and_call(state)[1]}
        return {
            self.labels[k]: called.get(action, amount)
            for k, action, amount in offered(state, self.menu, self.labels)
        }

    def probabilities(self, holes: np.ndarray, board: Sequence[int], betting: View) -> np.ndarray:
        """What the player to act does with each of n holes, (n, n_legal) float64, columns in the
        order of `legal`.

        board: 0, 3, 4 or 5 cards. A hole that it blocks may get any row. Raises ValueError where
        the line is not one of a decision on the board's street, and on answers that are none.
        """
        check_street(board, betting)
        who = f"{type(self).__name__} at betting {betting!r}"
        p = checked_answers(self.answers(holes, board, betting), len(holes), len(self.labels), who)
        return legal_probabilities(
            p, np.array([self.labels.index(label) for label in self.legal(betting)])
        )

    def fold_probabilities(
        self, holes: np.ndarray, board: Sequence[int], seen: Sequence[tuple[View, BettingState]]
    ) -> np.ndarray:
        """Probability that it folds each of n holes to a raise, at each of k views and the states
        in dollars there, (k, n).
        """
        return np.stack(
            [self.probabilities(holes, board, v)[:, 0] * ("fold" in self.legal(v)) for v, _ in seen]
        )

    def action_probabilities(
        self, hole: str, board: str = "", betting: str = ""
    ) -> dict[str, float]:
        """Probability of each legal action of the player to act, by label; "call" is check if that
        is free.

        hole: "Ac3h", the cards of the player to act; board: "", "Kh3sJc", ..; betting:
        "b300c/kb400". Raises ValueError on a bad card, a board of another street than the line's,
        and lines as in `state_after`.
        """
        private, public = parse_hand(hole, board)
        row = self.probabilities(np.array([hole_index(*private)]), public, betting)[0]
        return dict(zip(self.legal(betting), row.tolist(), strict=True))

    def seated(self, seat: int) -> "Agent":
        """The agent in a seat: itself, unless it has one for each."""
        return self

    def views(
        self, view: View, state: BettingState, action: Action, own: int | None = None
    ) -> list[tuple[View, float]]:
        """What the agent makes of an action in a state: the views that it may then have, and their
        probabilities.

        `legal` and `probabilities` take a view for a line. own: which of the agent's legal actions
        it is, if any.
        """
        return [(longer(view, state, action), 1.0)]


def cards_text(cards: Sequence[int]) -> str:
    """Cards as text, such as "Kh3sJc"."""
    return "".join(card_text(int(card)) for card in cards)


def check_street(board: Sequence[int], betting: str) -> None:
    """Raises ValueError unless a board has the cards of the street that a line leads to."""
    street = state_after(betting).street
    if len(board) != BOARD_CARDS[street]:
        wanted = f"{BOARD_CARDS[street]} cards on the {STREETS[street]}, to which betting {betting!r} leads"
        raise ValueError(f"board {cards_text(board)!r}: has {len(board)} cards, expected {wanted}")


class TreeAgent(Agent):
    """Four decision trees, one a street, that can say why."""

    def __init__(
        self,
        menu: Menu,
        trees: Sequence[DecisionTree],
        tables: tuple[StreetTable, ...] | None = None,
        history: str = "opponent",
        provenance: dict[str, Any] | None = None,
    ):
        """trees: preflop first, whose answers are for the menu's labels; history: as in
        `ModelPolicy`.

        tables: of cards/equity, for many questions (None: each hand is evaluated by itself);
        provenance: of the agent's file.
        """
        super().__init__(menu)
        self.trees, self.tables, self.history, self.provenance = (
            tuple(trees),
            tables,
            history,
            provenance or {},
        )
        self._hands, self._argmax = Cache(), False  # features of the last hands queried

    def policy(self, tree: BettingTree) -> ModelPolicy:
        """The agent on a betting tree with its labels. Raises ValueError where it has no tables."""
        if self.tables is None:
            raise ValueError(
                "tables: expected those of cards/equity, which a policy looks hands up in"
            )
        return ModelPolicy(tree, self.trees, self.tables, self.history)

    def save(self, path: str | os.PathLike) -> None:
        """Write the agent's file."""
        names = [feature_names(street, self.history) for street in range(4)]
        save_agent(Path(path), self.trees, names, self.labels, self.provenance)

    def argmax(self) -> "TreeAgent":
        """The agent that takes this one's likeliest legal action each time, of equals the first:
        argmax play.
        """
        other = copy(self)
        other._argmax = True
        return other

    def _played(self, p: np.ndarray) -> np.ndarray:
        """Legal actions' probabilities (n, n_legal), or 1 for the likeliest."""
        return argmax_rows(p, np.array([0]), np.array([p.shape[1]])) if self._argmax else p

    def probabilities(self, holes: np.ndarray, board: Sequence[int], betting: View) -> np.ndarray:
        """As in `Agent`."""
        return self._played(super().probabilities(holes, board, betting))

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> np.ndarray:
        """As in `Agent`."""
        state = state_after(betting)
        return self.trees[state.street].predict(self.features(holes, board, [state]))

    def fold_probabilities(
        self, holes: np.ndarray, board: Sequence[int], seen: Sequence[tuple[View, BettingState]]
    ) -> np.ndarray:
        """As in `Agent`: the tree is asked once."""
        states = [state for _, state in seen]
        p = (
            self.trees[states[0].street]
            .predict(self.features(holes, board, states))
            .reshape(len(states), len(holes), -1)
        )
        legal = [
            np.array([label for label, *_ in offered(state, self.menu, self.labels)])
            for state in states
        ]
        return np.stack(
            [
                self._played(legal_probabilities(one, labels))[:, 0]
                for one, labels in zip(p, legal, strict=True)
            ]
        )

    def features(
        self, holes: np.ndarray, board: Sequence[int], states: Sequence[BettingState]
    ) -> np.ndarray:
        """What the street's tree reads of each of n holes in each of k states, (k n, n_features)
        float32: a state at a time.
        """
        hands = cached(
            self._hands,
            (tuple(board), holes.tobytes()),
            partial(hole_features, holes, list(board), self.tables),
        )
        bets, actors = (
            np.array([state.bets for state in states]),
            np.array([state.actor for state in states]),
        )
        return model_inputs(hands, betting_features(bets, actors, self.history))

    def path(self, hole: str, board: str = "", betting: str = "") -> list[Step]:
        """The questions from the root to the leaf that answers; arguments as in
        `action_probabilities`.
        """
        private, public = parse_hand(hole, board)
        check_street(public, betting)
        state = state_after(betting)
        tree, names = self.trees[state.street], feature_names(state.street, self.history)
        x = self.features(np.array([hole_index(*private)]), public, [state])
        splits = [split for split, _ in path_to(tree, int(leaf_of(tree, x)[0]))]
        asked = zip(tree.feature[splits], tree.threshold[splits], strict=True)
        return [Step(names[k], float(x[0, k]), float(threshold)) for k, threshold in asked]

    def explain(self, hole: str, board: str = "", betting: str = "") -> str:
        """The way through the tree in words, answers about the same number put together, then what
        it does.
        """
        why, answer = (
            reasons(self.path(hole, board, betting)),
            self.action_probabilities(hole, board, betting),
        )
        state, amounts = state_after(betting), self.legal(betting)
        pot, to_call = pot_and_call(state)
        lines = [f"{STREETS[state.street]}: ${pot:,} in the pot, {call_words(pot, to_call)}"]
        lines += [
            f"  {'because' if i == 0 else '    and'} {reason}" for i, reason in enumerate(why)
        ]
        raises = "raise to" if any(bets[state.street] for bets in state.bets) else "bet"
        names = {"fold": "fold", "call": "call" if to_call else "check"}
        likeliest = sorted(answer.items(), key=lambda item: -item[1])
        actions = [
            f"{100 * p:.0f} % {names.get(a, f'{raises} ${amounts[a]:,}')}"
            for a, p in likeliest
            if p >= 0.005
        ]
        return "\n".join([*lines, "so: " + ", ".join(actions)])


class FunctionAgent(Agent):
    """A function of one hand, asked for one hand after the other."""

    def __init__(self, function: Callable[[str, str, str], Mapping[str, float]], menu: Menu):
        """function("Ac3h", "Kh3sJc", "b300c/kb400") -> {label: weight} as in `Agent.answers`;
        labels are the menu's.
        """
        super().__init__(menu)
        self.function = function

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> list[list[float]]:
        """As in `Agent`; ValueError on an answer that is none."""
        rows = []
        for pair in HOLE_CARDS[holes].tolist():
            answer = self.function(cards_text(pair), cards_text(board), betting)
            if not isinstance(answer, Mapping) or not answer or set(answer) - set(self.labels):
                raise ValueError(
                    f"function: answer {answer!r}, expected a probability for one or more of {self.labels}"
                )
            rows.append([answer.get(label, 0) for label in self.labels])
        return rows


class PolicyAgent(Agent):
    """A policy of a betting tree as local best responses ask it: its views are nodes of the tree,
    "" is the root.

    Bets that the tree has not are read as the sizes beside them. Where only the tree has the
    players all-in, it calls.
    """

    def __init__(self, tree: BettingTree, policy: Policy):
        """policy: answers for the tree's nodes."""
        self.tree, self.policy = tree, policy
        self._rows = Cache()  # of the last boards

    def views(
        self, view: int | str, state: BettingState, action: Action, own: int | None = None
    ) -> list[tuple[int, float]]:
        """Nodes as which an action may be read, and their probabilities."""
        node = int(view or 0)
        if self.tree.kind[node] != DECISION:
            return [(node, 1.0)]
        return (
            read_action(self.tree, node, state, *action)
            if own is None
            else [(children(self.tree, node)[own], 1.0)]
        )

    def legal(self, betting: int | str = "") -> dict[str, int]:
        """In dollars of the tree."""
        tree, node = self.tree, int(betting or 0)
        if tree.kind[node] != DECISION:
            return {"call": 0}
        return {
            tree.labels[tree.label[c]]: int(tree.bets[c, tree.actor[node], tree.street[node]])
            for c in children(tree, node)
        }

    def probabilities(
        self, holes: np.ndarray, board: Sequence[int], betting: int | str
    ) -> np.ndarray:
        """The policy's rows, one a hole, over the actions of the tree's decision."""
        node = int(betting or 0)
        if self.tree.kind[node] != DECISION:
            return np.ones((len(holes), 1))
        ask = partial(self.policy.street, int(self.tree.street[node]), list(board))
        rows, row_of_hole = cached(self._rows, tuple(board), ask)
        return rows[row_of_hole[holes], columns(self.tree, node)].astype(np.float64)


class SeatedAgent(Agent):
    """One agent as small blind and another as big blind, for local best responses."""

    def __init__(self, small_blind: Agent, big_blind: Agent):
        self._agents = small_blind, big_blind

    def seated(self, seat: int) -> Agent:
        """As in `Agent`."""
        return self._agents[seat]


class AgentPolicy:
    """Any agent as a policy of a betting tree: on each street it is asked at every decision, for
    the holes that are wanted.
    """

    def __init__(self, tree: BettingTree, agent: Agent, seat: int | None = None):
        """seat: the only one in which it will play (None: both); at the other's decisions it then
        calls.

        Raises ValueError where the agent's legal actions are not those of the tree.
        """
        self.tree, self.agent = tree, agent
        self._lines = [
            {int(node): line_to(tree, node) for node in decisions(tree, street, seat)}
            for street in range(4)
        ]
        self._rows = Cache()  # of the last boards
        for node, line in (item for lines in self._lines for item in lines.items()):
            offers, own = (
                [tree.labels[tree.label[c]] for c in children(tree, node)],
                list(agent.legal(line)),
            )
            if own != offers:
                raise ValueError(
                    f"agent at betting {line!r}: legal are {own}, expected the tree's {offers}"
                )

    def on(self, tree: BettingTree, seat: int) -> "AgentPolicy":
        """As in `DollarPolicy`."""
        return AgentPolicy(tree, self.agent, seat)

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """A row for all wanted holes with which the agent acts alike; each board has a table of its
        own.
        """
        asked = free_holes(board) if wanted is None else wanted
        return cached(
            self._rows,
            (tuple(board), asked.tobytes()),
            partial(self._street, street, board, np.flatnonzero(asked)),
        )

    def _street(self, street: int, board: list[int], holes: np.ndarray) -> StreetRows:
        out, row_of_hole = (
            np.repeat(always_call_row(self.tree, street), len(holes), axis=0),
            np.zeros(N_HOLES, dtype=np.int32),
        )
        for node, line in self._lines[street].items():
            out[:, columns(self.tree, node)] = self.agent.probabilities(holes, board, line)
        rows, row = np.unique(out, axis=0, return_inverse=True)
        row_of_hole[holes] = row.reshape(-1)
        return rows, row_of_hole


def load_agent(path: str | os.PathLike, tables: tuple[StreetTable, ...] | None = None) -> TreeAgent:
    """Read a tree agent, such as reports/agents/cart.json; tables: as in `TreeAgent`. Raises
    ValueError naming what is wrong.
    """
    name, file = Path(path).name, load_agent_file(Path(path))
    try:
        menu = file.provenance["menu"]
        labels = menu_labels(menu)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{name}: provenance.menu: expected pot fractions of four rounds ({repr(error)[:100]})"
        ) from error
    if file.labels != labels:
        raise ValueError(
            f"{name}: labels are {str(file.labels)[:100]}, expected {labels}, those of its menu"
        )
    known = {
        tuple(feature_names(street, history) for street in range(4)): history
        for history in BETTING_FEATURES
    }
    if file.feature_names not in known:
        raise ValueError(
            f"{name}: features are {str(file.feature_names)[:100]}, expected those of one of {', '.join(BETTING_FEATURES)}"
        )
    return TreeAgent(menu, file.trees, tables, known[file.feature_names], file.provenance)


def load_policy(
    path: str | os.PathLike, tree: BettingTree, tables: tuple[StreetTable, ...]
) -> ModelPolicy:
    """A tree agent's file as a policy of a betting tree; raises ValueError on a bad file, or on
    other labels than the tree's.
    """
    agent = load_agent(path)
    if agent.labels != tree.labels:
        raise ValueError(
            f"{Path(path).name}: labels are {agent.labels}, expected the tree's {tree.labels}"
        )
    return ModelPolicy(tree, agent.trees, tables, agent.history)


def load_models(
    tree: BettingTree, tables: tuple[StreetTable, ...], distill: Path, agents: Path
) -> dict[str, ModelPolicy]:
    """The distilled models as policies by name, from the folders `agents` (trees) and `distill`
    (the others).
    """
    from faceup.holdem.models import Boosted, Neural

    files = {"CART": "cart", "OCT": "oct", "OCT-X": "oct_x"}
    found = {
        name: load_policy(agents / f"{file}.json", tree, tables) for name, file in files.items()
    }
    paper, extended = found["OCT"].history, found["OCT-X"].history
    mlp = [Neural.load(distill / f"mlp_{street}.safetensors") for street in STREETS]
    for name, file, history in (
        ("XGBoost", "xgboost", paper),
        ("XGBoost-X", "xgboost_x", extended),
    ):
        boosted = [Boosted.load(distill / f"{file}_{street}.json") for street in STREETS]
        found[name] = ModelPolicy(tree, boosted, tables, history)
    return found | {"MLP": ModelPolicy(tree, mlp, tables, paper)}
