"""Numbers in prose: `{{stage.key.key|format}}` stands for a number of reports/metrics/stage.json.

The runner replaces them in the markdown cells of a report, `python -m faceup.lab.run --readme` in
README.md; sources keep them.

    {{agents.oct.blueprint}}    "−121 ± 6": a dict with ci95 and one of VALUES
    {{agents.oct.leaves}}       "7,765": a number, or a text
    {{distill.depths.round=flop;depth=15.oct_test|4}}
                                "0.1678": in a list the one entry with these values, or an index

After the bar: - negated, + with its sign, % times 100, k times 1000, a digit: decimals; `|-k1` is
all three. A dot between two digits is part of a name: `share=0.1`.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faceup.lab.tables import plain, plus_minus
from faceup.util.files import load_json
from faceup.util.paths import ROOT

VALUES = ("mbb", "mean", "value", "exploitability", "percent")
NOTE = "> *Text describes the default run; numbers are of this run.*"


def read_metrics(stage: str, made: Path = ROOT) -> Any:
    """Metrics of a stage: of this run, in the folder `made`, else of the last finished one.

    "benchmarks" are minutes and speeds.
    """
    name = "benchmarks.json" if stage == "benchmarks" else f"metrics/{stage}.json"
    own, finished = (root / "reports" / name for root in (made, ROOT))
    return load_json(own if own.is_file() else finished)


def _look_up(found: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(found, list) and "=" in step:
            wanted = [part.split("=", 1) for part in step.split(";")]
            (found,) = [x for x in found if all(str(x.get(key)) == v for key, v in wanted)]
        else:
            found = found[int(step) if isinstance(found, list) else step]
    return found


def _format(found: Any, form: str) -> str:
    """A number, or a dict of one with its interval, in words; a text as it is."""
    if isinstance(found, str):
        return found
    both = isinstance(found, dict)
    factor = 100 ** ("%" in form) * 1000 ** ("k" in form)
    value = next(found[key] for key in VALUES if key in found) if both else found
    value *= -factor if "-" in form else factor
    half = factor * found["ci95"] if both else 0
    sign, digits = "+" * ("+" in form), form.strip("-+%k")
    if digits:
        text = f"{value:{sign}z,.{digits}f}" + f" ± {half:,.{digits}f}" * both
    elif both:
        text = plus_minus(value, half, sign=bool(sign))
    else:
        text = f"{value:{sign},}" if isinstance(value, int) else plain(value, sign)
    return text.replace("-", "\u2212")


def filled(text: str, read: Callable[[str], Any], unknown: str | None = None) -> str:
    """A text with numbers in the place of their paths; read(stage) returns metrics.

    A path that leads to no number becomes `unknown`, or raises ValueError where that is None.
    """

    def number(place: re.Match) -> str:
        """The text for one pair of braces."""
        path, _, form = (part.strip() for part in " ".join(place[1].split()).partition("|"))
        stage, *steps = re.split(r"(?<!\d)\.|\.(?!\d)", path)
        try:
            return _format(_look_up(read(stage), steps), form)
        except (LookupError, OSError, ValueError, TypeError, StopIteration) as error:
            if unknown is None:
                raise ValueError(f"{place[0]}: {type(error).__name__}: {error}") from error
            return unknown

    return re.sub(r"\{\{([^{}]*)\}\}", number, text)
