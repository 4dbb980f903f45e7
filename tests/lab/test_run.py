"""The runner and its surrounding: the same bytes on every run and machine, all that a run makes or nothing."""

import json
import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from faceup.lab import run
from faceup.lab.environment import SOURCES

PARAMETERS = "seed = 0\nsides = [1]"
IMPORTS = """\
import os
import matplotlib.pyplot as plt
from faceup.lab.files import load_numbers, numbers
from faceup.lab.paths import OUT
from faceup.lab.pictures import save, use_style"""
WORK = """\
import locale, sys, time
use_style()
for k in range(3):
    print("line", k, flush=True)
    print("noise", os.getpid(), file=sys.stderr, flush=True)
print({"a", "b", "c"}, object(), locale.setlocale(locale.LC_ALL), time.tzname[0], os.environ.get("OPENBLAS_CORETYPE"))
(OUT / "data").mkdir()
(OUT / "data" / "toy.txt").write_text(f"{seed} {sides}")
numbers("toy/line", x=sides, y=[seed / 3] * len(sides))"""
FIGURE = """\
drawn = load_numbers("toy/line")
figure, axes = plt.subplots()
axes.plot(drawn.x, drawn.y, label="ü")
save(figure, "toy/line")"""
OUTS = ["data/toy.txt", "reports/figures/toy", "reports/numbers/toy", "reports/toy.ipynb"]


SHOW = "import os\nfrom faceup.lab.environment import *\n{}\n"
SHOW += "print(code_digest([module_file('faceup.outer')]), variables()['NUMBA_CACHE_DIR'])"


class Toy:
    def __init__(self, root):
        self.root = root
        (root / "notebooks").mkdir()
        (root / "params.yaml").write_text("seed: 7\ntoy: {sides: [2, 3]}\n")
        kinds = {"seed": {"is": "whole 0..", "seed": [""]}, "sides": {"is": "increasing 1.. whole 1..", "toy": ["sides"]}}
        (root / "kinds.yaml").write_text(json.dumps({"kinds": kinds, "together": []}))

    def write(self, *cells, outs=OUTS, parameters=PARAMETERS):
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        nb = nbformat.v4.new_notebook(metadata={"faceup": {"sections": ["toy"]}, "kernelspec": kernel})
        nb.cells = [nbformat.v4.new_code_cell(cell) for cell in (parameters, *cells)]
        nb.cells[-1].metadata["tags"], nb.cells[0].metadata["tags"] = ["figure"], ["parameters"]
        nbformat.write(nb, self.root / "notebooks" / "toy.ipynb")
        stage = {"cmd": "sh notebooks/run toy", "deps": ["notebooks/toy.ipynb"], "outs": [{out: {}} for out in outs]}
        (self.root / "dvc.yaml").write_text(json.dumps({"stages": {"toy": stage}}))
        return nb

    def run(self, *arguments, **variables) -> str:
        around = os.environ | {"FACEUP_ROOT": str(self.root), "PYTHONPATH": str(SOURCES)} | variables
        command = [sys.executable, "-m", "faceup.lab.run", *arguments]
        done = subprocess.run(command, cwd=self.root, env=around, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def made(self) -> dict[str, bytes]:
        files = sorted(file for place in ("data", "reports") for file in (self.root / place).rglob("*") if file.is_file())
        return {file.relative_to(self.root).as_posix(): file.read_bytes() for file in files}


toy = pytest.fixture(lambda tmp_path: Toy(tmp_path), name="toy")


def settings_of_a_user(root) -> dict[str, str]:
    for file, text in {
        "home/.config/matplotlib/matplotlibrc": "lines.linewidth: 9\n",
        "matplotlibrc": "lines.linewidth: 9\n",
        "home/.ipython/profile_default/startup/a.py": "print('from a start-up file')\n",
        "home/.ipython/profile_default/ipython_config.py": "c.InteractiveShell.ast_node_interactivity = 'all'\n",
        "home/.local/share/jupyter/kernels/python3/kernel.json": '{"argv": ["false"], "display_name": "x"}',
        "sitecustomize.py": "import builtins; builtins.print = lambda *_, **__: None\n",
    }.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    named = {"HOME": f"{root}/home", "MPLCONFIGDIR": f"{root}/home/.config/matplotlib", "IPYTHONDIR": f"{root}/home/.ipython"}
    named |= {"LC_ALL": "C", "LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "5", "OPENBLAS_CORETYPE": "Nehalem"}
    named |= {"PYTHONOPTIMIZE": "2", "MPLBACKEND": "svg", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "2"}
    return named | {"PYTHONPATH": f"{root}:{SOURCES}"}


def test_any_user_gets_the_same_bytes_and_figures_are_drawn_from_numbers_alone(toy):
    toy.write(IMPORTS, WORK, FIGURE)
    assert toy.run("toy") == ""
    first, figure = toy.made(), "reports/figures/toy/line.png"
    assert list(first) == [OUTS[0], figure, "reports/numbers/toy/line.json", OUTS[3]]
    assert first[OUTS[0]] == b"7 [2, 3]" and not list((toy.root / "build" / "run").iterdir())
    report = nbformat.reads(first[OUTS[3]].decode(), as_version=4)
    (output,) = report.cells[3].outputs  # of stdout, in one piece
    assert "<object object>" in output.text and report.metadata.faceup == {"sections": ["toy"]}
    assert report.cells[0].source == PARAMETERS and "sides = [2, 3]" in report.cells[1].source
    assert toy.run("toy", **settings_of_a_user(toy.root)) == "" and toy.made() == first
    [(toy.root / name).unlink() for name in (OUTS[0], figure)]
    assert toy.run("--figures") == "" and toy.made() == {name: first[name] for name in list(first)[1:]}
    toy.write(IMPORTS, "secret = 1", "plt.plot([secret])")
    assert "toy.ipynb, `plt.plot([secret])`: NameError: name 'secret' is not defined" in toy.run("--figures")


def test_a_failed_run_leaves_what_was_there_and_a_good_one_no_leftovers(toy):
    (old := toy.root / "reports" / "numbers" / "toy" / "old.json").parent.mkdir(parents=True)
    old.touch()
    light = "from faceup.lab.paths import OUT\n(OUT / 'data').mkdir()\n(OUT / 'data' / 'toy.txt').touch()"
    toy.write(light, "\n{}['missing']")
    assert "toy: cell 4 `{}['missing']`: KeyError: 'missing' (see build/run/toy/executed.ipynb)" in toy.run("toy")
    for parameters, said in (("sods = 1", "parameter sods stands in 0 of"), ("seed = max(1, 2)", "expected one cell tagged")):
        toy.write("os._exit()", parameters=parameters)
        assert f"toy: {said}" in toy.run("toy")
    toy.write(light, outs=OUTS[1:])
    assert "toy: it makes data/toy.txt, which its stage does not name" in toy.run("toy")
    assert list(toy.made()) == ["reports/numbers/toy/old.json"]
    toy.write(IMPORTS, WORK, FIGURE)
    assert toy.run("toy") == "" and not old.exists() and len(toy.made()) == 4


def test_a_report_names_the_commit_of_its_sources_and_these_are_tidied(toy, monkeypatch):
    def commits(*added):
        for words in ("init", f"add {' '.join(added)}", "-c user.name=x -c user.email=x commit -m x", "log -1 --format=%H"):
            done = subprocess.run(["git", *words.split()], cwd=toy.root, capture_output=True, text=True)
        return done.stdout[:10], run.commit_of(["notebooks", "kinds.yaml"])

    monkeypatch.setattr(run, "ROOT", toy.root)
    nb = toy.write("1")
    assert commits("dvc.yaml")[1] == ""
    commit, named = commits("notebooks", "kinds.yaml")
    assert commits("params.yaml")[1] == named == commit
    nb.cells[1].outputs, nb.cells[1].metadata["execution"] = [nbformat.v4.new_output("stream", text="1\n")], {"duration": 3}
    nbformat.write(nb, toy.root / "notebooks" / "toy.ipynb")
    assert run.commit_of(["notebooks"]) == f"{commit}+" and toy.run("--strip") == ""
    tidy = nbformat.read(toy.root / "notebooks" / "toy.ipynb", as_version=4).cells[1]
    assert (tidy.id, tidy.metadata, tidy.outputs) == ("cell-1", {"tags": ["figure"]}, [])
    assert f'"commit": "{commit}"' in run.as_text(nb, commit=commit)


@pytest.fixture
def python(tmp_path):
    """Runs Python with a copy of the lab, and a kernel that imports another module."""
    folder = tmp_path / "src" / "faceup"
    shutil.copytree(SOURCES / "faceup" / "lab", folder / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "__init__.py").touch()
    (folder / "outer.py").write_text("from numba import njit\n\nfrom faceup.inner import HALF\n")
    (tmp_path / "notebooks").mkdir()

    def run(code: str, inner: str = "HALF = 2\n") -> str:
        (folder / "inner.py").write_text(inner)
        os.utime(folder / "inner.py", (1, 1))
        around = os.environ | {"PYTHONPATH": str(folder.parent)}
        return subprocess.run([sys.executable, "-c", code], env=around, check=True, capture_output=True, text=True).stdout

    return run


def test_a_digest_sees_what_code_does_and_what_it_imports(python):
    edited = "os.utime(module_file('faceup.inner'), (2e9, 2e9))"  # while the process runs: its digests are nobody else's
    first, same = (python(SHOW.format(""), text) for text in ("HALF = 2\n", '"""Text."""\n# and a comment\nHALF = 2\n'))
    others = python(SHOW.format(""), "HALF = 3\n"), python(SHOW.format(edited)), python(SHOW.format(edited))
    assert first == same and len({word for said in (first, *others) for word in said.split()}) == 8


IMPORT = """
import os, sys
sys.path.insert(0, sys.argv[1])
before, files = dict(os.environ), []
sys.addaudithook(lambda event, args: files.append(str(args[0])) if event == "open" else None)
import faceup
others = [name for name in sys.modules if name.startswith("faceup.") or name in ("numba", "numpy", "IPython")]
own = [name for name in files if "faceup" in name.rpartition("src/")[2] and not name.endswith((".py", ".pyc"))]
print(dict(os.environ) == before, others, own)
"""


def test_importing_the_package_sets_starts_patches_and_reads_nothing():
    command = [sys.executable, "-S", "-c", IMPORT, str(SOURCES)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() == ["True", "[]", "[]"]
