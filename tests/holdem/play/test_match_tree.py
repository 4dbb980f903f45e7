"""Agents of different menus on one tree: readings against the line reader of the real-dollar player, sums against plain trees."""

import numpy as np
import pytest
from random_tables import MINE, THEIRS, random_table

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, hole_index, parse_cards
from faceup.holdem.betting.betting_tree import CALL, DECISION, FOLD, build_tree, children, offered, pot_and_call, states_of
from faceup.holdem.betting.notation import line_to
from faceup.holdem.betting.translation import node_after
from faceup.holdem.play.match import Table, first_against_all, mean_result, play_boards, random_boards, result
from faceup.holdem.play.match_tree import TranslatedPolicy, make_sides, play_sides, read_tree
from faceup.holdem.play.purified import likely, likely_rows, purified, thresholded
from faceup.holdem.solve.policy import FixedPolicy, free_holes

BOARD = parse_cards("Kh3sJc7d7c")


def way_to(match, node):
    """The nodes on the way to a node."""
    way = [node]
    while way[-1]:
        way.append(int(match.parent[way[-1]]))
    return way[::-1]


def test_each_seat_offers_its_own_sizes():
    match = build_tree(MINE, big_blind_menu=THEIRS)
    states = states_of(match)
    for node in np.flatnonzero(match.kind == DECISION):
        assert (states[node].street, states[node].actor) == (match.street[node], match.actor[node])
        menu = MINE if match.actor[node] == 0 else THEIRS
        amounts = [amount for _, action, amount in offered(states[node], menu, match.labels) if action == "raise"]
        raises = [c for c in children(match, node) if match.label[c] > CALL]
        assert [int(match.bets[c, match.actor[node], match.street[node]]) for c in raises] == amounts
    same = build_tree(MINE, big_blind_menu=MINE)
    assert all(np.array_equal(a, b) for a, b in zip(same, build_tree(MINE), strict=True))
    with pytest.raises(ValueError, match="no sizes for turn"):
        build_tree(MINE, big_blind_menu={"preflop": [], "flop": [], "river": []})


@pytest.mark.parametrize("seat", [0, 1])
def test_readings_are_the_line_readers(groups, seat):
    """The probability of each action, averaged over the reader's draws by brute force, is the folded policy's."""
    menus = (MINE, THEIRS) if seat == 0 else (THEIRS, MINE)
    match, own = build_tree(menus[0], big_blind_menu=menus[1]), build_tree(MINE)
    policy, states, hole = random_table(own, groups, 1), states_of(match), hole_index(*parse_cards("Ac9h"))
    folded = TranslatedPolicy(match, own, policy, seat)
    mine = np.flatnonzero((match.kind == DECISION) & (match.actor == seat))
    checked = 0
    for node in np.random.default_rng(2).permutation(mine):
        text, way = line_to(match, int(node)), way_to(match, int(node))
        asked = [i for i, above in enumerate(way[:-1]) if match.actor[above] != seat and match.label[way[i + 1]] > CALL]
        if len(asked) > 2 or checked == 8:
            continue
        grid = (np.arange(25) + 0.5) / 25
        total = np.zeros(match.n_children[node])
        for draws in np.stack(np.meshgrid(*[grid] * len(asked)), axis=-1).reshape(-1, len(asked)):
            total += play_of(match, own, policy, states, way, text, dict(zip(asked, draws, strict=True)), seat, hole)
        if total.sum() == 0:
            continue
        rows, row = folded.street(int(match.street[node]), BOARD[: BOARD_CARDS[match.street[node]]])
        told = rows[row[hole], np.array(children(match, node)) - match.street_start[match.street[node]]]
        assert told == pytest.approx(total / total.sum(), abs=0.04), text
        checked += 1
    assert checked == 8


def play_of(match, own, policy, states, way, text, draws, seat, hole):
    """Chance of the seat's own actions on the way, times what it does at the end, under given draws: (n_children,)."""
    reach = 1.0
    for i, node in enumerate(way):
        if match.actor[node] != seat:
            continue
        at = node_after(own, line_to(match, node), seat, lambda k: draws.get(k, 0.0))
        answer = np.zeros(match.n_children[node])
        if own.kind[at] != DECISION:
            answer[[match.label[c] == CALL for c in children(match, node)].index(True)] = 1
        else:
            street = int(own.street[at])
            assert street == match.street[node]
            table, row = policy.street(street, BOARD[: BOARD_CARDS[street]])
            dollars = [int(match.bets[c].sum()) for c in children(match, node)]
            for c in children(own, at):
                p = table[row[hole], c - own.street_start[street]]
                answer[target(match, own, node, c, states[node], dollars)] += p
        if i == len(way) - 1:
            return reach * answer
        reach *= answer[way[i + 1] - match.first_child[node]]
    raise AssertionError("the way ends where the seat acts")


def target(match, own, node, child, state, dollars):
    """Which child of the match tree an own action is: by its label, raises by the dollars a pot fraction stands for."""
    label = own.labels[own.label[child]]
    below = list(children(match, node))
    if label in ("fold", "call", "all_in"):
        wanted = label if label in [match.labels[match.label[c]] for c in below] else "call"
        return [match.labels[match.label[c]] for c in below].index(wanted)
    pot, to_call = pot_and_call(state)
    amount = pot + to_call + round(float(label.removeprefix("raise_")) * (pot + to_call))
    return int(np.argmin([abs(d - amount) for d in dollars]))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_known_menu_needs_no_translation(groups, seat):
    tree = build_tree(MINE)
    policy, readings = random_table(tree, groups, 3), read_tree(tree, tree, seat)
    assert (readings.chance == 1).all() and len(readings.node) == len(tree.kind)
    folded = TranslatedPolicy(tree, tree, policy, seat)
    own = [c for node in np.flatnonzero((tree.kind == DECISION) & (tree.actor == seat)) for c in children(tree, node)]
    for board in (BOARD, parse_cards("Kh3sJc7d2c"), BOARD):  # back and forth between boards of one turn
        for street in (0, 1, 2, 3):
            start, end = tree.street_start[street : street + 2]
            columns = np.array([c - start for c in own if start <= c < end])
            shown = board[: BOARD_CARDS[street]]
            (a, row_a), (b, row_b) = (p.street(street, shown) for p in (folded, policy))
            h = hole_index(*parse_cards("Ac9h"))
            assert a[row_a[h], columns] == pytest.approx(b[row_b[h], columns], abs=1e-5)


def test_boards_may_be_asked_for_in_any_order(groups):
    """A later street first, and what was read on other boards, turns and flops leaves no trace."""
    match, own = build_tree(MINE, big_blind_menu=THEIRS), build_tree(MINE)
    policy = random_table(own, groups, 4)
    used = TranslatedPolicy(match, own, policy, 0)
    turn, flop = parse_cards("Kh3sJc2d7c"), parse_cards("Ad4s9c2h7c")
    asked = [(BOARD, 5), (turn, 5), (flop, 3), (BOARD, 4), (flop, 5), (BOARD, 5), (BOARD, 3), (turn, 5), (BOARD, 0)]
    for board, n in asked:
        street, fresh = BOARD_CARDS.index(n), TranslatedPolicy(match, own, policy, 0)
        found = used.street(street, board[:n])[0]
        for s in range(street + 1):  # one after the other
            wanted = fresh.street(s, board[: BOARD_CARDS[s]])[0]
        assert np.array_equal(found[free_holes(board[:n])], wanted[free_holes(board[:n])])


def test_a_match_of_the_first_against_all_others_leaves_the_rest_out(groups):
    tree = build_tree(MINE)
    agents, boards = [random_table(tree, groups, seed) for seed in (5, 6, 8)], random_boards(2, seed=7)
    whole = play_boards(Table(tree, agents), boards)
    part = play_boards(Table(tree, agents, first_against_all(3)), boards)
    assert np.array_equal(part[:, 0], whole[:, 0]) and np.array_equal(part[:, :, 0], whole[:, :, 0])
    assert whole[:, 1:, 1:].all() and not part[:, 1:, 1:].any()


def test_sides_of_one_menu_give_the_plain_result(groups):
    """The same menus on both sides: as a table of that tree; an agent against itself wins 0."""
    tree, sides = build_tree(MINE), make_sides(MINE, MINE)
    agents = [random_table(tree, groups, seed) for seed in (5, 6)]
    boards = random_boards(3, seed=7)
    won = play_sides(sides, agents, agents[1], boards)
    plain = result(play_boards(Table(tree, agents), boards), 0, 1)
    assert mean_result(won[0]).mbb == pytest.approx(plain.mbb, rel=1e-3, abs=0.1)
    assert won[1] == pytest.approx(0, abs=0.1)


def test_exchanged_sides_change_the_sign(groups):
    """Seats and sides: what one wins the other loses, board by board."""
    first, second = random_table(build_tree(MINE), groups, 8), random_table(build_tree(THEIRS), groups, 9)
    boards = random_boards(2, seed=1)
    there = play_sides(make_sides(MINE, THEIRS), [first], second, boards)
    back = play_sides(make_sides(THEIRS, MINE), [second], first, boards)
    assert there == pytest.approx(-back, rel=1e-3, abs=0.1)


def test_only_wanted_pairs_are_played(groups):
    tree = build_tree(MINE)
    agents = [random_table(tree, groups, 5), FixedPolicy(tree, CALL), FixedPolicy(tree, None)]
    wanted = np.zeros((3, 3), dtype=bool)
    wanted[0, 2] = wanted[1, 0] = True
    every, some = (Table(tree, agents, w).play(BOARD) for w in (None, wanted))
    assert np.array_equal(some, np.where(wanted, every, 0))
    with pytest.raises(ValueError, match="wanted has shape"):
        Table(tree, agents, wanted[:2])


def test_purified_play_takes_the_likeliest_action(groups):
    tree = build_tree(MINE)
    policy = random_table(tree, groups, 10)
    pure = purified(tree, policy)
    for street in range(4):
        start = tree.street_start[street]
        for node in np.flatnonzero((tree.kind == DECISION) & (tree.street == street))[:20]:
            below = slice(tree.first_child[node] - start, tree.first_child[node] - start + tree.n_children[node])
            given, chosen = policy.tables[street][:, below], pure.tables[street][:, below]
            assert np.array_equal(chosen.argmax(axis=1), given.argmax(axis=1)) and (chosen.sum(axis=1) == 1).all()
    even = FixedPolicy(tree, None).street(0, [])[0]
    assert likely_rows(tree, 0, even, 1)[0, tree.first_child[0] - 1] == 1  # of equals the first
    with pytest.raises(ValueError, match="FixedPolicy, expected a table or a model"):
        purified(tree, FixedPolicy(tree, None))


def test_small_probabilities_are_dropped_and_the_likeliest_stays(groups):
    """Fold, call, raise, all-in at the first decision, by hand; both ways to drop agree everywhere."""
    tree = build_tree(MINE)
    first, n = int(tree.first_child[0]) - 1, int(tree.n_children[0])
    assert n == 4
    row = FixedPolicy(tree, None).street(0, [])[0].copy()
    row[0, first : first + n] = 0.1, 0.15, 0.5, 0.25
    assert likely_rows(tree, 0, row, 0.15)[0, first : first + n] == pytest.approx([0, 0.15 / 0.9, 0.5 / 0.9, 0.25 / 0.9])
    assert likely_rows(tree, 0, row, 0.6)[0, first : first + n] == pytest.approx([0, 0, 1, 0])
    assert likely(np.array([[0.1, 0.15, 0.5, 0.25]]), 0.2).tolist() == [pytest.approx([0, 0, 2 / 3, 1 / 3])]
    policy = random_table(tree, groups, 11)
    table, start = thresholded(tree, policy, 0.3).tables[2], tree.street_start[2]
    for node in np.flatnonzero((tree.kind == DECISION) & (tree.street == 2))[:20]:
        below = slice(tree.first_child[node] - start, tree.first_child[node] - start + tree.n_children[node])
        wanted = likely(policy.tables[2][:, below], 0.3)
        assert table[:, below] == pytest.approx(wanted / wanted.sum(axis=1, keepdims=True), rel=1e-5)
    with pytest.raises(ValueError, match="least is 0, expected more than 0"):
        thresholded(tree, policy, 0)


def test_hands_that_end_before_the_flop_are_known(groups, all_in_wins):
    """All-in against one who calls with aces alone: folds for the blind, and random cards against aces win 14.8 %."""
    tree = build_tree(MINE)
    shove, nits = FixedPolicy(tree, len(tree.labels) - 1), random_table(tree, groups, 12)
    aces = int(CLASS_OF_HOLE[hole_index(*parse_cards("AcAd"))])
    for node in np.flatnonzero((tree.kind == DECISION) & (tree.street == 0)):
        for c in children(tree, node):
            nits.tables[0][:, c - 1] = tree.label[c] == FOLD
            nits.tables[0][aces, c - 1] = tree.label[c] == CALL
    table = Table(tree, [shove, nits], preflop_wins=all_in_wins)
    called = 6 / 1326
    expected = (1 - called) * 100 + called * 20_000 * (1 - 2 * 0.852)
    assert table.play(BOARD)[0, 1] == pytest.approx(expected, abs=0.3)
    assert table.play(BOARD)[0, 1] == pytest.approx(table.play(parse_cards("2c2d2h3s3c"))[0, 1], abs=1e-6)


def test_boards_with_and_without_preflop_sums_agree(groups, all_in_wins):
    """In the mean over boards; an agent against itself stays at 0."""
    tree, boards = build_tree(MINE), random_boards(100, seed=3)
    agents = [random_table(tree, groups, 13), FixedPolicy(tree, len(tree.labels) - 1), FixedPolicy(tree, CALL)]
    plain, known = (play_boards(Table(tree, agents, None, wins), boards) for wins in (None, all_in_wins))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        apart = mean_result(5 * (plain[:, i, j] - plain[:, j, i] - known[:, i, j] + known[:, j, i]))
        assert abs(apart.mbb) < 2 * apart.ci95 + 0.01, (i, j)
    less, more = (result(values, 0, 1).ci95 for values in (known, plain))
    assert less < more / 100  # nothing is left to the board where one side always moves all-in
    assert result(known, 0, 0).mbb == pytest.approx(0, abs=1e-6)
