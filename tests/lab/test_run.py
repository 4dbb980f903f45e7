"""The runner and its surrounding: the same bytes on every run and machine, all that a run makes or
nothing.
"""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from faceup.lab import run, stages
from faceup.lab.prose import NOTE
from faceup.util import fingerprint
from faceup.util.fingerprint import SOURCES

PARAMETERS = "seed = 0\nsides = [1]"
IMPORTS = """\
import os
import matplotlib.pyplot as plt
from faceup.util.files import load_numbers, numbers, write_json
from faceup.util.paths import OUT
from faceup.lab.pictures import save"""
WORK = """\
import locale, sys, time
for k in range(3):
    print("line", k, flush=True)
    print("noise", os.getpid(), file=sys.stderr, flush=True)
print({"a", "b", "c"}, object(), locale.setlocale(locale.LC_ALL), time.tzname[0])
print(os.environ.get("OPENBLAS_CORETYPE"))
(OUT / "data").mkdir()
(OUT / "data" / "toy.txt").write_text(f"{seed} {sides}")
numbers("toy/line", x=sides, y=[seed / 3] * len(sides))"""
FIGURE = """\
drawn = load_numbers("toy/line")
figure, axes = plt.subplots()
axes.plot(drawn.x, drawn.y, label="ü")
save(figure, "toy/line")"""
LIGHT = (
    "from faceup.util.paths import OUT\n(OUT / 'data').mkdir()\n(OUT / 'data' / 'toy.txt').touch()"
)
OUTS = ["data/toy.txt", "reports/figures/toy", "reports/numbers/toy", "reports/toy.ipynb"]


class Toy:
    """A repository of one notebook, whose last cell draws a figure."""

    def __init__(self, root):
        self.root, self.notebook = root, root / "notebooks" / "toy.ipynb"
        self.notebook.parent.mkdir()
        self.put("params.yaml", "seed: 7\ntoy: {sides: [2, 3]}\n")
        seed, sides = {"type": "integer"}, {"type": "array"}
        schema = {"properties": {"seed": seed, "toy": {"properties": {"sides": sides}}}}
        self.put("params.schema.yaml", json.dumps(schema))

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def write(self, *cells, parameters=PARAMETERS, prose=()):
        nb = nbformat.v4.new_notebook(metadata={"faceup": {"sections": ["toy"]}})
        nb.cells = [nbformat.v4.new_code_cell(cell) for cell in (parameters, *cells)]
        nb.cells[-1].metadata["tags"], nb.cells[0].metadata["tags"] = ["figure"], ["parameters"]
        nb.cells += map(nbformat.v4.new_markdown_cell, prose)
        nbformat.write(nb, self.notebook)
        return nb

    def run(self, *arguments, **variables) -> str:
        """The runner's error, if there is one."""
        around = (
            os.environ | {"FACEUP_ROOT": str(self.root), "PYTHONPATH": str(SOURCES)} | variables
        )
        python = [sys.executable, "-m"]
        command = [*python, "faceup.lab.environment", *python, "faceup.lab.run", *arguments]
        done = subprocess.run(command, cwd=self.root, env=around, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def made(self) -> dict[str, bytes]:
        files = sorted(
            file
            for place in ("data", "reports")
            for file in (self.root / place).rglob("*")
            if file.is_file()
        )
        return {file.relative_to(self.root).as_posix(): file.read_bytes() for file in files}


toy = pytest.fixture(lambda tmp_path: Toy(tmp_path), name="toy")


def settings_of_a_user(toy) -> dict[str, str]:
    """Files that change what libraries do, and the variables that name them."""
    root = toy.root
    for name in ("home/.config/matplotlib/matplotlibrc", "matplotlibrc"):
        toy.put(name, "lines.linewidth: 9\n")
    toy.put("home/.ipython/profile_default/startup/a.py", "print('from a start-up file')\n")
    toy.put(
        "home/.local/share/jupyter/kernels/python3/kernel.json",
        '{"argv": ["false"], "display_name": "x"}',
    )
    return {
        "HOME": f"{root}/home",
        "MPLCONFIGDIR": f"{root}/home/.config/matplotlib",
        "IPYTHONDIR": f"{root}/home/.ipython",
        "LC_ALL": "C",
        "TZ": "Asia/Tokyo",
        "PYTHONHASHSEED": "5",
        "OPENBLAS_CORETYPE": "Nehalem",
        "PYTHONOPTIMIZE": "2",
        "MPLBACKEND": "svg",
        "NUMBA_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "2",
        "PYTHONPATH": f"{root}:{SOURCES}",
    }


def test_any_user_gets_the_same_bytes(toy):
    toy.write(IMPORTS, WORK, FIGURE)
    assert toy.run("toy") == ""
    first, figure = toy.made(), "reports/figures/toy/line.png"
    assert list(first) == [OUTS[0], figure, "reports/numbers/toy/line.json", OUTS[3]]
    assert first[OUTS[0]] == b"7 [2, 3]" and not list((toy.root / "build" / "run").iterdir())
    report = nbformat.reads(first[OUTS[3]].decode(), as_version=4)
    (output,) = report.cells[4].outputs  # of stdout, in one piece
    assert "<object object>" in output.text and report.metadata.faceup == {"sections": ["toy"]}
    assert [cell.source for cell in report.cells[:2]] == [NOTE, PARAMETERS]
    assert "sides = [2, 3]" in report.cells[2].source
    assert toy.run("toy", **settings_of_a_user(toy)) == "" and toy.made() == first


def test_a_figure_that_needs_more_than_its_numbers_is_named(toy):
    toy.write(IMPORTS, "secret = 1", "plt.plot([secret])")
    assert "plt.plot([secret])" in (error := toy.run("--figures"))
    assert "NameError: name 'secret' is not defined" in error


def test_a_failed_run_leaves_what_was_there_and_a_good_one_no_leftovers(toy):
    toy.put(old := "reports/numbers/toy/old.json", "")
    toy.write(LIGHT, "\n{}['missing']")
    assert "KeyError: 'missing'" in toy.run("toy") and list(toy.made()) == [old]
    for parameters, message in (
        ("sods = 1", "toy: toy.ipynb: its sections lack the parameters ['sods']"),
        ("seed = = 1", "toy: invalid syntax (toy.ipynb, line 1)"),
    ):
        toy.write("os._exit()", parameters=parameters)
        assert message in toy.run("toy")
    toy.notebook.write_bytes(toy.notebook.read_bytes()[:-99])
    assert toy.run("toy").startswith("toy: Notebook does not appear to be JSON")
    assert list(toy.made()) == [old]
    toy.write(IMPORTS, WORK, FIGURE)
    assert toy.run("toy") == "" and len(made := toy.made()) == 4 and old not in made


def test_prose_has_the_numbers_of_this_run_and_of_finished_stages(toy):
    """The README, too. For other parameters a line says so, and an unknown path is a dash."""
    measured = "write_json(OUT / 'reports/metrics/toy.json', {'won': {'mbb': -120.9, 'ci95': 6}})"
    for name in ("early", "toy"):  # the latter is of a former run
        toy.put(f"reports/metrics/{name}.json", '{"share": 0.5, "won": {"mbb": 1, "ci95": 1}}')
    prose = "$x_{i}$: {{toy.won|-}}, {{early.share|%}} %, {{early.shares}}, {{toy.lost}}"
    nb = toy.write(IMPORTS, measured, prose=[prose])
    toy.put("docs/README.in.md", "{{include: docs/table.md}}\n{{toy.won}}\n")
    toy.put("docs/table.md", "| {{early.share}} |\n")
    assert toy.run("toy") == "" and toy.run("--readme") == ""
    report = nbformat.read(toy.root / "reports/toy.ipynb", as_version=4)
    assert report.cells[0].source == NOTE
    assert report.cells[-1].source == "$x_{i}$: 121 ± 6, 50 %, –, –"
    values = next(c for c in report.cells if "injected-parameters" in c.metadata.get("tags", []))
    assert values.source.startswith("# Parameters") and values.metadata.jupyter.source_hidden
    assert (toy.root / "README.md").read_text() == f"{NOTE}\n\n| 0.50 |\n−121 ± 6\n"
    nb.cells[0].source = "seed = 7\nsides = [2, 3]"
    nbformat.write(nb, toy.notebook)
    assert toy.run("--readme") == ""
    assert (toy.root / "README.md").read_text() == "| 0.50 |\n−121 ± 6\n"
    assert nbformat.read(toy.notebook, as_version=4).cells[-1].source == prose
    assert "{{early.shares}}: KeyError: 'shares'" in toy.run("toy")


def test_a_report_names_the_commit_of_its_sources(toy, monkeypatch):
    def git(words):
        return subprocess.run(
            ["git", *words.split()], cwd=toy.root, check=True, capture_output=True, text=True
        ).stdout[:10]

    monkeypatch.setattr(stages, "ROOT", toy.root)
    toy.write("1")
    assert run.commit_of("toy") == ""  # no repository of git
    git("init")
    for added in ("notebooks params.yaml", "params.schema.yaml"):
        git(f"add {added}")
        git("-c user.name=x -c user.email=x commit -m x")
    commit = git("log -1 --format=%H HEAD~")
    assert run.commit_of("toy") == commit
    nb = toy.write("2")
    assert run.commit_of("toy") == f"{commit}+"
    assert f'"commit": "{commit}"' in run.as_text(nb, commit)


def test_a_digest_sees_what_code_does_and_what_it_imports(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprint, "SOURCES", tmp_path)
    outer, inner = (tmp_path / "faceup" / f"{name}.py" for name in ("outer", "inner"))
    outer.parent.mkdir()
    outer.write_text("from faceup.inner import HALF\n")

    def digest(text, written=1.0):
        inner.write_text(text)
        os.utime(outer, (1, 1))
        os.utime(inner, (written, written))
        for cached in (fingerprint._read, fingerprint.code_digest):
            cached.cache_clear()
        return fingerprint.code_digest(outer)

    assert (
        digest("HALF = 2\n")
        == digest('"""Text."""\n# and a comment\nHALF = 2\n')
        != digest("HALF = 3\n")
    )
    # while the process runs: its digests are nobody else's
    edited = {digest("HALF = 2\n", written=2e9) for _ in range(2)}
    assert len(edited) == 2 and digest("HALF = 2\n") not in edited


def test_importing_the_package_sets_nothing_and_trees_alone_need_no_library_of_learning():
    code = "import os, sys; old = dict(os.environ); import faceup; "
    code += "print(dict(os.environ) == old, 'numpy' in sys.modules); "
    code += (
        "import faceup.holdem.agents; print([m for m in ('torch', 'xgboost') if m in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        == "True False\n[]\n"
    )
