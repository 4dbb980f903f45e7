"""What a best responder does on the river to one strategy and not to another: lines chosen, hands told action by action.

The responder knows the strategy. He plays like it until the river, and from there on as well as possible. On a board of five
cards all hands of both players are summed, so that what he gains on a line of that board is exact.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, STREETS, card_text
from faceup.cards.hand_figures import SYMBOLS
from faceup.holdem.betting.betting_tree import DECISION, MBB_PER_DOLLAR, BettingTree, children, decisions
from faceup.holdem.betting.notation import line_to
from faceup.holdem.play.agents import TreeAgent
from faceup.holdem.play.words import reasons
from faceup.holdem.show.figures import SEATS, move_words
from faceup.holdem.solve.action_values import ActionValues, action_values
from faceup.holdem.solve.board import N_PAIRS
from faceup.holdem.solve.policy import Policy
from faceup.notebook.tables import show_table


def answer_river(tree: BettingTree, policy: Policy, board: Sequence[int]) -> tuple[ActionValues, np.ndarray]:
    """The best response from the river on to a policy, on a board of five cards as dealt.

    Returns `action_values` of the policy's play, but with what a best responder wins as the value from the river on; and the
    mbb/g that he wins at each river decision more than the policy in his place, (n_nodes, 1326).
    """
    played = action_values(tree, policy, policy, board)
    value, gain = played.value.copy(), np.zeros(played.share.shape, dtype=np.float32)
    for node in decisions(tree, 3)[::-1]:
        who, below = int(tree.actor[node]), slice(children(tree, node)[0], children(tree, node)[-1] + 1)
        value[1 - who, node] = value[1 - who, below].sum(axis=0)
        value[who, node] = value[who, below].max(axis=0)
        own_way = (played.share[below] * value[who, below]).sum(axis=0)
        gain[node] = played.own[who, node] * (value[who, node] - own_way) * (MBB_PER_DOLLAR / 2 / N_PAIRS)
    return played._replace(value=value), gain


def river_gains(
    tree: BettingTree,
    policies: Sequence[Policy],
    boards: Sequence[Sequence[int]],
    nodes: Sequence[int] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """What a best responder gains at river decisions of boards as dealt, mbb/g: (n_policies, n_boards, n_nodes).

    Where nodes are named, with each hole at these alone: (n_policies, n_boards, n, 1326).
    """
    found: list[list[np.ndarray]] = [[] for _ in policies]
    for b, board in enumerate(boards):
        for policy, mine in zip(policies, found, strict=True):
            gain = answer_river(tree, policy, board)[1]
            mine.append(gain.sum(axis=1) if nodes is None else gain[list(nodes)])
        progress(b + 1)
    return np.array(found)


def closed_lines(tree: BettingTree, old: np.ndarray, new: np.ndarray, n: int) -> list[int]:
    """The n river decisions at which a responder's gain falls most from the old to the new strategy, the largest fall first.

    old, new: gains (n_boards, n_nodes). Of decisions after the same betting before the river only the best is taken.
    """
    order = np.argsort(-(old - new).mean(axis=0), kind="stable")
    found: dict[int, int] = {}
    for node in order.tolist():
        start = node  # of the river
        while tree.street[tree.parent[start]] == 3:
            start = int(tree.parent[start])
        found.setdefault(start, node)
    return list(found.values())[:n]


class Spot(NamedTuple):
    """A hand of the best responder, up to a decision on the river."""

    board: tuple[int, ...]
    node: int  # the decision
    hole: int  # of the responder
    best: int  # the child that he chooses against the old strategy
    dollars: tuple[np.ndarray, np.ndarray]  # from here on, of each of his actions: against the old, against the new strategy
    asked: int  # the decision of the strategy that is looked at: its answer, or its last action before
    theirs: int  # a hole of the strategy


def find_spot(
    tree: BettingTree, policies: Sequence[Policy], agents: Sequence[TreeAgent], node: int, board: Sequence[int], hole: int
) -> Spot:
    """A hole of the responder at a river decision; policies, agents: the old and the new strategy in two forms.

    The strategy's hand is one that it often has there, and with which old and new differ much.
    """
    who, pair = int(tree.actor[node]), [answer_river(tree, policy, board)[0] for policy in policies]
    below, put = list(children(tree, node)), int(tree.bets[node, who].sum())
    dollars = [r.value[who, below, hole] / np.maximum(r.others[who, node, hole], 1e-9) + put for r in pair]
    best = below[int(dollars[0].argmax())]
    asked = best if tree.kind[best] == DECISION else node
    while tree.actor[asked] != 1 - who:
        asked = int(tree.parent[asked])
    holes = np.flatnonzero(~np.isin(HOLE_CARDS, [*board, *HOLE_CARDS[hole]]).any(axis=1))
    shown = list(board[: BOARD_CARDS[tree.street[asked]]])
    said = [agent.probabilities(holes, shown, line_to(tree, asked)) for agent in agents]
    apart = pair[0].own[1 - who, asked, holes] * np.abs(said[0] - said[1]).sum(axis=1)
    return Spot(tuple(board), node, hole, best, (dollars[0], dollars[1]), asked, int(holes[apart.argmax()]))


def cards(numbers: Sequence[int]) -> str:
    """Cards with the symbols of their suits, such as "K♥ 3♠"."""
    texts = [card_text(int(card)) for card in numbers]
    return " ".join(text[0] + SYMBOLS[text[1]] for text in texts)


def hand_story(tree: BettingTree, spot: Spot, agents: Mapping[str, TreeAgent]) -> str:
    """A hand told action by action, in Markdown: who did what, how often the agents do it, what each action wins, and why.

    agents: the old and the new one, by name.
    """
    who = int(tree.actor[spot.node])
    hands = {who: cards(HOLE_CARDS[spot.hole]), 1 - who: cards(HOLE_CARDS[spot.theirs])}
    head = (
        f"Board {cards(spot.board)}. The exploiter is the {SEATS[who]} with {hands[who]}. "
        f"The tree is the {SEATS[1 - who]}; here it holds {hands[1 - who]}."
    )
    header = ["street", "who", "does", "pot", *(f"{name} does so" for name in agents)]
    actions = show_table(header, _actions(tree, spot, agents))
    moves = [move_words(tree, spot.node, child) for child in children(tree, spot.node)]
    wins = [[move, *(_money(found[k]) for found in spot.dollars)] for k, move in enumerate(moves)]
    worth = show_table(["the exploiter's choice", *(f"wins from {name}" for name in agents)], wins)
    return "\n\n".join([head, actions.data, _answers(tree, spot, agents), worth.data, _moral(moves, spot, agents)])


def _moral(moves: Sequence[str], spot: Spot, agents: Mapping[str, TreeAgent]) -> str:
    """In two sentences, what the exploiter's choice wins from the old agent, and what is left to him against the new one."""
    (old, new), (first, second) = spot.dollars, agents
    chosen, left = int(old.argmax()), int(new.argmax())
    less = old[chosen] - new[left]
    best = "That is still his best" if chosen == left else f"His best is now {moves[left]}, which wins {_money(new[left])}"
    said = (
        f"With {moves[chosen]} he wins {_money(old[chosen])} from {first} and {_money(new[chosen])} from {second}. "
        f"{best}, {_money(abs(less))} {'less' if less >= 0 else 'more'} than from {first}."
    )
    return said.replace("$", "\\$")


def _money(dollars: float) -> str:
    sign = "\u2212" if dollars < -0.5 else ""
    return f"{sign}${abs(dollars):,.0f}"


def _actions(tree: BettingTree, spot: Spot, agents: Mapping[str, TreeAgent]) -> list[list]:
    """A row for each action up to the responder's choice."""
    rows, node = [], spot.best
    while node:  # from the last action to the first
        above = int(tree.parent[node])
        street, player = int(tree.street[above]), int(tree.actor[above])
        shares = ["", ""]
        if player != tree.actor[spot.node]:
            label, given = tree.labels[tree.label[node]], (*_shown(spot, street), line_to(tree, above))
            told = [agent.action_probabilities(*given)[label] for agent in agents.values()]
            shares = [f"{100 * p:.0f} %" for p in told]
        new_street = above == 0 or tree.street[tree.parent[above]] < street
        rows.append(
            [
                f"{STREETS[street]} {cards(spot.board[: BOARD_CARDS[street]])}".strip() if new_street else "",
                "exploiter" if player == tree.actor[spot.node] else "tree",
                move_words(tree, above, node),
                _money(tree.bets[node].sum()),
                *shares,
            ]
        )
        node = above
    return rows[::-1]


def _shown(spot: Spot, street: int) -> tuple[str, str]:
    """The strategy's hole and the street's board as text."""
    hole, board = HOLE_CARDS[spot.theirs].tolist(), spot.board[: BOARD_CARDS[street]]
    return "".join(map(card_text, hole)), "".join(map(card_text, board))


def _answers(tree: BettingTree, spot: Spot, agents: Mapping[str, TreeAgent]) -> str:
    """What each agent does at the decision that is looked at, and the reasons that its tree gives."""
    given = *_shown(spot, int(tree.street[spot.asked])), line_to(tree, spot.asked)
    below = {tree.labels[tree.label[c]]: move_words(tree, spot.asked, c) for c in children(tree, spot.asked)}
    said = []
    for name, agent in agents.items():
        likeliest = sorted(agent.action_probabilities(*given).items(), key=lambda item: -item[1])
        does = ", ".join(f"{below[label]} {100 * p:.0f} %" for label, p in likeliest if p >= 0.005)
        why = "; ".join(reasons(agent.path(*given))).replace("$", "\\$")
        said.append(f"- **{name}**, with {cards(HOLE_CARDS[spot.theirs])}: {does}. Because: {why}.")
    return "\n".join(said)
