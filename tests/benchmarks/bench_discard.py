"""Iterations of self-play a second on Discard Hold'em, two threads: the paper's version, and those that decide about swaps.

The paper's own ran 100 a second. Hands are grouped and swaps are counted on every 24th river alone, which changes no speed.
"""

from functools import partial

from report import record, seconds

from faceup.cards.cards import canonical_boards
from faceup.discard.deals import OWN, RULE, make_tables, rows_of
from faceup.discard.groups import make_ochs_groups
from faceup.discard.outs import best_choices, rule_choices
from faceup.discard.selfplay import EPOCH, Setting, self_play
from faceup.discard.swaps import equities, flop_sums, turn_sums
from faceup.discard.tree import build_swap_tree
from faceup.lab.rng import rng

SETTINGS = {
    "": Setting("chance", RULE, False, 0.0),
    "own_swaps_": Setting("external", OWN, False, 1.0),
    "reading_": Setting("external", OWN, True, 1.0),
}
WARM, MEASURED = 4 * EPOCH, 4 * EPOCH


def test_iterations_per_second():
    turn, stream = turn_sums(24), partial(rng, 1, "test")
    groups = make_ochs_groups(100, 100, stream, 24)
    equity = [equities(found) for found in (flop_sums(turn), turn)]
    rule = [rule_choices(canonical_boards(n).cards, values) for n, values in zip((3, 4), equity, strict=True)]
    tables = make_tables(groups, equity, rule, list(map(best_choices, equity)), stream())
    tree = build_swap_tree(([[1], [1]], *([[0.66], [1], [1]],) * 3))
    rates = {}
    for name, setting in SETTINGS.items():
        run = partial(self_play, tree, tables, rows_of(groups), setting, stream)
        # the first compiles, the second is the way from a uniform start
        _, warm, longer = (seconds(partial(run, [iterations])) for iterations in (EPOCH, WARM, WARM + MEASURED))
        rates[f"{name}iterations_per_second"] = round(MEASURED / (longer - warm))
    record("discard", rates)
