"""What make prints: the ladder of commands with their minutes, stages as they begin, differences.

    python -m faceup.lab.stages                   the commands, what each gives, its minutes
    python -m faceup.lab.stages compare           differences of metrics from HEAD
    python -m faceup.lab.stages measure test 290  keep the seconds of a command, see `measure`

The ladder and the comparison need Python alone, so that make answers before .venv is there.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from faceup.util.paths import NOTEBOOKS, ROOT

LADDER = """\
command                   what you get                                            minutes

make test                 the tests; the first command also builds .venv          {test:.0f}
make paper PAPER=leduc    one small paper, from nothing                           {leduc:.0f}
               =discard                                                           {discard:.0f}
               =bayes                                                             {bayes:.0f}
               =human_rules                                                       {human_rules:.0f}
make quick                all results with wide intervals, in build/quick         {quick:.0f}
make repro                the committed results: what is out of date              up to {total:.0f}
make again                the committed results: everything computed anew         {total:.0f}
make strong               retraining and Discard for longer, in build/strong      hours

make figures              all figures, from the committed numbers                 1
make compare              differences from the committed numbers                  0
make lab                  JupyterLab with the executed overview                   0
make site                 reports and pages as a web site, in build/site          2
make smoke                the pipeline at toy size in build/smoke, and checks     4
make studies STUDY=name   a study beside the pipeline; without STUDY, all         up to 120 each
make test-all             the long tests too
make bench                speed and memory, into reports/benchmarks.json
make lint                 ruff and mypy

Measured on {processor}"""
BENCHMARKS = ROOT / "reports" / "benchmarks.json"


def stage_names() -> list[str]:
    """Stages in the order of their notebooks, the overview last: "matches" is 16_matches."""
    names = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
    return [name[3:] for name in sorted(names, key=lambda name: name.startswith("00"))]


def benchmarks() -> dict[str, Any]:
    """What was measured last; nothing in a clone without it."""
    return json.loads(BENCHMARKS.read_text(encoding="utf-8")) if BENCHMARKS.is_file() else {}


def minutes() -> dict[str, Any]:
    """Minutes of stages and commands, as last measured, and the processor."""
    return benchmarks().get("minutes", {})


def measure(name: str, seconds: float) -> None:
    """Keep the minutes of a stage or command in reports/benchmarks.json, with FACEUP_MEASURE=1."""
    if os.environ.get("FACEUP_MEASURE") != "1":
        return
    kept = minutes() | {name: round(float(seconds) / 60, 1)}
    total = sum(kept.get(stage, 0) for stage in stage_names())
    found = benchmarks() | {"minutes": kept | {"total": round(total, 1), "processor": processor()}}
    BENCHMARKS.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def processor() -> str:
    """The processor's name, as Linux tells it."""
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1] if found else os.uname().machine


def announcement(stage: str, default: bool) -> str:
    """The line before a stage: "[5/16] robust: about 15 of the last 67 minutes"; no minutes if not
    default.
    """
    names = stage_names()
    number = names.index(stage)
    line = f"[{number + 1}/{len(names)}] {stage}"
    left = [minutes().get(name, 0) for name in names[number:]]
    if not default or not left[0]:
        return line
    return f"{line}: about {max(1, round(left[0]))} of the last {max(1, round(sum(left)))} minutes"


def git(*words: str) -> str:
    """The output of git; nothing where it fails or is missing."""
    command = ["env", "git", "-C", str(ROOT), "--no-optional-locks", *words]
    return subprocess.run(command, capture_output=True, text=True).stdout


def _values(content: Any, path: str = "") -> dict[str, Any]:
    """All numbers and words in dicts and lists by their path, such as ".agents.oct.br_pot.mbb"."""
    if not isinstance(content, dict | list):
        return {path: content}
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    return {at: v for key, part in pairs for at, v in _values(part, f"{path}.{key}").items()}


def _relative(old: Any, new: Any) -> float:
    """The difference of two numbers as a share of the larger; infinite where one is no number."""
    if isinstance(old, float | int) and isinstance(new, float | int):
        return abs(new - old) / max(abs(old), abs(new))
    return float("inf")


def compare() -> None:
    """Print the numbers of reports/metrics that differ from HEAD, those that are words, new or gone
    first, then the relatively largest differences; and all files of reports/ that do.
    """
    edited = git("diff", "--name-only", "--diff-filter=M", "HEAD", "--", "reports/metrics").split()
    old = _values({Path(name).stem: json.loads(git("show", f"HEAD:{name}")) for name in edited})
    new = _values({Path(name).stem: json.loads((ROOT / name).read_text()) for name in edited})
    pairs = {path: (old.get(path), new.get(path)) for path in old | new}
    rows = [(_relative(a, b), path, a, b) for path, (a, b) in pairs.items() if a != b]
    for relative, path, a, b in sorted(rows, key=lambda row: -row[0]):
        print(f"{path[1:]:80} {a!s:>14.14} {b!s:>14.14} {relative:>8.2%}")
    print(f"{len(rows)} values differ (path, committed, now, share of the larger)")
    print(git("status", "--short", "reports") or "All files in reports/ are the same to the byte")


if __name__ == "__main__":
    commands = {"measure": measure, "compare": compare}
    if sys.argv[1:]:
        commands[sys.argv[1]](*sys.argv[2:])  # type: ignore[operator]
    else:
        print(LADDER.format(**minutes()))
