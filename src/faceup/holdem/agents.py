"""Agents with a text interface (paper 000, Section 2.4), and adapters between agents and policies.

    >>> agent = load_agent("reports/agents/cart.json")                         # doctest: +SKIP
    >>> agent.action_probabilities("Ac3h", board="Kh3sJc", betting="b300c/kb400")  # doctest: +SKIP

Betting is written as Slumbot writes it: see holdem/betting_lines.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
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
    short_repr,
)
from faceup.cards.equity import StreetEquities
from faceup.cards.features import BETTING_FEATURES, betting_features, feature_names, hole_features
from faceup.holdem.bet_translation import translate_action
from faceup.holdem.betting_lines import line_to, longer, state_after
from faceup.holdem.betting_tree import BettingTree, children, columns, decision_nodes
from faceup.holdem.deciding import Deciding, deciding
from faceup.holdem.policy import (
    ModelPolicy,
    Policy,
    StreetRows,
    argmax_rows,
    cached,
    checked_answers,
    fixed_row,
    legal_probabilities,
    model_inputs,
)
from faceup.holdem.rules import DECISION, BettingState, Menu, menu_labels, offered, pot_and_call
from faceup.holdem.showdown import free_holes
from faceup.holdem.wording import Step, call_words, path_steps, range_words
from faceup.trees.agent_file import load_agent_file, save_agent
from faceup.trees.tree import DecisionTree, leaf_of
from faceup.util.memo import Cache

Action = tuple[str, int]  # as `rules.act` takes it
# an agent's reading of the betting so far: the line itself, or the node of its own tree that it
# takes the line for
Reading = Any


class Agent:
    """Interface: (hands, board, betting line in dollars) -> action probabilities.

    A subclass implements `answers`. One whose bet sizes are no menu has a `legal` of its own.
    """

    def __init__(self, menu: Menu):
        """menu: the agent's bet sizes, from which its action labels follow."""
        self.menu, self.labels = menu, menu_labels(menu)

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> Any:
        """A weight for each of `labels` with each of n holes (n,): (n, n_labels).

        Weights need not sum to 1. Those of illegal actions are dropped and the others renormalized;
        where nothing is left the agent checks or calls.
        """
        raise NotImplementedError

    def legal(self, betting: Reading = "") -> dict[str, int]:
        """Legal actions by label, each with the dollars to which it brings the player's bet on this
        street.
        """
        state = state_after(betting)
        bet = state.bets[state.actor][state.street]
        called = {"fold": bet, "call": bet + pot_and_call(state)[1]}
        return {
            self.labels[k]: called.get(action, amount)
            for k, action, amount in offered(state, self.menu, self.labels)
        }

    def probabilities(
        self, holes: np.ndarray, board: Sequence[int], betting: Reading
    ) -> np.ndarray:
        """Action probabilities with each of n holes, (n, n_legal) float64, columns as in `legal`.

        board: 0, 3, 4 or 5 cards; a hole that it blocks may get any row. Raises ValueError on a
        line that leads to no decision on the board's street, and on malformed answers.
        """
        decision_state(board, betting)
        answers = self.answers(holes, board, betting)
        source = f"{type(self).__name__} at betting {betting!r}"
        p = checked_answers(answers, len(holes), len(self.labels), source)
        legal = [self.labels.index(label) for label in self.legal(betting)]
        return legal_probabilities(p, np.array(legal))

    def fold_probabilities(
        self, holes: np.ndarray, board: Sequence[int], seen: Sequence[tuple[Reading, BettingState]]
    ) -> np.ndarray:
        """Probability of folding each of n holes to each of k raises, (k, n).

        seen: the reading after each raise, and the state in dollars.
        """
        return np.stack(
            [self.probabilities(holes, board, r)[:, 0] * ("fold" in self.legal(r)) for r, _ in seen]
        )

    def action_probabilities(
        self, hole: str, board: str = "", betting: str = ""
    ) -> dict[str, float]:
        """Probability of each legal action of the player to act, by label; "call" includes check.

        hole: "Ac3h", the cards of the player to act; board: "", "Kh3sJc", ..; betting:
        "b300c/kb400". Raises ValueError on a bad card, a board of another street than the line's,
        and lines as in `state_after`.
        """
        private, public = parse_hand(hole, board)
        row = self.probabilities(np.array([hole_index(*private)]), public, betting)[0]
        return dict(zip(self.legal(betting), row.tolist(), strict=True))

    def readings(
        self, reading: Reading, state: BettingState, action: Action, own: int | None = None
    ) -> list[tuple[Reading, float]]:
        """The agent's possible readings after an action in a state, with their probabilities.

        `legal` and `probabilities` take a reading for a line. own: which of the agent's legal
        actions it is, if any.
        """
        return [(longer(reading, state, action), 1.0)]


def decision_state(board: Sequence[int], betting: str) -> BettingState:
    """The state after a line; raises ValueError unless the board has the cards of its street."""
    state = state_after(betting)
    n_cards = BOARD_CARDS[state.street]
    if len(board) != n_cards:
        raise ValueError(
            f"board {cards_text(board)!r}: has {len(board)} cards, expected {n_cards} cards on the "
            f"{STREETS[state.street]}, as betting {betting!r} leads to"
        )
    return state


def cards_text(cards: Sequence[int]) -> str:
    """Cards as text, such as "Kh3sJc"."""
    return "".join(card_text(int(card)) for card in cards)


class TreeAgent(Agent):
    """Four decision trees, one a street, with their reasons in words."""

    def __init__(
        self,
        menu: Menu,
        trees: Sequence[DecisionTree],
        equities: tuple[StreetEquities, ...] | None = None,
        feature_set: str = "opponent",
        provenance: dict[str, Any] | None = None,
    ):
        """trees: preflop first, with predictions for the menu's labels; feature_set: as in
        `ModelPolicy`.

        equities: of cards/equity, faster for many boards (None: each is swept by itself);
        provenance: of the agent's file.
        """
        super().__init__(menu)
        self.trees, self.equities, self.feature_set = tuple(trees), equities, feature_set
        self.provenance = provenance or {}
        self._hands, self._argmax = Cache(), False  # hand features of the last boards

    def policy(self, betting_tree: BettingTree) -> ModelPolicy:
        """The agent on a betting tree of its labels; raises ValueError on others, or without
        equities.
        """
        if self.labels != (expected := betting_tree.labels):
            raise ValueError(f"agent: labels are {self.labels}, expected the tree's {expected}")
        assert self.equities is not None, "the agent was loaded without equities"
        policy = ModelPolicy(betting_tree, self.trees, self.equities, self.feature_set)
        return policy.argmax() if self._argmax else policy

    def save(self, path: str | os.PathLike) -> None:
        """Write the agent's file."""
        names = [feature_names(street, self.feature_set) for street in range(4)]
        save_agent(Path(path), self.trees, names, self.labels, self.provenance)

    def argmax(self) -> "TreeAgent":
        """The agent that takes this one's most probable legal action, the first among equals."""
        other = copy(self)
        other._argmax = True
        return other

    def _played(self, p: np.ndarray) -> np.ndarray:
        """Probabilities of legal actions (n, n_legal), by argmax where the agent plays so."""
        return argmax_rows(p, np.array([0]), np.array([p.shape[1]])) if self._argmax else p

    def probabilities(
        self, holes: np.ndarray, board: Sequence[int], betting: Reading
    ) -> np.ndarray:
        """As in `Agent`."""
        return self._played(super().probabilities(holes, board, betting))

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> np.ndarray:
        """As in `Agent`."""
        state = state_after(betting)
        return self.trees[state.street].predict(self.features(holes, board, [state]))

    def fold_probabilities(
        self, holes: np.ndarray, board: Sequence[int], seen: Sequence[tuple[Reading, BettingState]]
    ) -> np.ndarray:
        """As in `Agent`, by one prediction for all raises."""
        states = [state for _, state in seen]
        x = self.features(holes, board, states)
        p = self.trees[states[0].street].predict(x).reshape(len(states), len(holes), -1)
        found = []
        for state, answers in zip(states, p, strict=True):
            legal = np.array([label for label, *_ in offered(state, self.menu, self.labels)])
            found.append(self._played(legal_probabilities(answers, legal))[:, 0])
        return np.stack(found)

    def features(
        self, holes: np.ndarray, board: Sequence[int], states: Sequence[BettingState]
    ) -> np.ndarray:
        """Inputs of the street's tree for n holes in k states, as in `model_inputs`."""
        key = tuple(board), holes.tobytes()
        hands = cached(self._hands, key, hole_features, holes, list(board), self.equities)
        bets, actors = zip(*((state.bets, state.actor) for state in states), strict=True)
        return model_inputs(
            hands, betting_features(np.array(bets), np.array(actors), self.feature_set)
        )

    def path(self, hole: str, board: str = "", betting: str = "") -> list[Step]:
        """The splits from the root to a hand's leaf; arguments as in `action_probabilities`."""
        private, public = parse_hand(hole, board)
        state = decision_state(public, betting)
        decision_tree = self.trees[state.street]
        names = feature_names(state.street, self.feature_set)
        x = self.features(np.array([hole_index(*private)]), public, [state])
        return path_steps(decision_tree, names, int(leaf_of(decision_tree, x)[0]))

    def deciding(self, hole: str, board: str = "", betting: str = "") -> tuple[Deciding, list[str]]:
        """The conditions that decide the likeliest action, and each in words with the hand's value.

        Arguments as in `action_probabilities`.
        """
        private, public = parse_hand(hole, board)
        state = decision_state(public, betting)
        names = feature_names(state.street, self.feature_set)
        holes = np.flatnonzero(free_holes(public))
        hands = self.features(holes, public, [state])
        x = hands[np.searchsorted(holes, hole_index(*private))]
        legal = np.array([label for label, *_ in offered(state, self.menu, self.labels)])
        told = (f"opponent_bet_{STREETS[state.street]}", "bet_faced")
        given = () if pot_and_call(state)[1] else told  # with nothing to call it is clear
        found = deciding(self.trees[state.street], names, x, hands, legal, given)
        values = dict(zip(names, x.tolist(), strict=True))
        words = [range_words(name, limits, values[name]) for name, limits in found.ranges.items()]
        return found, words

    def explain(self, hole: str, board: str = "", betting: str = "") -> str:
        """The actions, and the conditions of the tree's path that decide the likeliest one, in
        words. Arguments as in `action_probabilities`.
        """
        answer = self.action_probabilities(hole, board, betting)
        state, amounts = state_after(betting), self.legal(betting)
        pot, to_call = pot_and_call(state)
        raises = "raise to" if any(bets[state.street] for bets in state.bets) else "bet"
        names = {"fold": "fold", "call": "call" if to_call else "check"}
        actions = [
            (p, names.get(label, f"{raises} ${amounts[label]:,}"))
            for label, p in sorted(answer.items(), key=lambda item: -item[1])
        ]
        found, why = self.deciding(hole, board, betting)
        like = f"with {found.same} of the {found.met} hands that meet these conditions"
        shares = [f"{100 * p:.0f} % {action}" for p, action in actions if p >= 0.005]
        why = why or ["nearly every hand does the same here"]
        return "\n".join(
            [
                f"{STREETS[state.street]}: ${pot:,} in the pot, {call_words(pot, to_call)}",
                *(f"  {'    and' if i else 'because'} {reason}" for i, reason in enumerate(why)),
                f"so: {', '.join(shares)}",
                f"{actions[0][1]} is likeliest {like}",
            ]
        )


class FunctionAgent(Agent):
    """A function of one hand as an agent; it is called once a hand."""

    def __init__(self, function: Callable[[str, str, str], Mapping[str, float]], menu: Menu):
        """function("Ac3h", "Kh3sJc", "b300c/kb400") -> {label: weight} as in `Agent.answers`;
        labels are the menu's.
        """
        super().__init__(menu)
        self.function = function

    def answers(self, holes: np.ndarray, board: Sequence[int], betting: str) -> list[list[float]]:
        """As in `Agent`; raises ValueError on a malformed answer."""
        rows = []
        for pair in HOLE_CARDS[holes].tolist():
            answer = self.function(cards_text(pair), cards_text(board), betting)
            if not isinstance(answer, Mapping) or not answer or set(answer) - set(self.labels):
                raise ValueError(
                    f"function: answer {short_repr(answer)}, expected a probability for one or "
                    f"more of {self.labels}"
                )
            rows.append([answer.get(label, 0) for label in self.labels])
        return rows


class PolicyAgent(Agent):
    """A policy of a betting tree as an agent; its readings are nodes of the tree, "" is the root.

    Bets that the tree lacks are read as neighboring sizes. Where only the tree's players are
    all-in, it calls.
    """

    def __init__(self, tree: BettingTree, policy: Policy):
        """policy: of the tree."""
        self.tree, self.policy = tree, policy
        self._rows = Cache()  # of the last boards

    def readings(
        self, reading: int | str, state: BettingState, action: Action, own: int | None = None
    ) -> list[tuple[int, float]]:
        """Nodes as which an action may be read, with their probabilities."""
        node = int(reading or 0)
        if self.tree.kind[node] != DECISION:
            return [(node, 1.0)]
        if own is not None:
            return [(children(self.tree, node)[own], 1.0)]
        return translate_action(self.tree, node, state, *action)

    def legal(self, betting: int | str = "") -> dict[str, int]:
        """As in `Agent`, in dollars of the tree."""
        tree, node = self.tree, int(betting or 0)
        if tree.kind[node] != DECISION:
            return {"call": 0}
        bets = tree.bets[:, tree.actor[node], tree.street[node]]
        return {tree.labels[tree.label[c]]: int(bets[c]) for c in children(tree, node)}

    def probabilities(
        self, holes: np.ndarray, board: Sequence[int], betting: int | str
    ) -> np.ndarray:
        """The policy's rows, one a hole, over the actions of the tree's decision."""
        node = int(betting or 0)
        if self.tree.kind[node] != DECISION:
            return np.ones((len(holes), 1))
        rows, row_of_hole = cached(
            self._rows,
            tuple(board),
            self.policy.street_rows,
            int(self.tree.street[node]),
            list(board),
        )
        return rows[row_of_hole[holes], columns(self.tree, node)].astype(np.float64)


class AgentPolicy:
    """Any agent as a policy of a betting tree."""

    def __init__(self, tree: BettingTree, agent: Agent, seat: int | None = None):
        """seat: the only one to play in (None: both); the policy calls at the other's decisions.

        Raises ValueError where the agent's legal actions are not those of the tree.
        """
        self.tree, self.agent = tree, agent
        self._lines = [
            {int(node): line_to(tree, node) for node in decision_nodes(tree, street, seat)}
            for street in range(4)
        ]
        for node, line in (item for lines in self._lines for item in lines.items()):
            legal = list(agent.legal(line))
            expected = [tree.labels[tree.label[c]] for c in children(tree, node)]
            if legal != expected:
                raise ValueError(
                    f"agent at betting {line!r}: legal are {legal}, expected the tree's {expected}"
                )

    def on(self, tree: BettingTree, seat: int) -> "AgentPolicy":
        """The agent in a seat of a tree where the other player has other bets: it reads dollars."""
        return AgentPolicy(tree, self.agent, seat)

    def street_rows(
        self, street: int, board: list[int], wanted_holes: np.ndarray | None = None
    ) -> StreetRows:
        """A row for each wanted hole; each board has a table of its own."""
        holes = np.flatnonzero(free_holes(board) if wanted_holes is None else wanted_holes)
        rows = np.repeat(fixed_row(self.tree, street), len(holes), axis=0)
        for node, line in self._lines[street].items():
            rows[:, columns(self.tree, node)] = self.agent.probabilities(holes, board, line)
        row_of_hole = np.zeros(N_HOLES, dtype=np.int32)
        row_of_hole[holes] = np.arange(len(holes))
        return rows, row_of_hole


def load_agent(
    path: str | os.PathLike, equities: tuple[StreetEquities, ...] | None = None
) -> TreeAgent:
    """Read a tree agent, such as reports/agents/cart.json; equities: as in `TreeAgent`.

    Raises ValueError naming the file and what is wrong with it.
    """
    name, file = Path(path).name, load_agent_file(Path(path))
    menu: Any = file.provenance.get("menu")
    try:
        labels = menu_labels(menu)
    except ValueError as error:
        raise ValueError(f"{name}: provenance.{error}") from error
    if file.labels != labels:
        raise ValueError(
            f"{name}: labels are {str(file.labels)[:100]}, expected {labels}, those of its menu"
        )
    for street, tree in zip(STREETS, file.trees, strict=True):
        offers = menu_labels(dict.fromkeys(STREETS, menu[street]))
        plays = {labels[k] for k in np.flatnonzero(tree.value.any(axis=0))}
        if missing := plays - {*offers}:
            raise ValueError(
                f"{name}: provenance.menu: {street} {short_repr(menu[street])}, expected also "
                f"{sorted(missing)}, which the tree plays"
            )
    for feature_set in BETTING_FEATURES:
        if file.feature_names == tuple(feature_names(street, feature_set) for street in range(4)):
            return TreeAgent(menu, file.trees, equities, feature_set, file.provenance)
    raise ValueError(
        f"{name}: features are {str(file.feature_names)[:100]}, expected those of one of "
        f"{', '.join(BETTING_FEATURES)}"
    )
