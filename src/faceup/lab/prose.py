"""Numbers in prose: `{{stage.key.key|format}}` stands for a number of reports/metrics/stage.json.

The runner fills them in in the markdown cells of a report, `python -m faceup.lab.run --readme` in
README.md. Sources keep them.

    {{agents.oct.blueprint}}    a dict with ci95 and mbb (or mean, value, exploitability, percent): "−121 ± 6"
    {{agents.oct.leaves}}       a number, "7,765", or a text
    {{distill.depths.round=flop;depth=15.oct_test|4}}    a step into a list: an index, -1 the last, or what one entry alone has

After the bar: - negated, + with its sign, % times 100, k times 1000, a digit: so many decimals;
`|-k1` is all three. A dot between two digits is part of a name: `share=0.1`.
"""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faceup.lab.graph import stages_behind
from faceup.lab.tables import plain, plus_minus, signed
from faceup.util.files import load_json
from faceup.util.paths import ROOT

VALUES = ("mbb", "mean", "value", "exploitability", "percent")
NOTE = "> *Text describes the default run; numbers are of this run.*"
# the runner sets it where parameters are not the defaults: what stands for an unknown path
UNKNOWN = "FACEUP_UNKNOWN"


def metrics_of(name: str, made: Path) -> Callable[[str], Any]:
    """A function that reads the metrics which a notebook may name: of the stages behind it, and its
    own from the folder `made`.

    It gives None for its own as long as they are not there, ValueError for others. A notebook
    without a stage may name all.
    """
    own, *behind = [
        {Path(out).stem for out in s.outs if "/metrics/" in out} for s in stages_behind(name)
    ] or [set[str]()]
    allowed = own.union(*behind)

    def read(metric: str) -> Any:
        mine, finished = (
            place / "reports" / "metrics" / f"{metric}.json" for place in (made, ROOT)
        )
        if allowed and metric not in allowed:
            raise ValueError(
                f"{metric} is not of a stage that {name} depends on: {', '.join(sorted(allowed))}"
            )
        if metric in own and not mine.is_file():
            return None
        return load_json(mine if mine.is_file() else finished)

    return read


def _at(found: Any, steps: list[str]) -> Any:
    """What the steps lead to. LookupError says what is there instead."""
    for step in steps:
        known = found if isinstance(found, dict) else {}
        if isinstance(found, list) and "=" in step:
            wanted = {tuple(part.split("=", 1)) for part in step.split(";")}
            having = [
                entry
                for entry in found
                if isinstance(entry, dict) and wanted <= {(k, str(v)) for k, v in entry.items()}
            ]
            known = {step: having[0]} if len(having) == 1 else {}
        elif isinstance(found, list):
            known = {
                str(place): entry for k, entry in enumerate(found) for place in (k, k - len(found))
            }
        if step not in known:
            there = ", ".join(found) if isinstance(found, dict) else repr(found)[:500]
            raise LookupError(f"{step} is not there, or not alone; there is: {there}")
        found = known[step]
    return found


def _said(found: Any, form: str) -> str:
    """A number in words, a dict of one with its interval, or a text as it is."""
    both = isinstance(found, dict) and found.get("ci95") is not None
    value = next((found[key] for key in VALUES if key in found), None) if both else found
    if isinstance(value, str):
        return value
    if type(value) not in (int, float):
        raise LookupError(
            f"expected a number, or ci95 and one of {', '.join(VALUES)}; there is: {repr(found)[:500]}"
        )
    factor, sign, digits = (
        100 ** ("%" in form) * 1000 ** ("k" in form),
        "+" * ("+" in form),
        form[-1:].strip("-+%k"),
    )
    value, half = (
        value * (-factor if "-" in form else factor),
        factor * found["ci95"] if both else 0,
    )
    if digits:
        text = f"{value:{sign}z,.{digits}f}" + f" ± {half:,.{digits}f}" * both
    elif both:
        text = plus_minus(value, half, sign=bool(sign))
    else:
        text = (
            f"{value:{sign},}"
            if isinstance(value, int)
            else signed(value)
            if sign
            else plain(value)
        )
    return text.replace("-", "\u2212")


def filled(text: str, metrics_of: Callable[[str], Any]) -> str:
    """A text with numbers in the place of their paths. `metrics_of` gives a stage's metrics, or
    None: then its paths stay.

    ValueError for what is no path, or leads to no number; where parameters are not the defaults,
    "–" stands for the latter.
    """

    def said(place: re.Match) -> str:
        path, bar, form = (part.strip() for part in " ".join(place[1].split()).partition("|"))
        stage, *steps = re.split(r"(?<!\d)\.|\.(?!\d)", path)
        try:
            if not steps or not re.fullmatch("[-+%k]+[0-9]?|[0-9]" if bar else "", form):
                raise ValueError(
                    "expected a path with dots and, after a bar, a format of - + % k and a digit"
                )
            found = metrics_of(stage)
            return place[0] if found is None else _said(_at(found, steps), form)
        except (LookupError, OSError, ValueError) as error:
            if isinstance(error, ValueError) or UNKNOWN not in os.environ:
                raise ValueError(f"{place[0]}: {error}") from error
            print(f"{place[0]}: {error}", file=sys.stderr)
            return os.environ[UNKNOWN]

    return re.sub(r"\{\{([^{}]*)\}\}", said, text)


def fill(nb: Any, name: str, made: Path) -> None:
    """Fill the markdown cells of a notebook. ValueError names it, and each cell in which something
    is wrong.
    """
    read, wrong = metrics_of(name, made), []
    for cell in [cell for cell in nb.cells if cell.cell_type == "markdown"]:
        try:
            cell.source = filled(cell.source, read)
        except ValueError as error:
            wrong.append(f"{cell.id}: {error}")
    if wrong:
        raise ValueError(f"notebooks/{name}.ipynb, " + "\n".join(wrong))
