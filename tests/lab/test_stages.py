"""What the commands of make print and measure, in a small repository with the real git and DVC."""

import json
import re
import subprocess
import sys

import pytest

from faceup.lab import stages
from faceup.util.fingerprint import SOURCES
from faceup.util.paths import ROOT


class Repository:
    """A folder with three notebooks."""

    def __init__(self, root):
        self.root = root
        for name in ("00_overview", "10_equity", "30_leduc"):
            self.put(f"notebooks/{name}.ipynb", "")
        self.put("reports/benchmarks.json", json.dumps({"leduc": {"iterations_per_second": 5}}))

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
    monkeypatch.setattr(stages, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(stages, "BENCHMARKS", tmp_path / "reports" / "benchmarks.json")
    monkeypatch.delenv("FACEUP_MEASURE", raising=False)
    return Repository(tmp_path)


def test_the_ladder_needs_no_package_and_names_every_command():
    command = [sys.executable, "-S", "-m", "faceup.lab.stages"]
    around = {"PYTHONPATH": str(SOURCES), "FACEUP_ROOT": str(ROOT)}
    printed = subprocess.run(command, env=around, check=True, capture_output=True, text=True).stdout
    phony = re.search(r"\.PHONY: (ladder .*)", (ROOT / "Makefile").read_text())[1].split()
    assert {*re.findall(r"^make ([\w-]+)", printed, re.M)} == {*phony} - {"ladder", "pipeline"}


def test_minutes_are_measured_on_demand_and_announced(repository, monkeypatch):
    stages.measure("leduc", 200)
    assert "minutes" not in repository.json("reports/benchmarks.json")
    assert stages.announcement("leduc", default=True) == "[2/3] leduc"
    monkeypatch.setenv("FACEUP_MEASURE", "1")
    monkeypatch.setattr(stages, "processor", lambda: "AMD EPYC")
    for name, seconds in (("leduc", 200), ("equity", "30"), ("test", 240)):
        stages.measure(name, seconds)
    found = repository.json("reports/benchmarks.json")
    assert found["leduc"] == {"iterations_per_second": 5}  # what `make bench` measures stays
    measured = {"leduc": 3.3, "total": 3.8, "processor": "AMD EPYC", "equity": 0.5, "test": 4.0}
    assert found["minutes"] == measured == stages.minutes()
    assert stages.announcement("leduc", True) == "[2/3] leduc: about 3 of the last 3 minutes"
    assert stages.announcement("equity", True) == "[1/3] equity: about 1 of the last 4 minutes"
    assert stages.announcement("leduc", default=False) == "[2/3] leduc"


def test_compare_lists_what_differs_from_the_last_commit(repository, capsys):
    metric = "reports/metrics/agents.json"
    old = {"oct": {"mbb": 1000.0, "name": "OCT", "flops": [36, 6]}, "cart": {"mbb": 10}}
    repository.put(metric, json.dumps(old))
    for words in ("init", "add reports", "commit -m x"):
        repository.git(words)
    stages.compare()
    assert "0 values differ" in (printed := capsys.readouterr().out) and "All files" in printed
    new = {"oct": {"mbb": 990.0, "name": "OCT-X", "flops": [36, 12]}, "mlp": {"mbb": 10}}
    repository.put(metric, json.dumps(new))
    repository.put("reports/metrics/new.json", '{"x": 1}')
    stages.compare()
    *rows, total, edited, added, _ = capsys.readouterr().out.splitlines()
    words = [row.split() for row in rows]
    assert {row[0] for row in words[:3]} == {"agents.oct.name", "agents.cart.mbb", "agents.mlp.mbb"}
    assert words[3:] == [
        ["agents.oct.flops.1", "6", "12", "50.00%"],
        ["agents.oct.mbb", "1000.0", "990.0", "1.00%"],
    ]
    assert total.startswith("5 values differ") and edited.split() == ["M", metric]
    assert added.split() == ["??", "reports/metrics/new.json"]
