"""Agents of different menus on one tree: translation by the line reader, sums by the reference."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from games import MINE, THEIRS, node_after, node_values, pair_outcomes, random_models, random_table

from faceup.cards.cards import BOARD_CARDS, hole_index, parse_cards
from faceup.holdem import match_tree
from faceup.holdem.agents import AgentPolicy, FunctionAgent
from faceup.holdem.betting_lines import line_to, state_after
from faceup.holdem.betting_tree import build_tree, children, columns, path_to_node
from faceup.holdem.match import random_holes
from faceup.holdem.policy import ModelPolicy
from faceup.holdem.rules import CALL, DECISION, menu_from, pot_and_call
from faceup.util.rng import rng

BOARD = parse_cards("Kh3sJc7d7c")
TREE = build_tree(MINE)


@pytest.mark.parametrize("seat", [0, 1])
def test_readings_are_the_line_readers(seat):
    """Action probabilities are the reader's, averaged over its random draws by brute force."""
    menus = (MINE, THEIRS) if seat == 0 else (THEIRS, MINE)
    match, hole = build_tree(menus[0], big_blind_menu=menus[1]), hole_index(*parse_cards("Ac9h"))
    policy, checked = random_table(TREE, 1), 0
    folded = match_tree.TranslatedPolicy(match, TREE, policy, seat)
    mine = np.flatnonzero((match.kind == DECISION) & (match.actor == seat))
    for node in np.random.default_rng(2).permutation(mine).tolist():
        way = [0, *path_to_node(match, node)]
        asked = [
            i
            for i, above in enumerate(way[:-1])
            if match.actor[above] != seat and match.label[way[i + 1]] > CALL
        ]
        if len(asked) > 2 or checked == 6:
            continue
        total = np.zeros(match.n_children[node])
        for draws in product((np.arange(25) + 0.5) / 25, repeat=len(asked)):
            total += play_of(match, policy, way, dict(zip(asked, draws, strict=True)), hole)
        if total.sum() == 0:
            continue
        rows, row = folded.street_rows(
            int(match.street[node]), BOARD[: BOARD_CARDS[match.street[node]]]
        )
        assert rows[row[hole], columns(match, node)] == pytest.approx(
            total / total.sum(), abs=0.04
        ), line_to(match, node)
        checked += 1
    assert checked == 6


def play_of(match, policy, way, draws, hole):
    """Own reach of a decision times its action probabilities under given draws, (n_children,)."""
    reach, seat = 1.0, match.actor[way[-1]]
    for i, node in enumerate(way):
        if match.actor[node] != seat:
            continue
        at = node_after(TREE, line_to(match, node), seat, lambda k: draws.get(k, 0.0))
        answer = np.zeros(match.n_children[node])
        if TREE.kind[at] != DECISION:
            answer[match.label[children(match, node)] == CALL] = 1
        else:
            street = int(TREE.street[at])
            assert street == match.street[node]
            table, row = policy.street_rows(street, BOARD[: BOARD_CARDS[street]])
            for c in children(TREE, at):
                answer[target(match, node, c)] += table[row[hole], c - TREE.street_start[street]]
        if i < len(way) - 1:
            reach *= answer[way[i + 1] - match.first_child[node]]
    return reach * answer


def target(match, node, child):
    """The child of the match tree for an own action: by label, a raise by its dollars."""
    label, below = TREE.labels[TREE.label[child]], children(match, node)
    if not label.startswith("raise_"):
        offers = [match.labels[match.label[c]] for c in below]
        return offers.index(label if label in offers else "call")
    pot, to_call = pot_and_call(state_after(line_to(match, node)))
    amount = pot + to_call + round(float(label.removeprefix("raise_")) * (pot + to_call))
    return int(np.abs(match.bets[below].sum(axis=(1, 2)) - amount).argmin())


@pytest.mark.parametrize("expects", [0, 1])
def test_sums_over_a_subset_of_holes_equal_brute_force(equities, tmp_path, expects):
    """A table, models and what models do most meet the same holes, in both seats. Brute force asks
    for all and takes its own.

    The opponent never limps, and has learned against our sizes (then the match tree is its own) or
    against its own.
    """
    menus = (
        menu_from([[1], []], [[1], []], [[]], [[]]),
        menu_from([[0.75], []], [[0.5], []], [[]], [[0.5], []]),
    )
    menus[1].update(limps=False, all_in=False)
    own, theirs = build_tree(menus[0]), match_tree.seat_trees(menus[1], menus[expects])
    models = ModelPolicy(own, random_models(own.labels, 30), equities)
    agents = [random_table(own, 14), models, models.argmax()]
    policies = random_table(theirs[0], 15), random_table(theirs[1], 17)
    match_tree.save_opponent(tmp_path, match_tree.Opponent(menus[1], menus[expects], policies))
    opponent, boards = match_tree.load_opponent(tmp_path), [parse_cards("2c2d2h3s3c"), BOARD]
    size, stream = 40, partial(rng, 16, "test")
    won = match_tree.play_opponent(menus[0], agents, opponent, boards, subset=(size, stream))
    for k, board in enumerate(boards):
        subset = np.isin(np.arange(1326), random_holes(board, size, stream(k)))
        free, outcome = pair_outcomes(board)
        n_pairs = (~np.isnan(outcome[np.ix_(subset[free], subset[free])])).sum()
        for i, agent in enumerate(agents):
            dollars = 0.0
            for seat in range(2):
                match, there = build_tree(menus[seat], big_blind_menu=menus[1 - seat]), 1 - seat
                pair = (
                    match_tree.on_match_tree(match, own, agent, seat),
                    match_tree.TranslatedPolicy(
                        match, theirs[there], opponent.policies[there], there
                    ),
                )
                _, value = node_values(
                    match, pair if seat == 0 else pair[::-1], board, subset=subset
                )
                dollars += value[seat, 0].sum() / n_pairs
            # a dollar is 10 mbb, in two seats
            assert won[i, k] == pytest.approx(5 * dollars, rel=1e-3, abs=0.1), (i, k)


def test_an_agent_reads_the_dollars_of_bets_that_its_own_tree_lacks():
    match, lines = build_tree(MINE, big_blind_menu=THEIRS), set()

    def record(hole, board, betting):
        lines.add(betting)
        return {"call": 1}

    policy = match_tree.on_match_tree(
        match, TREE, AgentPolicy(TREE, FunctionAgent(record, MINE)), 0
    )
    holes = np.arange(1326) == hole_index(*parse_cards("Ac9h"))
    policy.street_rows(0, [], holes)
    decided = np.flatnonzero((match.kind == DECISION) & (match.street == 0) & (match.actor == 0))
    assert lines == {line_to(match, int(node)) for node in decided}
    assert lines - {line_to(TREE, int(node)) for node in np.flatnonzero(TREE.kind == DECISION)}
