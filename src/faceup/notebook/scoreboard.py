"""The scoreboard: reports/tables/scoreboard.csv, whole in 00_overview, its chosen rows between two markers of README.md.

python -m faceup.notebook.scoreboard
"""

import csv
from pathlib import Path
from typing import Any

from faceup.notebook.paths import ROOT, TABLES
from faceup.notebook.storage import write_text
from faceup.notebook.tables import plus_minus, show_table

MARKS = "<!-- scoreboard -->", "<!-- end of scoreboard -->"
CHOSEN = (  # how the rows of README.md begin
    "NN against XGBoost",
    "OCT against Slumbot",
    "OCT against the table",
    "exploitability of OCT",
    "one-card game: our list",
)


def match_between(pairs: list[dict], first: str, second: str) -> dict:
    """What the first agent wins from the second, from the pairs of matches.json. Raises ValueError if they never met."""
    for pair in pairs:
        if (pair["first"], pair["second"]) == (first, second):
            return pair
        if (pair["second"], pair["first"]) == (first, second):
            return pair | {"first": first, "second": second, "mbb": -pair["mbb"]}
    raise ValueError(f"no match of {first} against {second}, expected one in matches.json")


def agent_row(name: str, found: Any, depth: int | None = None, leaves: int | None = None, match: Any = None) -> dict:
    """An agent's numbers for metrics: an `Exploitability`, and a match `Result` against the table if there is one."""
    shown = {"name": name, "depth": depth, "leaves": leaves, "mbb": found.mbb, "ci95": found.ci95}
    shown |= {"seats": list(found.seats), "flops": found.flops}
    shown |= {"match_mbb": match and match.mbb, "match_ci95": match and match.ci95}
    from_street, interval = (dict(zip(("flop", "turn", "river"), x[1:], strict=True)) for x in (found.later, found.later_ci95))
    return shown | {"from_street": from_street, "from_street_ci95": interval}


def scoreboard_row(what: str, quoted: Any, ours: float | None, interval: float | None, made: str, why: str) -> list:
    """A line of the scoreboard; `quoted` is the paper's number as `published` gives it, or None."""
    said, where = (quoted.printed, quoted.where) if quoted else ("", "")
    return [what, said, where, ours, interval, made, why]


def markdown(path: Path, starts: tuple[str, ...] = ("",)) -> str:
    """The scoreboard as a Markdown table, each number beside the paper's: rows whose name has one of these starts.

    Raises ValueError unless each start has a row.
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = [_shown(line) for line in csv.DictReader(file) if line["what"].startswith(starts)]
    if missing := [start for start in starts if not any(row[0].startswith(start) for row in rows)]:
        raise ValueError(f"{path}: no row begins with {missing}")
    return show_table(["what", "the paper", "ours", "made in", "why they differ"], rows).data


def _shown(line: dict[str, str]) -> list[str]:
    said = f"{line['paper']} ({line['where']})" if line["paper"] else ""
    ours, interval = line["ours"], float(line["ci95"] or 0)
    if ours:
        exact = f"{float(ours):,.6f}".rstrip("0").rstrip(".")
        ours = plus_minus(float(ours), interval).removeprefix("+") if interval else exact
    made = f"`{line['notebook']}`" if line["notebook"] else ""
    return [line["what"], said, ours, made, line["why"]]


def replaced(text: str, table: str) -> str:
    """`text` with the table between its markers; raises ValueError where they are not there once, in order."""
    start, end = (text.find(mark) for mark in MARKS)
    if start < 0 or end < start or any(text.count(mark) != 1 for mark in MARKS):
        raise ValueError(f"README.md: expected {MARKS[0]} and later {MARKS[1]}, each once")
    return f"{text[: start + len(MARKS[0])]}\n\n{table}\n\n{text[end:]}"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    write_text(readme, replaced(readme.read_text(encoding="utf-8"), markdown(TABLES / "scoreboard.csv", CHOSEN)))
