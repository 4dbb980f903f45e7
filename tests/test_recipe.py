"""CONTRIBUTING's recipe for a paper: a toy paper is added in the places that it lists, and its stage runs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import smoke
import yaml

from faceup.lab.paths import ROOT

RECIPE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Add a paper")[1].split("\n## ")[0]
MODULE = '"""A toy game."""\n\n\ndef value(coins: int) -> float:\n    """What it is worth."""\n    return coins / 2\n'
CELLS = [
    "seed = 0\ncoins = 0",
    "import matplotlib.pyplot as plt\n\nfrom faceup.lab.files import load_numbers, numbers, write_json\n"
    "from faceup.lab.paths import OUT\nfrom faceup.lab.pictures import save, use_style\nfrom faceup.lab.tables import published\n"
    "from faceup.toy.game import value\n\nuse_style()",
    "numbers('toy/value', worth=value(coins))",
    "drawn = load_numbers('toy/value')\nfigure, axes = plt.subplots()\naxes.plot([0, drawn.worth])\nsave(figure, 'toy/value')",
    "write_json(OUT / 'reports/metrics/toy.json', {'ours': value(coins), 'paper': published('toy')['value'].value})",
]


def edit(path: Path, old: str, new: str) -> None:
    before, after = path.read_text(encoding="utf-8").split(old, 1)
    path.write_text(before + new + after, encoding="utf-8")


def add_toy(folder: Path) -> None:
    """A copy of the repository with a toy paper, made by the recipe's numbered steps (2, its tests, is this file)."""
    smoke.copy_tree(folder)
    (folder / "src/faceup/toy").mkdir()
    (folder / "src/faceup/toy/__init__.py").write_text('"""The toy paper."""\n')
    (folder / "src/faceup/toy/game.py").write_text(MODULE)
    nb = nbformat.v4.new_notebook(metadata={"faceup": {"sections": ["toy"]}}, cells=list(map(nbformat.v4.new_code_cell, CELLS)))
    nb.cells[0].metadata["tags"], nb.cells[3].metadata["tags"] = ["parameters"], ["figure"]
    nbformat.write(nb, folder / "notebooks/90_toy.ipynb")
    stage = re.search(r"```yaml\n(.*?)```", RECIPE, re.S)[1].replace("NN_NAME", "90_toy").replace("NAME", "toy")
    edit(folder / "dvc.yaml", "stages:\n", f"stages:\n{stage}")
    for profile in [folder / "params.yaml", *(folder / "params").glob("*.yaml")]:
        edit(profile, "overview: {}", "toy:\n  coins: 3  # tossed\n\noverview: {}")
    edit(folder / "kinds.yaml", "    is: whole 1..\n", "    is: whole 1..\n    toy: [coins]\n")
    with open(folder / "data/published.yaml", "a", encoding="utf-8") as file:
        file.write('\ntoy:\n  value: { value: 1.5, unit: coins, printed: "1.5", where: Section 1 }\n')


def test_a_stage_made_by_the_recipe_runs(tmp_path):
    """DVC begins outside the environment: no Python of it is on the path, but for the one in .venv."""
    add_toy(folder := tmp_path / "recipe")
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / ".venv/bin/python").chmod(0o755)
    around = smoke.environment(folder) | {"PYTHONPATH": str(folder / "src"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-m", "dvc", "repro", "toy"], cwd=folder, env=around, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((folder / "reports/metrics/toy.json").read_text()) == {"ours": 1.5, "paper": 1.5}
    assert (folder / "reports/figures/toy/value.png").is_file() and (folder / "reports/90_toy.ipynb").is_file()
    assert yaml.safe_load((folder / "dvc.lock").read_text())["stages"]["toy"]["params"]["params.yaml"]["toy"] == {"coins": 3}
