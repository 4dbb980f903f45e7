"""Numbers quoted from the papers (data/published.yaml), so that no notebook carries its own copy of one."""

import math
from typing import Any, NamedTuple

import yaml

from faceup.notebook.paths import DATA

_FILE = DATA / "published.yaml"


class Published(NamedTuple):
    """A number as a paper gives it."""

    value: float | None  # None where the paper gives only words
    spread: float | None  # what it prints after +/-; it calls these standard deviations
    unit: str
    printed: str  # the paper's own words
    where: str  # section of the paper


def published(paper: str) -> dict[str, Published]:
    """All numbers quoted from a paper, e.g. published("interpretable_poker")["kings_equity"].value.

    Raises ValueError for a paper that the file does not have, and for an entry that lacks something.
    """
    papers = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    if paper not in papers:
        raise ValueError(f"paper {paper!r} is unknown, expected one of {', '.join(papers)}")
    return {name: _entry(f"{_FILE.name}: {paper}.{name}", given) for name, given in papers[paper].items()}


def _entry(place: str, given: Any) -> Published:
    needed, known = {"value", "unit", "printed", "where"}, set(Published._fields)
    if not isinstance(given, dict) or not needed <= set(given) <= known:
        raise ValueError(f"{place} is {given!r}, expected {', '.join(sorted(needed))} and perhaps spread")
    for key in ("value", "spread"):
        x = given.get(key)
        if x is not None and (type(x) not in (int, float) or not math.isfinite(x)):
            raise ValueError(f"{place}.{key} is {x!r}, expected a number or null")
    for key in ("unit", "printed", "where"):
        if not isinstance(given[key], str):
            raise ValueError(f"{place}.{key} is {given[key]!r}, expected text")
    return Published(**{"spread": None} | given)
