"""Agents of different menus on one tree: readings against the line reader of the real-dollar player, sums against plain trees."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from games import node_values, pair_outcomes, threads
from random_tables import MINE, THEIRS, random_models, random_table

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, hole_index, parse_cards
from faceup.holdem.lines import line_to, node_after
from faceup.holdem.match import Table, _random_subset, first_against_all, mean_result, play_boards, random_boards, result
from faceup.holdem.match_tree import TranslatedPolicy, make_sides, on_match_tree, play_sides
from faceup.holdem.policy import FixedPolicy, ModelPolicy, free_holes, likely_rows
from faceup.holdem.rules import CALL, DECISION, FOLD, menu_from, offered, pot_and_call
from faceup.holdem.tree import action_to, build_tree, children, columns, decisions, states_of
from faceup.lab.rng import rng

BOARD = parse_cards("Kh3sJc7d7c")
TREE = build_tree(MINE)


def test_each_seat_offers_its_own_sizes():
    match = build_tree(MINE, big_blind_menu=THEIRS)
    states = states_of(match)
    for node in np.flatnonzero(match.kind == DECISION):
        assert (states[node].street, states[node].actor) == (match.street[node], match.actor[node])
        menu = MINE if match.actor[node] == 0 else THEIRS
        actions = [(action, amount) for _, action, amount in offered(states[node], menu, match.labels)]
        assert [action_to(match, c) for c in children(match, node)] == actions
    assert all(np.array_equal(a, b) for a, b in zip(build_tree(MINE, big_blind_menu=MINE), TREE, strict=True))


@pytest.mark.parametrize("seat", [0, 1])
def test_readings_are_the_line_readers(groups, seat):
    """The probability of each action, averaged over the reader's draws by brute force, is the folded policy's."""
    menus = (MINE, THEIRS) if seat == 0 else (THEIRS, MINE)
    match, hole = build_tree(menus[0], big_blind_menu=menus[1]), hole_index(*parse_cards("Ac9h"))
    policy, states = random_table(TREE, groups, 1), states_of(match)
    folded, checked = TranslatedPolicy(match, TREE, policy, seat), 0
    mine = np.flatnonzero((match.kind == DECISION) & (match.actor == seat))
    for node in np.random.default_rng(2).permutation(mine).tolist():
        way = [node]
        while way[0]:
            way.insert(0, int(match.parent[way[0]]))
        asked = [i for i, above in enumerate(way[:-1]) if match.actor[above] != seat and match.label[way[i + 1]] > CALL]
        if len(asked) > 2 or checked == 6:
            continue
        total = np.zeros(match.n_children[node])
        for draws in product((np.arange(25) + 0.5) / 25, repeat=len(asked)):
            total += play_of(match, policy, states, way, dict(zip(asked, draws, strict=True)), hole)
        if total.sum() == 0:
            continue
        rows, row = folded.street(int(match.street[node]), BOARD[: BOARD_CARDS[match.street[node]]])
        assert rows[row[hole], columns(match, node)] == pytest.approx(total / total.sum(), abs=0.04), line_to(match, node)
        checked += 1
    assert checked == 6


def play_of(match, policy, states, way, draws, hole):
    """Chance of a seat's own actions on the way to its decision, times what it does there, under given draws: (n_children,)."""
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
            table, row = policy.street(street, BOARD[: BOARD_CARDS[street]])
            for c in children(TREE, at):
                answer[target(match, node, c, states[node])] += table[row[hole], c - TREE.street_start[street]]
        if i < len(way) - 1:
            reach *= answer[way[i + 1] - match.first_child[node]]
    return reach * answer


def target(match, node, child, state):
    """Which child of the match tree an own action is: by its label, raises by the dollars a pot fraction stands for."""
    label, below = TREE.labels[TREE.label[child]], children(match, node)
    if not label.startswith("raise_"):
        offers = [match.labels[match.label[c]] for c in below]
        return offers.index(label if label in offers else "call")
    pot, to_call = pot_and_call(state)
    amount = pot + to_call + round(float(label.removeprefix("raise_")) * (pot + to_call))
    return int(np.abs(match.bets[below].sum(axis=(1, 2)) - amount).argmin())


def test_boards_may_be_asked_for_in_any_order(groups):
    """A later street first, and what was read on other boards, turns and flops leaves no trace."""
    match, policy = build_tree(MINE, big_blind_menu=THEIRS), random_table(TREE, groups, 4)
    used = TranslatedPolicy(match, TREE, policy, 0)
    turn, flop = parse_cards("Kh3sJc2d7c"), parse_cards("Ad4s9c2h7c")
    asked = [(BOARD, 5), (turn, 5), (flop, 3), (BOARD, 4), (flop, 5), (BOARD, 5), (BOARD, 3), (turn, 5), (BOARD, 0)]
    for board, n in asked:
        street, fresh = BOARD_CARDS.index(n), TranslatedPolicy(match, TREE, policy, 0)
        found = used.street(street, board[:n])[0]
        for s in range(street + 1):  # one after the other
            wanted = fresh.street(s, board[: BOARD_CARDS[s]])[0]
        assert np.array_equal(found[free_holes(board[:n])], wanted[free_holes(board[:n])])


def test_only_wanted_pairs_are_played(groups):
    agents, boards = [random_table(TREE, groups, seed) for seed in (5, 6, 8)], random_boards(2, np.random.default_rng(7))
    every = play_boards(Table(TREE, agents), boards)
    first = np.array([[True, True, True], [True, False, False], [True, False, False]])
    assert every.all() and np.array_equal(first_against_all(3), first)
    for wanted in (first, np.array([[False, False, True], [True, False, False], [False, False, False]])):
        assert np.array_equal(play_boards(Table(TREE, agents, wanted), boards), np.where(wanted, every, 0))


def test_sides_of_one_menu_give_the_plain_result(groups):
    """The same menus on both sides: as a table of that tree; an agent against itself wins 0."""
    agents, boards = [random_table(TREE, groups, seed) for seed in (5, 6)], random_boards(3, np.random.default_rng(7))
    won = play_sides(make_sides(MINE, MINE), agents, agents[1], boards)
    plain = result(play_boards(Table(TREE, agents), boards), 0, 1)
    assert mean_result(won[0]).mbb == pytest.approx(plain.mbb, rel=1e-3, abs=0.1)
    assert won[1] == pytest.approx(0, abs=0.1)


FEW = make_sides(menu_from([[1], []], [[1], []], [[]], [[]]), menu_from([[0.75], []], [[0.5], []], [[]], [[0.5], []]))


@pytest.fixture(scope="module")
def few(tables, groups):
    """A table, models and what models do most, and a table of other sizes: on match trees small enough for brute force."""
    models = ModelPolicy(FEW.own[0], random_models(FEW.own[0].labels, 30), tables)
    agents = [random_table(FEW.own[0], groups, 14), models, models.thresholded(FEW.own[0], 1)]
    return agents, random_table(FEW.own[1], groups, 15)


def test_sums_over_a_subset_of_holes_equal_brute_force(few):
    """All agents meet the same holes in both seats, on any number of threads. Brute force asks for all and takes its own."""
    (agents, opponent), (size, stream), boards = few, (40, partial(rng, 16, "test")), [parse_cards("2c2d2h3s3c"), BOARD]
    won = play_sides(FEW, agents, opponent, boards, subset=(size, stream))
    with threads(1):
        assert np.array_equal(play_sides(FEW, agents, opponent, boards, subset=(size, stream)), won)
    for k, board in enumerate(boards):
        subset = _random_subset(board, size, stream(k))
        free, outcome = pair_outcomes(board)
        n_pairs = (~np.isnan(outcome[np.ix_(subset[free], subset[free])])).sum()
        for i, agent in enumerate(agents):
            dollars = 0.0
            for seat, match in enumerate(FEW.trees):
                pair = [*on_match_tree(match, FEW.own[0], [agent], seat), *on_match_tree(match, FEW.own[1], [opponent], 1 - seat)]
                _, value = node_values(match, pair if seat == 0 else pair[::-1], board, subset=subset)
                dollars += value[seat, 0].sum() / n_pairs
            assert won[i, k] == pytest.approx(5 * dollars, rel=1e-3, abs=0.1), (i, k)  # a dollar is 10 mbb, in two seats


def test_the_mean_over_subsets_is_the_sum_over_all_holes(few):
    """On one board, for each agent and for what one wins more than another."""
    agents, opponent = few
    full = play_sides(FEW, agents, opponent, [BOARD])[:, 0]
    drawn = play_sides(FEW, agents, opponent, [BOARD] * 60, subset=(100, partial(rng, 17, "test")))
    for won, expected in zip([*drawn, drawn[0] - drawn[1]], [*full, full[0] - full[1]], strict=True):
        mean = mean_result(won)
        assert abs(mean.mbb - expected) < 1.5 * mean.ci95  # 1.5 x 1.96 standard errors


@pytest.mark.parametrize("least", [0.3, 1])
def test_small_probabilities_are_dropped_and_the_likeliest_stays(groups, least):
    policy = random_table(TREE, groups, 10)
    found = policy.thresholded(TREE, least)
    for street in range(4):
        for node in decisions(TREE, street)[:20]:
            given, kept = (p.tables[street][:, columns(TREE, node)] for p in (policy, found))
            stays = (given >= least) | (np.arange(given.shape[1]) == given.argmax(axis=1)[:, None])
            wanted = np.where(stays, given, 0) / (given * stays).sum(axis=1, keepdims=True)
            np.testing.assert_allclose(kept, wanted, rtol=1e-5)


def test_of_equals_the_first_is_the_likeliest_and_what_is_as_likely_as_the_threshold_stays():
    rows, root = np.ones((1, TREE.street_start[1]), dtype=np.float32), columns(TREE, 0)
    rows[0, root] = even = np.full(TREE.n_children[0], 1 / TREE.n_children[0])
    assert likely_rows(TREE, 0, rows, 1)[0, root].tolist() == [1, *even[1:] * 0]
    rows[0, root] = [0.125, 0.5, *even[2:] * 0.375 / even[2:].sum()]
    assert likely_rows(TREE, 0, rows, 0.125)[0, root] == pytest.approx(rows[0, root])
    assert likely_rows(TREE, 0, rows, 0.6)[0, root].tolist() == [0, 1, *even[2:] * 0]


def test_hands_that_end_before_the_flop_are_known(groups, all_in_wins):
    """All-in against one who calls with aces alone: folds for the blind, and random cards against aces win 14.8 %."""
    shove, nits = FixedPolicy(TREE, len(TREE.labels) - 1), random_table(TREE, groups, 12)
    labels = TREE.label[slice(*TREE.street_start[:2])]
    nits.tables[0][:] = labels == FOLD
    nits.tables[0][CLASS_OF_HOLE[hole_index(*parse_cards("AcAd"))]] = labels == CALL
    table = Table(TREE, [shove, nits], preflop_wins=all_in_wins)
    called = 6 / 1326
    expected = (1 - called) * 100 + called * 20_000 * (1 - 2 * 0.852)
    assert table.play(BOARD)[0, 1] == pytest.approx(expected, abs=0.3)
    assert table.play(BOARD)[0, 1] == pytest.approx(table.play(parse_cards("2c2d2h3s3c"))[0, 1], abs=1e-6)
