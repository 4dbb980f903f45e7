"""Numbers quoted from the papers (data/published.yaml), so that no notebook carries its own copy of one."""

from typing import Annotated, NamedTuple

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from faceup.notebook.paths import DATA

_FILE = DATA / "published.yaml"
_Number = Annotated[float, Field(allow_inf_nan=False)] | int  # as it stands in the file


class Published(NamedTuple):
    """A number as a paper gives it."""

    value: _Number | None  # None where the paper gives only words
    unit: str
    printed: str  # the paper's own words
    where: str  # section of the paper
    spread: _Number | None = None  # what it prints after +/-; it calls these standard deviations


_ENTRIES = TypeAdapter(dict[str, Published])


def published(paper: str) -> dict[str, Published]:
    """All numbers quoted from a paper, e.g. published("interpretable_poker")["kings_equity"].value.

    Raises ValueError for a paper that the file does not have, and for an entry that lacks something.
    """
    try:
        papers = dict(yaml.safe_load(_FILE.read_text(encoding="utf-8")))
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise ValueError(f"{_FILE.name}: {' '.join(str(error).split())}") from error
    if paper not in papers:
        raise ValueError(f"{_FILE.name}: paper {paper!r} is unknown, expected one of {', '.join(papers)}")
    try:
        return _ENTRIES.validate_python(papers[paper], strict=True)
    except ValidationError as error:
        wrong = error.errors()[0]
        place = ".".join(map(str, [paper, *wrong["loc"]]))
        raise ValueError(f"{_FILE.name}: {place} is {wrong['input']!r}: {wrong['msg']}") from None
