"""params.yaml: what may stand in it. A wrong file is one ValueError before work starts.

A profile has only the knobs that differ from params.yaml. `python -m faceup.lab.parameters
params/quick.yaml FILE` writes all knobs to a file. kinds.yaml lists every knob under its kind, and
which knobs must fit others; a knob without a kind is refused. Values are checked, never converted.
What a kind `is`:

    whole 1..30, whole 5000.. by 5000, real 0..1                    numbers between two ends, or from one on
    one of mistakes pot, cards 2                                    names or numbers; two different cards such as Ac3h
    list 4..4 KIND, increasing 1.. KIND                             so many values, each of a kind; each above the one before
"""

import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML, YAMLError

from faceup.util.paths import ROOT


def holds(kind: str, value: Any) -> bool:
    """Whether a value is what a kind says."""
    match kind.split(" ", 2):
        case ["whole", span, *step]:
            return (
                type(value) is int
                and _within(span, value)
                and value % int(step[0][3:] if step else 1) == 0
            )
        case ["real", span]:
            return type(value) in (int, float) and _within(span, value)
        case ["cards", n]:
            return (
                type(value) is str
                and len({*_cards(value)}) == int(n)
                and "".join(_cards(value)) == value
            )
        case ["one", "of", names]:
            return type(value) in (int, str) and value in [
                int(name) if name.isdigit() else name for name in names.split()
            ]
        case ["list" | "increasing" as order, span, each]:
            fits = (
                type(value) is list
                and _within(span, len(value))
                and all(holds(each, item) for item in value)
            )
            return fits and (order == "list" or all(a < b for a, b in pairwise(value)))
    raise ValueError(
        f"kinds.yaml: a kind is {kind!r}, expected one that faceup.lab.parameters names"
    )


def _within(span: str, value: float) -> bool:
    least, most = span.split("..")
    return float(least) <= value <= float(most or "inf")


def _cards(text: str) -> list[str]:
    return re.findall("[2-9TJQKA][cdhs]", text)


def _flat(value: Any) -> list:
    """The numbers in a value, or the cards."""
    if isinstance(value, list):
        return [number for item in value for number in _flat(item)]
    return _cards(value) if isinstance(value, str) else [value]


FITS: dict[str, Callable[..., Any]] = {  # the words between a knob and others; each is `_flat`
    "below": lambda own, most: max(own) < max(most),
    "at most": lambda own, most: max(own) <= max(most),
    "among": lambda own, *others: {*own} <= {number for other in others for number in other},
    "without": lambda own, other: {*own}.isdisjoint(other),
    "a multiple of": lambda own, part: own[0] % part[0] == 0,
}


def read_yaml(path: Path) -> dict[str, Any]:
    """A YAML file's keys and plain values. ValueError naming the file where it is damaged, has no
    keys, or one twice.
    """
    try:
        return dict(YAML(typ="safe", pure=True).load(path))
    except (YAMLError, ValueError, TypeError) as error:
        raise ValueError(
            f"{path.name}: {' '.join(str(error).split('To suppress')[0].split())}"
        ) from error


def load_parameters(
    path: Path = ROOT / "params.yaml", profile: Path | None = None
) -> dict[str, Any]:
    """All parameters of a file, with those of a profile in their place.

    ValueError naming file, dotted key, value and what was expected, for the first wrong value.
    """
    values, rules = (
        load_parameters(path) if profile else read_yaml(path),
        read_yaml(ROOT / "kinds.yaml"),
    )
    for section, knobs in read_yaml(profile).items() if profile else ():
        others = values.get(section, {})
        values[section] = (
            others | knobs if isinstance(others, dict) and isinstance(knobs, dict) else knobs
        )
    path = profile or path
    given, kinds = dict[str, Any](), dict[str, str]()
    for section, knobs in values.items():
        knobs = knobs if isinstance(knobs, dict) else {"": knobs}
        given |= {f"{section}.{knob}".rstrip("."): value for knob, value in knobs.items()}
    for name, kind in rules["kinds"].items():
        of = {
            f"{section}.{knob}".rstrip(".")
            for section, knobs in kind.items()
            if section != "is"
            for knob in knobs
        }
        kinds |= dict.fromkeys(of, f"{name} ({kind['is']})")
    for key in [*given, *kinds]:
        if key not in kinds:
            raise ValueError(
                f"{path.name}: {key} has no kind, expected a knob that kinds.yaml names"
            )
        if key not in given:
            raise ValueError(f"{path.name}: {key} is missing, expected {kinds[key]}")
        if not holds(kinds[key].rpartition("(")[2][:-1], given[key]):
            raise ValueError(f"{path.name}: {key} is {given[key]!r}, expected {kinds[key]}")
    for rule in rules["together"]:
        own, *others = re.findall(r"\w+\.\w+", rule)
        relation = rule[len(own) : rule.index(others[0])].strip()
        if not FITS[relation](*(_flat(given[name]) for name in (own, *others))):
            said = re.sub(
                r"\w+\.\w+", lambda name: f"{name[0]} ({given[name[0]]})", rule[len(own) :]
            )
            raise ValueError(f"{path.name}: {own} is {given[own]!r}, expected{said}")
    return values


if __name__ == "__main__":
    profile, file = map(Path, sys.argv[1:])
    YAML().dump(load_parameters(profile=profile), file)
