"""Self-play on subgames of hold'em and on a small whole one, with real cards and reduced ranges, against linear programs."""

import numpy as np
import pytest
from games import pair_outcomes
from sequence_form import best_value, solve

from faceup.cards.cards import HOLE_CARDS
from faceup.games.extensive_game import Game, GameBuilder, action_infoset
from faceup.holdem.betting.betting_tree import FOLD_END, SHOWDOWN, BettingTree, build_tree, children, columns, menu_from
from faceup.holdem.betting.notation import state_after
from faceup.holdem.solve import groups as hand_groups
from faceup.holdem.solve import selfplay
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.selfplay import Discount, SelfPlay

MENU = menu_from([[1]], [[1]], [[1], []], [[1], []])
# Every hole by itself: by its number, on the river by a number that `spot` gives it on each board. Else holes outside of the
# ranges would share infosets with those inside.
OWN_GROUPS = Groups(
    *(np.tile(np.arange(1326, dtype=np.int32), (n, 1)) for n in (1755, 16_432)), (1326, 1326, 1326, N_RIVER_GROUPS)
)
HOLES = 5
TOY_MENU = menu_from([[1], []], [[]], [[]], [[]])  # a raise of the pot before the flop; later streets offer all-in alone


def turn_tree(amount: int) -> BettingTree:
    """Betting on turn and river after a raise to `amount` was called and the flop was checked."""
    return build_tree(MENU, state_after(f"b{amount}c/kk/"))


def spot(seed: int, n_rivers: int, lowest: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boards (n_rivers, 5) that share four cards, ranges (2, 1326) of a few holes, and their river groups (n_rivers, 1326).

    lowest: the least card that a hole may have.
    """
    rng = np.random.default_rng(seed)
    cards = rng.permutation(52)
    boards = np.array([[*cards[:4], cards[4 + i]] for i in range(n_rivers)])
    free = np.flatnonzero(~np.isin(HOLE_CARDS, cards[: 4 + n_rivers]).any(axis=1) & (HOLE_CARDS >= lowest).all(axis=1))
    ranges = np.zeros((2, 1326))
    for player in range(2):
        ranges[player, rng.choice(free, HOLES, replace=False)] = rng.uniform(0.2, 1, HOLES)
    held = np.flatnonzero(ranges.any(axis=0))
    groups = np.full((n_rivers, 1326), N_RIVER_GROUPS - 1, dtype=np.int32)
    groups[:, held] = np.arange(n_rivers * len(held)).reshape(n_rivers, -1)
    return boards, ranges, groups


def as_game(tree: BettingTree, boards: np.ndarray, ranges: np.ndarray) -> Game:
    """The spot with every deal written out; names of infosets are (node, hole, board number or -1)."""
    builder, deals = GameBuilder(), []
    for k, board in enumerate(boards.tolist()):
        holes, outcome = pair_outcomes(board)
        weight = np.outer(*ranges[:, holes]) * ~np.isnan(outcome)
        deals += [(weight[i, j], (holes[i], holes[j]), k, outcome[i, j]) for i, j in np.argwhere(weight)]

    def add(node: int, parent: int, by: str | float, held: tuple[int, int], k: int, outcome: float) -> None:
        put, player, below = tree.bets[node].sum(axis=1), int(tree.actor[node]), children(tree, node)
        if tree.kind[node] == SHOWDOWN:
            builder.end(parent, by, outcome * put.min())
        elif tree.kind[node] == FOLD_END:
            builder.end(parent, by, put[1] if player else -put[0])
        else:
            name, labels = (
                f"{node} {held[player]} {k if tree.street[node] == 3 else -1}",
                [tree.labels[tree.label[c]] for c in below],
            )
            own = builder.decision(parent, by, player, name, labels)
            for c, label in zip(below, labels, strict=True):
                add(c, own, label, held, k, outcome)

    builder.chance()
    total = sum(deal[0] for deal in deals)
    for weight, *deal in deals:
        add(0, 0, weight / total, *deal)
    return builder.build()


def learnt(game: Game, tree: BettingTree, boards: np.ndarray, groups: np.ndarray, tables: tuple[np.ndarray, ...]) -> np.ndarray:
    """Self-play's tables as a strategy of the game."""
    rows = [hand_groups.hole_groups(OWN_GROUPS, street, boards[0][:n]) for street, n in enumerate((0, 3, 4))]
    strategy = np.zeros(len(game.labels))
    infoset = action_infoset(game)
    for i, name in enumerate(game.names):
        node, hole, k = map(int, name.split())
        street = tree.street[node]
        group = groups[k, hole] if street == 3 else rows[street][hole]
        strategy[infoset == i] = tables[street][group, columns(tree, node)]
    return strategy


def check_spot(tree: BettingTree, deal: tuple, rounds: int, epoch: int, within: float, monkeypatch) -> None:
    """Self-play in turns, every board once for each player a round, comes within so many dollars of an equilibrium."""
    boards, ranges, groups = deal
    game, n = as_game(tree, boards, ranges), len(boards)
    monkeypatch.setattr(hand_groups, "CLASS_OF_HOLE", np.arange(len(HOLE_CARDS)))
    monkeypatch.setattr(selfplay, "sampled_board", lambda _, t: boards[t // 2 % n])
    of_board = {tuple(board): own for board, own in zip(boards.tolist(), groups, strict=True)}
    monkeypatch.setattr(hand_groups, "_river_equity", lambda cards, out: np.copyto(out, of_board[tuple(cards.tolist())]))
    play = SelfPlay(tree, OWN_GROUPS, Discount(1.5, 0.0, 2.0, 2 * n * epoch), seed=0, ranges=ranges, in_turns=True)
    play.advance(2 * n * rounds)
    strategy = learnt(game, tree, boards, groups, play.average())
    best = [best_value(game, strategy, p) for p in range(2)]
    assert 0 <= sum(best) / 2 < within
    assert -best[1] - 1e-6 <= solve(game).value <= best[0] + 1e-6


# Twenty spots; the pot is $10,000, and 0.1 % of it $10. Where two rivers may come they are met one at a time, and the strategy
# on the turn leans away from the one met last. That fades as regrets grow, so that the discounts are put far apart there.


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_turn_subgames_of_two_rivers_are_solved(seed, monkeypatch):
    check_spot(turn_tree(5000), spot(seed, 2), 6000, 300, 10, monkeypatch)


def test_a_subgame_is_nearly_solved_in_few_iterations(monkeypatch):
    check_spot(turn_tree(5000), spot(11, 1), 100, 1, 30, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(11, 27))
def test_subgames_with_a_known_river_are_solved(seed, monkeypatch):
    check_spot(turn_tree(5000), spot(seed, 1), 400, 1, 10, monkeypatch)


@pytest.mark.slow
def test_a_small_whole_game_is_solved(monkeypatch):
    """All four streets from the blinds on, to 0.2 % of the stacks; holes of tens and better, two rivers."""
    check_spot(build_tree(TOY_MENU), spot(31, 2, lowest=32), 3000, 20, 40, monkeypatch)
