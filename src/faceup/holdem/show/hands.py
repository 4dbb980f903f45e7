"""Hands of a best responder on the river, told action by action: who did what, what it wins, and why the trees answered so."""

from collections.abc import Mapping, Sequence

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, STREETS, card_text
from faceup.cards.hand_figures import SYMBOLS
from faceup.holdem.betting.betting_tree import BettingTree, children
from faceup.holdem.betting.notation import line_to
from faceup.holdem.play.agents import TreeAgent
from faceup.holdem.play.words import reasons
from faceup.holdem.safe.exploiter import Spot
from faceup.holdem.show.figures import SEATS, move_words
from faceup.holdem.solve.policy import cards_text
from faceup.lab.tables import show_table


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
    return cards_text(hole), cards_text(board)


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
