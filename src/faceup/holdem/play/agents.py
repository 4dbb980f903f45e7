"""Agents: who can be asked for many hands at once in one public situation (paper 000, Section 2.4).

    >>> agent = load_agent("reports/agents/cart.json")                              # doctest: +SKIP
    >>> agent.action_probabilities(hole="Ac3h", board="Kh3sJc", betting="b300c/kb400")    # doctest: +SKIP

Betting is written as Slumbot writes it: see holdem/betting/notation. Models and functions are asked as they are; a policy of a
betting tree becomes an agent by `PolicyAgent`, and any agent a policy of a tree by `AgentPolicy`.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, STREETS, card_text, hole_index, parse_hand
from faceup.cards.equity import StreetTable
from faceup.cards.features import HISTORIES, betting_features, check_history, feature_names, hole_features
from faceup.holdem.betting.betting_tree import (
    DECISION,
    BettingState,
    BettingTree,
    Menu,
    children,
    decisions,
    menu_labels,
    offered,
    pot_and_call,
)
from faceup.holdem.betting.notation import line_to, state_after
from faceup.holdem.betting.translation import node_after, read_action
from faceup.holdem.play.words import Step, call_words, reasons, steps
from faceup.holdem.solve.policy import (
    Agent,
    ModelPolicy,
    Policy,
    Predict,
    StreetRows,
    ask,
    calls,
    checked_answers,
    checked_rows,
    free_holes,
    legal_probabilities,
)
from faceup.lab.memo import Cache
from faceup.trees.tree import AgentFile, DecisionTree, load_agent_file, predict

_SPLIT = 2048  # rows: a multiple of what a network predicts at once, so that halves give the same bits
OneHand = Callable[[str, str, str], Mapping[str, float]]  # (hole, board, betting) -> {label: probability}


def action_probabilities(agent: Agent, hole: str, board: str = "", betting: str = "") -> dict[str, float]:
    """Probability of each legal action of the player to act, by label; "call" is check if that is free.

    hole: "Ac3h", the cards of the player to act; board: "", "Kh3sJc", ..; betting: "b300c/kb400". Raises ValueError on a bad
    card, a board of another street than the line's, and lines as in `state_after`.
    """
    private, public = parse_hand(hole, board)
    row = agent.probabilities(np.array([private]), public, betting)[0]
    return dict(zip(agent.legal(betting), row.tolist(), strict=True))


def hole_ids(holes: np.ndarray) -> np.ndarray:
    """Numbers (n,) of holes that are given as such, or as two cards each, (n, 2). Raises ValueError on others."""
    holes = np.asarray(holes)
    if holes.ndim == 2:
        holes = np.array([hole_index(*pair) for pair in holes.tolist()], dtype=np.int64)
    if holes.ndim != 1 or holes.dtype.kind not in "iu" or (len(holes) and not 0 <= holes.min() <= holes.max() < len(HOLE_CARDS)):
        raise ValueError(f"holes of shape {holes.shape}: expected numbers 0..{len(HOLE_CARDS) - 1}, or two cards each")
    return holes


def _state(board: Sequence[int], betting: str) -> BettingState:
    """The state that a line leads to; ValueError unless its street has the board's cards."""
    state = state_after(betting)
    if len(board) != BOARD_CARDS[state.street]:
        wanted = f"{BOARD_CARDS[state.street]} cards on the {STREETS[state.street]}, to which betting {betting!r} leads"
        raise ValueError(f"board {_text(board)!r}: has {len(board)} cards, expected {wanted}")
    return state


def _text(cards: Sequence[int]) -> str:
    return "".join(card_text(int(card)) for card in cards)


class _MenuAgent:
    """Reads dollars as they are, and raises by the sizes of a menu."""

    def __init__(self, menu: Menu):
        self.menu, self.labels = menu, menu_labels(menu)

    def legal(self, betting: str = "") -> dict[str, int]:
        """What the menu offers: label -> dollars on the street after it; ValueError on a bad line."""
        state = state_after(betting)
        now = state.bets[state.actor][state.street]
        called = {"fold": now, "call": now + pot_and_call(state)[1]}
        actions = offered(state, self.menu, self.labels)
        return {self.labels[label]: called.get(action, amount) for label, action, amount in actions}

    def _masked(self, state: BettingState, p: np.ndarray) -> np.ndarray:
        """Answers for all labels, (n, n_labels), over the legal ones alone."""
        return legal_probabilities(p, np.array([label for label, _, _ in offered(state, self.menu, self.labels)]))


class ModelAgent(_MenuAgent):
    """Four models, one a round."""

    def __init__(
        self, menu: Menu, predict: Sequence[Predict], tables: tuple[StreetTable, ...] | None = None, history: str = "opponent"
    ):
        """predict, history: as in `ModelPolicy`; tables: of cards/equity (None: each hand is evaluated by itself)."""
        super().__init__(menu)
        self.predict, self.tables, self.history = predict, tables, check_history(history)
        self._known = Cache()  # the last hands asked for on each street

    def probabilities(self, holes: np.ndarray, board: Sequence[int], betting: str) -> np.ndarray:
        """See `Agent`; hands with the same features are asked once."""
        state = _state(board, betting)
        x, row = self._features(hole_ids(holes), board, state)
        p = ask(self.predict[state.street], x, len(self.labels), f"model of the {STREETS[state.street]}")
        return self._masked(state, p)[row]

    def _features(self, holes: np.ndarray, board: Sequence[int], state: BettingState) -> tuple[np.ndarray, np.ndarray]:
        """Distinct features (m, n_features) float32 that the round's model reads, and each hole's row of them."""
        key, known = (tuple(board), holes.tobytes()), self._known.get(state.street)
        if known is None or known[0] != key:
            hands, row = np.unique(hole_features(holes, list(board), self.tables), axis=0, return_inverse=True)
            known = self._known[state.street] = key, hands, row.reshape(-1)
        _, hands, row = known
        told = betting_features(np.array([state.bets]), np.array([state.actor]), self.history)
        return np.hstack([hands, np.repeat(told, len(hands), axis=0)]), row


class TreeAgent(ModelAgent):
    """Four decision trees, one a round, that can say why."""

    def __init__(self, file: AgentFile, tables: tuple[StreetTable, ...] | None = None):
        """tables: as in `ModelAgent`. Raises ValueError where labels or features are not those that this package knows."""
        known = {history: [feature_names(street, history) for street in range(4)] for history in HISTORIES}
        history = next((told for told, names in known.items() if list(file.feature_names) == names), None)
        if history is None:
            odd = (k for k, given in enumerate(file.feature_names) if given not in [names[k] for names in known.values()])
            street = next(odd, 3)
            expected = [names[street] for names in known.values()]
            raise ValueError(f"{STREETS[street]}: features {file.feature_names[street]}, expected one of {expected}")
        menu = _menu(file.labels, file.provenance.get("menu"))
        super().__init__(menu, [partial(predict, tree) for tree in file.trees], tables, history)
        self.trees, self.provenance = file.trees, file.provenance

    def action_probabilities(self, hole: str, board: str = "", betting: str = "") -> dict[str, float]:
        """As the function of the same name."""
        return action_probabilities(self, hole, board, betting)

    def path(self, hole: str, board: str = "", betting: str = "") -> list[Step]:
        """The questions from the root to the leaf that answers; arguments as in `action_probabilities`."""
        private, public = parse_hand(hole, board)
        state = _state(public, betting)
        x, _ = self._features(hole_ids(np.array([private])), public, state)
        return steps(self.trees[state.street], feature_names(state.street, self.history), x[0])

    def explain(self, hole: str, board: str = "", betting: str = "") -> str:
        """The way through the tree in words, answers about the same number put together, then what it does."""
        why, answer = reasons(self.path(hole, board, betting)), self.action_probabilities(hole, board, betting)
        state, amounts = state_after(betting), self.legal(betting)
        pot, to_call = pot_and_call(state)
        lines = [f"{STREETS[state.street]}: ${pot:,} in the pot, {call_words(pot, to_call)}"]
        lines += [f"  {'because' if i == 0 else '    and'} {reason}" for i, reason in enumerate(why)]
        names = {"fold": "fold", "call": "call" if to_call else "check"}
        likeliest = sorted(answer.items(), key=lambda item: -item[1])
        said = [f"{names.get(a, f'{a} (to ${amounts[a]:,})')} {100 * p:.0f} %" for a, p in likeliest if p >= 0.005]
        return "\n".join([*lines, "so: " + ", ".join(said)])


class FunctionAgent(_MenuAgent):
    """A function of one hand, asked for one hand after the other."""

    def __init__(self, function: OneHand, menu: Menu):
        """function("Ac3h", "Kh3sJc", "b300c/kb400") -> {label: probability}, which need not sum to 1; labels are the menu's.

        What it gives to actions that are not legal is shared out among the others; where nothing is left, it checks or calls.
        """
        super().__init__(menu)
        self.function = function

    def probabilities(self, holes: np.ndarray, board: Sequence[int], betting: str) -> np.ndarray:
        """The function's answers, one row a hole, over the labels; ValueError on an answer that is none."""
        state, shown, holes = _state(board, betting), _text(board), hole_ids(holes)
        answers = []
        for pair in HOLE_CARDS[holes].tolist():
            said = self.function(_text(pair), shown, betting)
            if not isinstance(said, Mapping) or not said or set(said) - set(self.labels):
                raise ValueError(f"function: answer {said!r}, expected a probability for one or more of {self.labels}")
            answers.append([said.get(label, 0) for label in self.labels])
        p = answers or np.zeros((0, len(self.labels)))
        return self._masked(state, checked_answers(p, len(holes), len(self.labels), f"function at betting {betting!r}"))


class PolicyAgent:
    """A policy of a betting tree; bets that the tree has not are read as the likelier of the sizes beside them.

    It may be asked for a node in the place of a line; `hear` says as which nodes a move may be read.
    """

    def __init__(self, tree: BettingTree, policy: Policy):
        """policy: answers for the tree's nodes."""
        self.tree, self.policy = tree, policy
        self._known = Cache()  # the last board's rows on each street

    def node(self, betting: str | int) -> int:
        """The node as which a line is read."""
        if isinstance(betting, str):
            return node_after(self.tree, betting, state_after(betting).actor, lambda i: 0.5) if betting else 0
        return betting

    def hear(self, betting: str | int, state: BettingState, move: tuple[str, int], own: int | None) -> list[tuple[int, float]]:
        """Nodes as which a move may be read, and their probabilities; own: which of its legal actions the move is, if any."""
        node = self.node(betting)
        if self.tree.kind[node] != DECISION:
            return [(node, 1.0)]
        return read_action(self.tree, node, state, *move) if own is None else [(children(self.tree, node)[own], 1.0)]

    def legal(self, betting: str | int = "") -> dict[str, int]:
        """In dollars of the tree; checks and calls where the tree has the players all-in and dollars are left."""
        tree, node = self.tree, self.node(betting)
        if tree.kind[node] != DECISION:
            return {"call": 0}
        return {tree.labels[tree.label[c]]: int(tree.bets[c, tree.actor[node], tree.street[node]]) for c in children(tree, node)}

    def probabilities(self, holes: np.ndarray, board: Sequence[int], betting: str | int) -> np.ndarray:
        """The policy's rows, one a hole, over the actions of the tree's decision; betting: a line, or a node of the tree."""
        node, holes = self.node(betting), hole_ids(holes)
        if isinstance(betting, str):
            _state(board, betting)
        if self.tree.kind[node] != DECISION:
            return np.ones((len(holes), 1))
        street, key = int(self.tree.street[node]), (tuple(board), holes.tobytes())
        known = self._known.get(street)
        if known is None or known[0] != key:
            wanted = np.zeros(len(HOLE_CARDS), dtype=bool)
            wanted[holes] = True
            rows_of = checked_rows(self.tree, street, self.policy.street(street, list(board), wanted))
            known = self._known[street] = key, rows_of
        rows, row_of_hole = known[1]
        below, start = children(self.tree, node), int(self.tree.street_start[street])
        p = rows[row_of_hole[holes], below.start - start : below.stop - start]
        return checked_answers(p, len(holes), len(below), f"policy at node {node}").astype(np.float64)


class AgentPolicy:
    """Any agent as a policy of a betting tree: on each street it is asked at every decision, for the holes that are wanted."""

    def __init__(self, tree: BettingTree, agent: Agent, seat: int | None = None):
        """seat: the only one in which it will play (None: both); at the other's decisions it then calls.

        Raises ValueError where the agent's legal actions are not those of the tree.
        """
        self.tree, self.agent = tree, agent
        self._lines = [{int(node): line_to(tree, node) for node in decisions(tree, street, seat)} for street in range(4)]
        self._calls = [calls(tree, street) for street in range(4)]
        self._known = Cache()  # the last board's rows on each street
        for line, node in ((line, node) for lines in self._lines for node, line in lines.items()):
            offers, own = [tree.labels[tree.label[c]] for c in children(tree, node)], list(agent.legal(line))
            if own != offers:
                raise ValueError(f"agent at betting {line!r}: legal are {own}, expected the tree's {offers}")

    def at(self, node: int, holes: np.ndarray, board: list[int]) -> np.ndarray:
        """What the agent does at a decision with holes (n,), (n, n_children) float32. Raises ValueError as `checked_answers`."""
        line, n = self._lines[self.tree.street[node]][node], int(self.tree.n_children[node])
        return checked_answers(self.agent.probabilities(holes, board, line), len(holes), n, f"agent at betting {line!r}")

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """A row for all wanted holes with which the agent acts alike; each board has a table of its own."""
        asked = free_holes(board) if wanted is None else wanted
        key, known = (tuple(board), asked.tobytes()), self._known.get(street)
        if known is None or known[0] != key:
            known = self._known[street] = key, self._rows(street, board, np.flatnonzero(asked))
        return known[1]

    def _rows(self, street: int, board: list[int], holes: np.ndarray) -> StreetRows:
        out, start = np.repeat(self._calls[street], max(len(holes), 1), axis=0), int(self.tree.street_start[street])
        for node in self._lines[street]:
            first = int(self.tree.first_child[node]) - start
            out[: len(holes), first : first + int(self.tree.n_children[node])] = self.at(node, holes, board)
        numbers: dict[bytes, int] = {}  # of distinct rows
        row = [numbers.setdefault(one.tobytes(), len(numbers)) for one in out]
        table, row_of_hole = np.empty((len(numbers), out.shape[1]), dtype=np.float32), np.zeros(len(HOLE_CARDS), dtype=np.int32)
        table[row], row_of_hole[holes] = out, row[: len(holes)]
        return table, row_of_hole


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


class TreePolicy(ModelPolicy):
    """The policy of four decision trees, one a round."""

    def __init__(
        self, tree: BettingTree, tables: tuple[StreetTable, ...], models: Sequence[DecisionTree], history: str = "opponent"
    ):
        """history: what they are told of the betting (a `TreeAgent`'s `history`)."""
        super().__init__(tree, [partial(predict, model) for model in models], tables, history)
        self.models = tuple(models)


def load_policy(path: str | os.PathLike, tree: BettingTree, tables: tuple[StreetTable, ...]) -> TreePolicy:
    """A tree agent's file as a policy of a betting tree; raises ValueError on a bad file, or on other labels than the tree's."""
    agent = load_agent(path)
    if agent.labels != tree.labels:
        raise ValueError(f"{Path(path).name}: labels are {agent.labels}, expected the tree's {tree.labels}")
    return TreePolicy(tree, tables, agent.trees, agent.history)


def load_models(
    tree: BettingTree, tables: tuple[StreetTable, ...], distill: str | os.PathLike, agents: str | os.PathLike
) -> dict[str, ModelPolicy]:
    """The models as policies: "CART" and "OCT" from the folder `agents`, "XGBoost" and "NN" from the folder `distill`.

    All are told of the betting what CART's file says. Raises ValueError where a file is missing, of another betting tree or of
    another history.
    """
    from faceup.holdem.learn.boosted import Boosted  # here, so that whoever plays trees alone waits for no library of learning
    from faceup.holdem.learn.neural import Neural

    grown = {"CART": Path(agents) / "cart.json", "OCT": Path(agents) / "oct.json"}
    boosted = [Path(distill) / f"boosted_{street}.json" for street in STREETS]
    neural = [Path(distill) / f"neural_{street}.safetensors" for street in STREETS]
    for path in (*grown.values(), *boosted, *neural):
        if not path.is_file():
            raise ValueError(f"{path.name}: there is no such file, expected what the stage distill makes")
    read: dict[str, ModelPolicy] = {name: load_policy(path, tree, tables) for name, path in grown.items()}
    history = read["CART"].history
    if read["OCT"].history != history:
        raise ValueError(f"{grown['OCT'].name}: history is {read['OCT'].history}, expected CART's, {history}")
    asked: dict[str, list[Predict]] = {
        "XGBoost": [partial(_halves, Boosted.load(path).predict) for path in boosted],
        "NN": [partial(_halves, Neural.load(path).predict) for path in neural],
    }
    for name, answers in asked.items():
        for street, answer in enumerate(answers):
            one = np.zeros((1, len(feature_names(street, history))), dtype=np.float32)
            ask(answer, one, len(tree.labels), f"{name}, {STREETS[street]}")
    others = {name: ModelPolicy(tree, answers, tables, history) for name, answers in asked.items()}
    return read | others


def _halves(predict: Predict, X: np.ndarray) -> np.ndarray:
    """The same predictions by two threads, for models that predict on one."""
    middle = len(X) // (2 * _SPLIT) * _SPLIT
    if middle == 0:
        return predict(X)
    with ThreadPoolExecutor(2) as pool:
        return np.concatenate(list(pool.map(predict, (X[:middle], X[middle:]))))
