"""What the commands of make print and measure, in a small repository with the real git and DVC."""

import json
import re
import subprocess
import sys

import pytest

from faceup.lab import stages
from faceup.util.fingerprint import SOURCES
from faceup.util.paths import ROOT

MADE = "mkdir -p data reports/metrics && echo made > {0} && echo '{{\"won\": {1}}}' > reports/metrics/{2}.json"
AGENT = {
    "blueprint": {"mbb": -121.4, "ci95": 6.2},
    "br_pot": {"mbb": 3216, "ci95": 270, "in_sample": 3300},
}
UNKNOWN = dict.fromkeys(("blueprint", "br_pot", "br_blueprint", "lbr_56", "lbr_fcpa"))


class Repository:
    """Three stages: bayes needs what equity makes, leduc needs nothing."""

    def __init__(self, root):
        self.root = root
        made = {
            "equity": ("data/equity", 1),
            "leduc": ("reports/30_leduc.ipynb", 2),
            "bayes": ("reports/50_bayes.ipynb", 3),
        }
        found = {name: self.stage(name, *what) for name, what in made.items()}
        found["bayes"]["deps"] = ["data/equity"]
        found["readme"] = {
            "cmd": "sh notebooks/run --readme",
            "deps": [],
            "outs": [{"README.md": {"cache": False}}],
        }
        self.put("dvc.yaml", json.dumps({"stages": found}))
        self.put(".dvc/config", "[core]\n    analytics = false\n")
        self.put(".gitignore", "build/\ndata/\n")
        self.put("reports/benchmarks.json", json.dumps({"leduc": {"iterations_per_second": 5}}))

    @staticmethod
    def stage(name, out, won):
        outs = [{out: {"cache": out.startswith("data/"), "persist": True}}]
        metrics = [{f"reports/metrics/{name}.json": {"cache": False, "persist": True}}]
        return {
            "cmd": f"{MADE.format(out, won, name)} && echo {name} >> build/ran",
            "deps": [],
            "outs": outs,
            "metrics": metrics,
        }

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def json(self, name):
        return json.loads((self.root / name).read_text())

    def git(self, words):
        command = ["git", "-c", "user.name=x", "-c", "user.email=x", *words.split()]
        return subprocess.run(
            command, cwd=self.root, check=True, capture_output=True, text=True
        ).stdout


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "ROOT", tmp_path)
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / "build" / "dvc"))
    monkeypatch.delenv("FACEUP_STAGES", raising=False)
    (tmp_path / "build").mkdir()
    return Repository(tmp_path)


def test_the_ladder_needs_no_package_and_names_every_command(repository):
    def ladder():
        command = [sys.executable, "-S", "-m", "faceup.lab.stages"]
        around = {"PYTHONPATH": str(SOURCES), "FACEUP_ROOT": str(repository.root)}
        return subprocess.run(
            command, env=around, check=True, capture_output=True, text=True
        ).stdout

    printed, phony = (
        ladder(),
        re.search(r"\.PHONY: (ladder .*)", (ROOT / "Makefile").read_text())[1].split(),
    )
    assert {*re.findall(r"^make ([\w-]+)", printed, re.M)} == {*phony} - {"ladder", "pipeline"}
    assert (
        re.search("make again .* about 100\n", printed) and "Measured on no machine yet" in printed
    )
    repository.put(
        "reports/benchmarks.json",
        json.dumps({"minutes": {"leduc": 3.6, "total": 81.2, "processor": "AMD EPYC"}}),
    )
    assert re.search("make again .* 81\n", printed := ladder()) and re.search(
        "PAPER=leduc .* 4\n", printed
    )
    assert re.search("make quick .* about 8\n", printed) and "Measured on AMD EPYC" in printed


def test_a_run_says_its_stage_and_notes_its_minutes(repository, monkeypatch, capsys):
    monkeypatch.setattr(
        stages,
        "pipeline",
        lambda: {
            name: {"cmd": f"sh notebooks/run {name}"} for name in stages.BUDGET if name != "test"
        },
    )
    planned = ["equity", "robust", "matches"]
    assert (
        stages.announcement("robust", planned, True)
        == "[2/3] robust: about 18 minutes; about 36 minutes left"
    )
    # the minutes are of other parameters
    assert stages.announcement("robust", planned, False) == "[2/3] robust"
    repository.put("reports/benchmarks.json", json.dumps({"minutes": {"robust": 1.2}}))
    assert (
        stages.announcement("robust", planned, True)
        == "[2/3] robust: about 1 minute; about 19 minutes left"
    )
    ran, usual = [], []
    monkeypatch.setenv("FACEUP_STAGES", "equity leduc")
    stages.timed(ran.append, lambda *names: not usual.extend(names), "leduc")
    assert (
        capsys.readouterr().out == "[2/2] leduc: about 3 minutes; about 3 minutes left\n"
        and "matches" in usual
    )
    stages.timed(ran.append, lambda *names: True, "studies/causes")
    assert capsys.readouterr().out == "" and ran == ["leduc", "studies/causes"]
    stages.note("test", "90")
    assert repository.json("build/minutes.json").keys() == {"leduc", "studies", "test"}
    assert (
        0 <= repository.json("build/minutes.json")["leduc"] < 0.1
        and repository.json("build/minutes.json")["test"] == 1.5
    )


def test_minutes_are_kept_until_they_change_by_a_third(repository, monkeypatch, capsys):
    monkeypatch.setattr(stages, "processor", lambda: "AMD EPYC")

    def kept(**noted):
        repository.put("build/minutes.json", json.dumps(noted))
        stages.keep_minutes()
        return repository.json("reports/benchmarks.json")

    first = kept(equity=0.12, leduc=3.04, bayes=9, safe=7)
    assert first["leduc"] == {"iterations_per_second": 5}  # what `make bench` measures stays
    assert first["minutes"] == {
        "equity": 0.1,
        "leduc": 3.0,
        "bayes": 9,
        "total": 12.1,
        "processor": "AMD EPYC",
    }
    text = (repository.root / "reports/benchmarks.json").read_text()
    kept(equity=0.5, leduc=3.9, bayes=6.1)
    assert (repository.root / "reports/benchmarks.json").read_text() == text
    changed = kept(equity=0.5, leduc=4.2, bayes=9, test=4.9)["minutes"]
    assert changed == first["minutes"] | {"leduc": 4.2, "test": 4.9, "total": 13.3}
    monkeypatch.setattr(stages, "processor", lambda: "Intel Xeon")
    assert (
        kept(equity=50, leduc=50, bayes=50)["minutes"] == changed
        and "AMD EPYC; to replace them" in capsys.readouterr().out
    )


def test_a_paper_is_computed_from_nothing_in_a_fresh_clone(repository, monkeypatch):
    def dvc(*words):
        return subprocess.run(
            [sys.executable, "-m", "dvc", *words],
            cwd=repository.root,
            capture_output=True,
            text=True,
        ).stdout

    def ran():
        found = (repository.root / "build/ran").read_text().split()
        (repository.root / "build/ran").write_text("")
        return found

    repository.git("init")
    dvc("repro", "equity", "leduc", "bayes")
    repository.git("add .")
    repository.git("commit -m x")
    clone = repository.root / "clone"
    repository.git("clone . clone")
    monkeypatch.setattr(stages, "ROOT", clone)
    repository.root = clone
    (clone / "build").mkdir()
    assert "didn't change, skipping" in dvc("repro", "leduc")
    for name, makes in (("leduc", ["leduc"]), ("bayes", ["equity", "bayes"])):
        stages.paper(name)
        assert ran() == makes and repository.git("status --short") == ""
    with pytest.raises(SystemExit, match="PAPER is 'matches', expected one of leduc, discard"):
        stages.paper("matches")


def test_compare_tells_what_differs_from_the_last_commit(repository, capsys):
    metric, table = "reports/metrics/agents.json", "reports/tables/agents.csv"
    repository.put(
        metric,
        json.dumps({"oct": {"mbb": 1000.0, "name": "OCT", "flops": [36, 6]}, "cart": {"mbb": 10}}),
    )
    repository.put(table, "agent,mbb\nOCT,1234567\n")
    for words in ("init", "add reports", "commit -m x"):
        repository.git(words)
    stages.compare()
    printed = capsys.readouterr().out
    assert printed.startswith("0 values differ") and printed.endswith(
        "; 3 of 3 files in reports/ are the same to the byte\n"
    )
    repository.put(
        metric,
        json.dumps({"oct": {"mbb": 990.0, "name": "OCT-X", "flops": [36, 12]}, "mlp": {"mbb": 10}}),
    )
    repository.put(table, "agent,mbb\nOCT,1234568\n")
    repository.put("reports/metrics/new.json", '{"x": 1}')
    stages.compare()
    *rows, last = capsys.readouterr().out.splitlines()
    assert [row.split() for row in rows[:3]] == [
        [f"{metric}:", "oct.flops.1", "6", "12", "+6", "50.00%"],
        [f"{metric}:", "oct.mbb", "1000.0", "990.0", "-10", "1.00%"],
        [f"{table}:", "0.mbb", "1234567", "1234568", "+1", "0.00%"],
    ]
    # words, gone, new
    assert {row.split()[1] for row in rows[3:]} == {"oct.name", "cart.mbb", "mlp.mbb", "x"}
    assert last.startswith("7 values differ") and "; 1 of 3 files" in last


def test_a_profile_ends_with_the_result_table(repository, capsys):
    agents = {
        "oct": {"name": "OCT"} | UNKNOWN | AGENT,
        "oct_argmax": {"name": "OCT, argmax"} | UNKNOWN,
    }
    repository.put("build/quick/reports/metrics/agents.json", json.dumps(agents))
    repository.put("build/quick/build/minutes.json", json.dumps({"leduc": 1.5, "bayes": 2}))
    stages.results("quick")
    head, *rows = capsys.readouterr().out.splitlines()
    assert "from the blueprint" in head and re.split(r"\s{2,}", rows[0].strip()) == [
        "OCT",
        "-121 ± 6",
        "3,216 ± 270",
    ]
    assert len(rows) == 1 and repository.json("build/minutes.json") == {"quick": pytest.approx(3.5)}
