"""Tree paths and actions in poker terms."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from faceup.trees.tree import DecisionTree, path_to

# a split on a path: its feature, its threshold, and whether the path goes on above it
Step = tuple[str, float, bool]
# above, at most; infinite where a path does not ask
Range = tuple[float, float]


class Wording(NamedTuple):
    """Phrases for the comparison of a feature with a number; {} is the number with its unit.

    Bets have no values from 0, or the blinds, to `least`: a limit there separates `none` from
    `some`.
    """

    at_most: str
    above: str
    between: str  # {} twice
    percent: bool  # the number is an equity or a share of the pot
    dollars: bool
    least: float = 0.0
    none: str = ""
    some: str = ""


def wording(name: str) -> Wording:
    """The phrases for a feature; unknown names are used verbatim."""
    if name == "button":
        return Wording("in the big blind", "on the button", "", False, False)
    if name == "bet_faced":  # in pots; no bet is smaller than $100 into $10,000
        at_most, above, between = (
            f"{part} of the pot to call" for part in ("at most {}", "more than {}", "{} to {}")
        )
        none, some = "no bet to call", "a bet to call"
        return Wording(at_most, above, between, True, False, 0.01, none, some)
    later, _, decile = name.partition("_equity_p")
    if decile.isdigit():
        return _later_wording(later, int(decile) // 10)
    who, bet, street = name.partition("_bet_")
    if bet and who in ("opponent", "own"):
        return _bet_wording(who, street)
    what, unit = ("stack", " pots") if name == "stack_to_pot" else (name, "")
    at_most, above, between = (
        f"{what} {part}{unit}" for part in ("at most {}", "above {}", "between {} and {}")
    )
    return Wording(at_most, above, between, name == "equity", False)


def _later_wording(street: str, tenths: int) -> Wording:
    """Of a decile d = tenths: at least d in 10 of the street's cards leave at most its value."""
    rest = 10 - tenths
    if not rest:
        more = f"the best {street}s leave more than {{}} equity"
        none = f"no {street} leaves more than {{}} equity"
        return Wording(none, more, f"{more}, none more than {{}}", True, False)
    few, many = (f"{n} {street}{'s' * (n > 1)} in 10 leave{'s' * (n == 1)}" for n in (tenths, rest))
    more = f"over {many} more than {{}} equity"
    return Wording(
        f"{few} at most {{}} equity", more, f"{more}, {tenths} in 10 at most {{}}", True, False
    )


def _bet_wording(who: str, street: str) -> Wording:
    """Of the dollars that a player put in on a street, calls included."""
    put = f"the {'bot' if who == 'own' else who} put in"
    when = "before the flop" if street == "preflop" else f"on the {street}"
    at_most, above, between = (
        f"{put} {part} {when}"
        for part in ("at most {}", "more than {}", "more than {} and at most {}")
    )
    least, none, some = 100, f"{put} nothing {when}", f"{put} chips {when}"  # or an all-in below
    if street == "preflop":  # the smallest raise is to $200; who calls it puts in as much
        least, none, some = 200, "no raise before the flop", "a raise before the flop"
        if who == "own":  # the opponent may have raised
            none, some = (f"{put} {part} than a blind {when}" for part in ("no more", "more"))
    return Wording(at_most, above, between, False, True, least, none, some)


def numbers(words: Wording, *values: float) -> list[str]:
    """Numbers with their unit: "27.4 %", "$1,400".

    They have the fewest digits, three or more, that tell different numbers apart, and from 0 and 1.
    A bet is a whole number, so that one above $112.5 is above $112.
    """
    if words.dollars:
        return [f"${math.floor(value):,}" for value in values]
    scale = 100 if words.percent else 1
    for digits in range(3, 10):
        texts = {x: f"{float(f'{scale * x:.{digits}g}'):.10g}" for x in (*values, 0.0, 1.0)}
        if len(set(texts.values())) == len(texts):
            break
    return [texts[value] + " %" * words.percent for value in values]


def condition(name: str, threshold: float, above: bool) -> str:
    """The condition of a branch: "the opponent put in at most $300 on the river"."""
    return range_words(name, (threshold, math.inf) if above else (-math.inf, threshold))


def range_words(name: str, limits: Range, value: float | None = None) -> str:
    """A feature above a limit, at most another, one of them finite or both; value: the feature's
    own, which is put in brackets.
    """
    (low, high), words = limits, wording(name)
    if high < words.least:
        return words.none
    if low < words.least and math.isinf(high):
        return words.some
    form = words.at_most if math.isinf(low) else words.above if math.isinf(high) else words.between
    finite = [limit for limit in limits if math.isfinite(limit)]
    texts = numbers(words, *finite, *([] if value is None else [value]))
    unit = " equity" * ("{} equity" in form)  # the share of boards is another number
    here = f" (here {texts[-1]}{unit})" if value is not None and "{}" in form else ""
    return form.format(*texts[: len(finite)]) + here


def merged(steps: Sequence[Step]) -> dict[str, Range]:
    """The conditions of a path as one range for each feature, in the order of first use."""
    ranges: dict[str, Range] = {}
    for name, threshold, above in steps:
        low, high = ranges.get(name, (-math.inf, math.inf))
        ranges[name] = (max(low, threshold), high) if above else (low, min(high, threshold))
    return ranges


def reasons(steps: Sequence[Step]) -> list[str]:
    """The conditions of a path in words, one for each feature."""
    return [range_words(name, limits) for name, limits in merged(steps).items()]


def action_name(label: str) -> str:
    """An action's label in words: "check or call", "bet 2 x pot", "all-in"."""
    if label.startswith("raise_"):
        times = label.removeprefix("raise_")
        return "bet the pot" if times == "1" else f"bet {times} \u00d7 pot"
    return {"call": "check or call", "all_in": "all-in"}.get(label, label)


def path_steps(tree: DecisionTree, names: Sequence[str], node: int) -> list[Step]:
    """The splits from the root of a tree to a node."""
    return [
        (names[tree.feature[k]], float(tree.threshold[k]), above)
        for k, above in path_to(tree, node)
    ]


def path_words(tree: DecisionTree, names: Sequence[str], node: int) -> list[str]:
    """The conditions of a tree's branch, one a feature; none at the root."""
    return reasons(path_steps(tree, names, node))


def call_words(pot: int, to_call: int) -> str:
    """The price of a call in words; pot: dollars, including the bet to call."""
    if not to_call:
        return "nothing to call"
    size = to_call / (pot - to_call)
    named = {0.5: "half the pot", 1: "the pot", 2: "twice the pot"}
    words = named.get(size, f"{100 * size:.4g} % of the pot")
    return f"${to_call:,} to call: a bet of {words}, pot odds {pot / to_call:.3g} to 1"
