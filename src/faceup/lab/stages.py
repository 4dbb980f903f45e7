"""What the commands of make print and measure: the ladder, the stage of a run, one paper from
nothing, differences.

    python -m faceup.lab.stages                 the commands, what each gives, its minutes
    python -m faceup.lab.stages paper leduc     one paper computed anew, after the stages whose outputs it lacks
    python -m faceup.lab.stages note test 290   seconds of a command, which build/minutes.json holds as minutes
    python -m faceup.lab.stages minutes         minutes of a forced run: build/minutes.json -> reports/benchmarks.json
    python -m faceup.lab.stages compare         differences of metrics and tables from the last commit
    python -m faceup.lab.stages results quick   the agents of build/quick as a text table

The ladder and the comparison need Python alone, so that make answers before .venv is there.
FACEUP_STAGES names the stages of a run that is not of the whole pipeline.
"""

import csv
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from faceup.util.paths import ROOT

PAPERS = {name: name for name in ("leduc", "discard", "bayes", "human_rules")} | {
    "onecard": "human_rules"
}
# minutes that the design allows, until a run has measured them; of stages, then of commands
BUDGET = {
    "equity": 1, "selfplay": 11, "distill": 15, "exploitability": 8, "robust": 18, "opponents": 10, "matches": 18,
    "strategy": 2, "selfplay_time": 2, "your_agent": 2, "human_rules": 3, "leduc": 3, "discard": 3, "bayes": 3,
    "explorer": 0.3, "overview": 0.2, "total": 100, "test": 5, "quick": 8, "figures": 1,
}  # fmt: skip
LADDER = """\
command                   what you get                                            minutes

make test                 the tests; the first command also builds .venv          {test}
make paper PAPER=leduc    one small paper, from nothing                           {leduc}
               =discard                                                           {discard}
               =bayes                                                             {bayes}
               =human_rules                                                       {human_rules}
make quick                all results with wide intervals, in build/quick         {quick}
make repro                the committed results: what is out of date              up to {total}
make again                the committed results: everything computed anew         {total}
make strong               retraining and Discard for longer, in build/strong      hours

make figures              all figures, from the committed numbers                 {figures}
make compare              differences from the committed numbers                  0
make lab                  JupyterLab with the executed overview                   0
make site                 reports and pages as a web site, in build/site          about 2
make smoke                the pipeline at toy size in build/smoke, and checks     about 4
make studies STUDY=name   a study beside the pipeline; without STUDY, all         up to 120 each
make test-all             the long tests too
make bench                speed and memory, into reports/benchmarks.json
make lint                 ruff and mypy
"""


def pipeline() -> dict[str, dict]:
    """The stages of dvc.yaml that run a notebook, in its order."""
    from faceup.lab.parameters import read_yaml

    stages = read_yaml(file)["stages"] if (file := ROOT / "dvc.yaml").is_file() else {}
    return {name: stage for name, stage in stages.items() if "--" not in stage["cmd"]}


def _json(path: str) -> dict:
    return json.loads(file.read_text(encoding="utf-8")) if (file := ROOT / path).is_file() else {}


def _git(*words: str) -> str:
    """What git answers; nothing where it fails or is missing."""
    return subprocess.run(["env", "git", *words], cwd=ROOT, capture_output=True).stdout.decode()


def measured_minutes() -> dict:
    """Minutes of stages and commands, and the processor, that the last measured run has left."""
    return _json("reports/benchmarks.json").get("minutes", {})


def expected() -> dict:
    """Minutes of each stage: of the last measured run, else the budget."""
    return BUDGET | measured_minutes()


def said(minutes: float) -> str:
    """Minutes in words."""
    return "about 1 minute" if minutes < 1.5 else f"about {minutes:.0f} minutes"


def ladder() -> None:
    """Print the commands."""
    measured = measured_minutes()
    minutes = {name: f"{max(1, round(measured[name]))}" for name in BUDGET.keys() & measured}
    print(LADDER.format(**{name: f"about {budget}" for name, budget in BUDGET.items()} | minutes))
    print(f"Measured on {measured.get('processor', 'no machine yet')}; `about`: not measured")


def announcement(name: str, planned: list[str], by_default: bool) -> str:
    """The line before a stage: "[5/17] robust: about 16 minutes; about 52 minutes left". Without
    minutes for other parameters.
    """
    minutes, left = expected(), planned[planned.index(name) :]
    line = f"[{len(planned) - len(left) + 1}/{len(planned)}] {name}"
    more = (
        f": {said(minutes.get(name, 1))}; {said(sum(minutes.get(stage, 1) for stage in left))} left"
    )
    return line + more if by_default else line


def timed(run: Callable[[str], None], by_default: Callable[..., bool], notebook: str) -> None:
    """Run a notebook. Of a stage, say first which it is, and note its minutes."""
    notebooks, started = (
        {name: stage["cmd"].split()[-1] for name, stage in pipeline().items()},
        time.time(),
    )
    name = next((name for name in notebooks if notebooks[name] == notebook), "")
    if name:
        planned = os.environ.get("FACEUP_STAGES", "").split() or [*notebooks]
        print(announcement(name, planned, by_default(*notebooks.values())), flush=True)
    run(notebook)
    note(name or "studies", time.time() - started)


def note(name: str, seconds: float) -> None:
    """Put the minutes of a stage or a command into build/minutes.json."""
    taken = _json("build/minutes.json") | {name: float(seconds) / 60}
    (ROOT / "build" / "minutes.json").write_text(json.dumps(taken))


def processor() -> str:
    """The processor's name, as Linux tells it."""
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1] if found else os.uname().machine


def keep_minutes() -> None:
    """Put a run's minutes into reports/benchmarks.json where they changed by over a third, so that
    a rerun changes no file.

    Minutes of another processor stay as they are: all that are committed are of one machine.
    """
    found, noted, own = _json("reports/benchmarks.json"), _json("build/minutes.json"), processor()
    kept, stages = found.get("minutes", {"processor": own}), [*pipeline()]
    if kept["processor"] != own:
        return print(
            f"reports/benchmarks.json keeps the minutes of {kept['processor']}; to replace them, delete them there first"
        )
    far = {
        name
        for name, new in noted.items()
        if name not in kept or abs(new - kept[name]) > max(kept[name] / 3, 0.5)
    }
    now = kept | {name: round(noted[name], 1) for name in far}
    minutes = {name: now[name] for name in (*stages, "test", "quick", "figures") if name in now}
    found["minutes"] = minutes | {
        "total": round(sum(now[name] for name in stages), 1),
        "processor": own,
    }
    text = json.dumps(dict(sorted(found.items())), indent=2, ensure_ascii=False)
    (ROOT / "reports" / "benchmarks.json").write_text(f"{text}\n", encoding="utf-8")


def paper(name: str) -> None:
    """Compute one paper anew, whatever DVC holds. What it lacks comes from DVC's cache or is made
    first.
    """
    if name not in PAPERS:
        sys.exit(f"PAPER is {name!r}, expected one of {', '.join(PAPERS)}")
    stages, plan = pipeline(), [last := PAPERS[name]]
    for earlier in reversed(stages):
        missing = {
            dep for stage in plan for dep in stages[stage]["deps"] if not (ROOT / dep).exists()
        }
        plan = [earlier] * any(
            path in missing for out in stages[earlier]["outs"] for path in out
        ) + plan
    for stage in plan:
        own = {"FACEUP_STAGES": " ".join(plan), "FACEUP_REUSE": "0" if stage == last else "1"}
        command = [
            sys.executable,
            "-m",
            "dvc",
            "repro",
            "--single-item",
            *["--force"] * (stage == last),
            stage,
        ]
        if failed := subprocess.run(command, cwd=ROOT, env=os.environ | own).returncode:
            sys.exit(failed)


def values_of(content: Any, path: str = "") -> dict[str, Any]:
    """All numbers and words in dicts and lists by their path, such as "oct.br_pot.mbb"."""
    parts = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else None
    )
    if parts is None:
        return {path: content}
    return {
        inner: value
        for key, part in parts
        for inner, value in values_of(part, f"{path}.{key}".lstrip(".")).items()
    }


def differences(file: str) -> Iterator[tuple]:
    """Relative difference (-1 where one is no number), path, committed value, value now and
    difference, of a metric or table.
    """
    texts = (
        _git("show", f"HEAD:{file}"),
        (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else "",
    )
    read = (
        json.loads if file.endswith(".json") else lambda text: [*csv.DictReader(text.splitlines())]
    )
    old, new = (values_of(read(text)) if text else {} for text in texts)
    for path in [path for path in old | new if old.get(path, "-") != new.get(path, "-")]:
        pair = old.get(path, "-"), new.get(path, "-")
        a, b = (
            float(x) if re.fullmatch(r"-?\d[\d.]*(e-?\d+)?", str(x)) else float("nan") for x in pair
        )
        yield (
            abs(b - a) / (max(abs(a), abs(b)) or 1) if a == a and b == b else -1,
            f"{file}: {path}",
            *pair,
            b - a,
        )


def compare() -> None:
    """Print what differs in metrics and tables from the last commit, the relatively largest
    difference first.
    """
    asked = (
        ("ls-files",),
        ("diff", "--name-only", "HEAD"),
        ("ls-files", "--others", "--exclude-standard"),
    )
    tracked, changed, new = (_git(*words, "--", "reports").splitlines() for words in asked)
    measured = [file for file in changed + new if "/metrics/" in file or "/tables/" in file]
    rows = sorted((row for file in measured for row in differences(file)), reverse=True)
    for relative, path, old, now, difference in rows:
        share = f"{difference:>+12.6g} {relative:>8.2%}" if relative >= 0 else ""
        print(f"{path:80} {str(old):>14.14} {str(now):>14.14} {share}".rstrip())
    print(
        f"{len(rows)} values differ (path, committed, now, difference, share of the larger);",
        end=" ",
    )
    print(
        f"{len(tracked) - len(changed)} of {len(tracked)} files in reports/ are the same to the byte"
    )


def results(profile: str) -> None:
    """Print README's result table of build/PROFILE, its agents that play sampled actions, and note
    how long its stages took.
    """
    print(
        "mbb/g           from the blueprint      BR (pot, all-in)   BR (blueprint's sizes)   LBR (56 bets)        LBR (fcpa)"
    )
    for agent in [
        one
        for one in _json(f"build/{profile}/reports/metrics/agents.json").values()
        if "argmax" not in one["name"]
    ]:
        found = [
            agent[key] for key in ("blueprint", "br_pot", "br_blueprint", "lbr_56", "lbr_fcpa")
        ]
        print(
            f"{agent['name']:16}",
            *(f"{one['mbb']:>10,.0f} ± {one['ci95']:<7,.0f}" if one else " " * 20 for one in found),
        )
    note(profile, 60 * sum(_json(f"build/{profile}/build/minutes.json").values()))


if __name__ == "__main__":
    commands: dict[str, Callable[..., None]]
    commands = {
        "paper": paper,
        "note": note,
        "minutes": keep_minutes,
        "compare": compare,
        "results": results,
    }
    commands[sys.argv[1]](*sys.argv[2:]) if sys.argv[1:] else ladder()
