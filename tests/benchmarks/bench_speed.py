"""Speed of the heavy parts; each writes a section of reports/benchmarks.json, with the machine."""

import platform
import resource
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numba
import numpy as np
import pytest

from faceup.cards.cards import canonical_boards
from faceup.cards.equity import all_equities
from faceup.games.cfr import Cfr
from faceup.holdem.agents import load_agent
from faceup.holdem.best_response import Responder
from faceup.holdem.betting_tree import build_tree
from faceup.holdem.buckets import Grid, make_buckets
from faceup.holdem.cfr import Discount, SelfPlay
from faceup.holdem.cfr_br import CfrBr, OpponentMixture
from faceup.holdem.exploitability import sample_flops
from faceup.holdem.infosets import HandBuckets, TreeLeaves
from faceup.holdem.policy import FixedPolicy, ModelPolicy, TablePolicy
from faceup.holdem.rules import DECISION, menu_from
from faceup.lab.parameters import load_parameters
from faceup.lab.stages import processor
from faceup.papers.discard import deals, outs, swaps
from faceup.papers.discard.buckets import make_ochs_buckets
from faceup.papers.discard.selfplay import EPOCH, self_play
from faceup.papers.discard.tree import ALL_SWAPS, build_swap_tree
from faceup.papers.leduc.game import LITERATURE, build
from faceup.papers.onecard.game import random_games
from faceup.papers.onecard.solutions import solve_games
from faceup.trees.agent_file import load_agent_file
from faceup.trees.cart import fit_cart
from faceup.trees.oct import fit_oct
from faceup.trees.tree import n_leaves, truncate
from faceup.util.files import load_json, write_json
from faceup.util.paths import AGENTS, REPORTS
from faceup.util.rng import rng

PATH = REPORTS / "benchmarks.json"
TREE = build_tree(menu_from(**load_parameters()["betting"]))
STREAM = partial(rng, 1, "test")


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """Seconds of one call, of so many."""
    start = perf_counter()
    for _ in range(times):
        work()
    return (perf_counter() - start) / times


def record(section: str, **values: object) -> None:
    """Replace one section of reports/benchmarks.json; the others stay as they are."""
    versions = f"Python {platform.python_version()}, numba {numba.__version__}"
    sections = load_json(PATH) if PATH.is_file() else {}
    machine = f"{processor()}, {numba.get_num_threads()} threads, {versions}"
    sections[section] = {"machine": machine, **values}
    write_json(PATH, dict(sorted(sections.items())))


def test_equity():
    """Seconds for all tables of exact equities."""
    all_equities.__wrapped__()  # compiles
    record("equity", seconds=seconds(all_equities.__wrapped__, 3))


@pytest.fixture(scope="module")
def table(equities) -> TablePolicy:
    """Plays all actions alike, in the groups of the default profile."""
    parameters, keys = load_parameters()["selfplay"], ("equity_cells", "decile_cells", "deciles")
    groups = make_buckets(
        *equities[1:3],
        *(Grid(*(parameters[f"{street}_{key}"] for key in keys)) for street in ("flop", "turn")),
    )
    rows = [FixedPolicy(TREE, None).street_rows(street, [])[0] for street in range(4)]
    return TablePolicy(
        tuple(np.repeat(row, n, axis=0) for row, n in zip(rows, groups.n_buckets, strict=True)),
        groups,
    )


def test_selfplay(table):
    """Milliseconds a board on the default tree, both players updated; gigabytes."""
    run = SelfPlay(TREE, table.buckets, Discount(1.5, 0, 2, 100), STREAM)
    run.advance(200)  # the first ones write to memory that was never touched
    taken = seconds(lambda: run.advance(500))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    decisions = int((TREE.kind == DECISION).sum())
    record(
        "selfplay",
        milliseconds_per_board=round(2 * taken, 2),
        decisions=decisions,
        peak_rss_gb=round(peak, 2),
    )


def test_safe(table, equities, all_in_wins):
    """CFR-BR of trees of depth 8, known in 40 % of the hands: seconds a turn board, six rivers."""
    oct_x = load_agent(AGENTS / "oct_x.json", equities).policy(TREE)
    trees = [truncate(tree, 8) for tree in oct_x.models]
    levels = HandBuckets(TREE, table, table.buckets.turn, 40)
    leaves = TreeLeaves(ModelPolicy(TREE, trees, equities, oct_x.feature_set))
    game = CfrBr(leaves, all_in_wins, levels, by_reach=True)
    deals = np.array([STREAM(k).permutation(52)[:10] for k in range(12)])
    opponent = OpponentMixture(0.4, table)
    state = game.train(game.start(1e7), deals[:2], opponent, boards_per_update=2)  # compiles
    taken = seconds(lambda: game.train(state, deals[2:], opponent, boards_per_update=2)) / 10
    leaves = sum(map(n_leaves, trees))
    record("safe", seconds_per_turn_board=round(taken, 3), leaves=leaves)


def test_exploitability(table, all_in_wins):
    """Seconds a flop of best responses with the pot or all-in, and with all sizes, in one pass."""
    responder = Responder(TREE, table, all_in_wins, [[1], None])
    responder.flop([0, 1, 2])  # compiles
    first, second = sample_flops(2, rng(1, "test")).tolist()
    taken = seconds(lambda: (responder.flop(first), responder.flop(second))) / 2
    record("exploitability", seconds_per_flop=round(taken, 2))


def test_trees():
    """How many times as long as CART the search for an optimal tree takes, by depth; 50,000 samples
    of OCT's own answers on the river, at random features.
    """
    tree = load_agent_file(AGENTS / "oct.json").trees[3]
    generator, n = np.random.default_rng(1), 50_000
    X = np.zeros((n, int(tree.feature.max()) + 1), dtype=np.float32)
    for feature in range(X.shape[1]):
        asked = tree.threshold[tree.feature == feature]
        if len(asked):
            X[:, feature] = generator.uniform(asked.min(), asked.max(), n)
    samples = X, tree.predict(X), np.ones(n, dtype=np.float32)
    fits = (
        partial(fit_cart, min_rows=5, stream=STREAM),
        partial(fit_oct, min_rows=5, stream=STREAM, regrowths=4),
    )
    times = {}
    for depth in (2, 4, 8, 15):
        works = [partial(fit, *samples, max_depth=depth) for fit in fits]
        for work in works:
            work()  # compiles
        cart, oct = (seconds(work, 3) for work in works)
        times[str(depth)] = round(oct / cart, 1)
    record("trees", oct_to_cart=times)


def test_one_card_games():
    """Games a second, all cores."""
    own, other = random_games(20_000, np.random.default_rng(1))
    solve_games(own[:10], other[:10])  # compiles
    rate = 20_000 / seconds(lambda: solve_games(own, other), 3)
    record("human_rules", games_per_second=round(rate))


def test_leduc():
    """Iterations of DCFR a second, one thread."""
    run = Cfr(build(LITERATURE).form)
    run.advance(10)  # compiles
    rate = 20_000 / seconds(lambda: run.advance(20_000))
    record("leduc", iterations_per_second=round(rate))


def test_discard():
    """Iterations a second, two threads: of the paper's self-play, whose own ran 100, and of an
    opponent who sees swaps.

    Swaps are counted on every 24th river alone, which changes no speed.
    """
    turn = swaps.swap_sums(canonical_boards(4).cards, 24)
    buckets = make_ochs_buckets(100, 100, STREAM, 24)
    equity = [swaps.equities(found) for found in (swaps.flop_sums(turn), turn)]
    rule = [
        outs.rule_choices(canonical_boards(n).cards, values)
        for n, values in zip((3, 4), equity, strict=True)
    ]
    lookup = deals.make_lookup(buckets, equity, [rule, list(map(outs.best_choices, equity))])
    tree = build_swap_tree(([[1], [1]], *([[0.66], [1], [1]],) * 3))
    n_rows = deals.strategy_rows(buckets)

    def learn(policy, stops, **options):
        return self_play(tree, lookup, n_rows, policy, STREAM, stops, **options)

    (bot,) = learn(deals.RULE, [EPOCH])
    runs = {
        "iterations_per_second": partial(learn, deals.RULE),
        "responses_per_second": partial(learn, deals.BEST, sees=ALL_SWAPS, gamma=2.0, opponent=bot),
    }
    rates = {}
    for name, run in runs.items():
        # the first compiles, the second is the way from a uniform start
        _, warm, longer = (
            seconds(partial(run, stops=[iterations * EPOCH])) for iterations in (1, 4, 8)
        )
        rates[name] = round(4 * EPOCH / (longer - warm))
    record("discard", **rates)
