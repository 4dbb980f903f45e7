"""The runner: given parameters only, one line for a failure, and the same bytes on every run."""

import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import nbformat
import pytest
import smoke

from faceup.notebook import run_notebook, stages
from faceup.notebook.parameters import load_parameters, pipeline_sections
from faceup.notebook.parameters_cell import chosen_values, declared, fill
from faceup.notebook.paths import ROOT
from faceup.notebook.progress import note
from faceup.notebook.run_notebook import cleaned, normalise
from faceup.notebook.stages import undeclared

SECTION, KNOB = next((s, k) for s, knobs in pipeline_sections().items() for k in knobs)
RESTLESS = """\
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt

for i in range(3):
    print(f"{i}/3", end="\\r", file=sys.stderr, flush=True)
    print("line", i, flush=True)
    time.sleep(0.01)
print("3/3", file=sys.stderr)
plt.plot([1, 2])
plt.show()
print(Path.cwd() / "data", {"a", "b", "c"}, object())"""


def notebook(*code: str, sections=(SECTION,), declares=f"seed = -1  # all generators\n{KNOB} = None"):
    """A small notebook: a title, the parameters cell, cells of code."""
    nb = nbformat.v4.new_notebook(metadata={"faceup": {"sections": list(sections)}})
    given = nbformat.v4.new_code_cell(declares, metadata={"tags": ["parameters"]})
    nb.cells = [nbformat.v4.new_markdown_cell("# Small"), given, *map(nbformat.v4.new_code_cell, code)]
    return nb


@pytest.fixture
def run(tmp_path):
    """Runs a notebook as `99_small` of a repository in tmp_path; returns what it says on stderr.

    It succeeds or, with another `status`, fails in plain words and without a report.
    """
    smoke.copy_parameters(tmp_path)

    def start(nb, name="99_small", src=ROOT / "src", status=0) -> str:
        nbformat.write(nb, tmp_path / "notebooks" / f"{name}.ipynb")
        command = [sys.executable, "-m", "faceup.notebook.run_notebook", name]
        surroundings = os.environ | {"FACEUP_ROOT": str(tmp_path), "PYTHONPATH": str(src)}
        done = subprocess.run(command, env=surroundings, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (status, ""), done.stderr
        if status:
            assert "Traceback" not in done.stderr and not list((tmp_path / "reports").glob("*.ipynb"))
        return done.stderr

    return start


def cells_of(root: Path, name="99_small") -> list[nbformat.NotebookNode]:
    """The cells of a report."""
    return nbformat.read(root / "reports" / f"{name}.ipynb", as_version=4).cells


def test_two_runs_give_the_same_bytes_and_the_given_values(run, tmp_path):
    report = tmp_path / "reports" / "99_small.ipynb"
    assert "99_small: cell 2/2 `import sys`" in run(notebook(RESTLESS))
    bytes_of_first = report.read_bytes()
    run(notebook(RESTLESS))
    assert report.read_bytes() == bytes_of_first
    assert str(tmp_path).encode() not in bytes_of_first and b"papermill" not in bytes_of_first
    cells = cells_of(tmp_path)
    assert cells[1].source.startswith(f"seed = {load_parameters()['seed']}  # all generators\n{KNOB} = ")
    stdout, stderr, picture, last = cells[2].outputs
    assert (stdout.text, stderr.text) == ("line 0\nline 1\nline 2\n", "3/3\n")
    assert base64.b64decode(picture.data["image/png"]).startswith(b"\x89PNG")
    assert last.text.startswith("data {") and last.text.endswith("<object object>\n")
    assert [p.name for p in (tmp_path / "reports").iterdir() if p.is_file()] == ["99_small.ipynb"]
    assert not list((tmp_path / "build" / "notebooks").iterdir())


@pytest.fixture
def pipeline(tmp_path):
    """Writes a dvc.yaml whose stage runs 99_small and makes a folder of figures."""

    def write(*deps: str) -> None:
        command, figures = "python -m faceup.notebook.run_notebook 99_small", {"reports/figures/small": {"cache": False}}
        stage = {"cmd": command, "params": [SECTION], "deps": deps, "outs": [figures]}
        (tmp_path / "dvc.yaml").write_text(json.dumps({"stages": {"small": stage}}))

    return write


def test_a_module_outside_the_stages_packages_fails_and_is_named(run, pipeline):
    pipeline("notebooks/99_small.ipynb", "src/faceup/notebook")
    said = "uses faceup.cards.cards, which its stage does not depend on: add src/faceup/cards to its deps"
    assert run(notebook("import faceup.cards.cards"), status=1).endswith(f"\nnotebooks/99_small.ipynb {said}\n")


def test_a_section_that_the_stage_does_not_name_is_refused(run, pipeline):
    pipeline("src/faceup/notebook")
    said = "reads the sections overview, expected those in the params of its stage"
    assert run(notebook("x = 1", sections=[SECTION, "overview"]), status=1) == f"notebooks/99_small.ipynb: {said}\n"


def test_figures_that_a_stage_no_longer_makes_go(run, pipeline, tmp_path):
    figures = tmp_path / "reports" / "figures" / "small"
    figures.mkdir(parents=True)
    (figures / "old.png").write_text("of an earlier run")
    os.utime(figures / "old.png", (1, 1))
    pipeline("src/faceup/notebook", "src/faceup/cards")
    run(notebook("import faceup.cards.cards", "open('reports/figures/small/new.png', 'w').close()"))
    assert [path.name for path in figures.iterdir()] == ["new.png"]
    assert len(cells_of(tmp_path)) == 4  # without the one that looks for modules


def test_modules_are_known_whatever_the_kernel_prints_and_one_beside_the_packages_counts(run, pipeline, monkeypatch):
    pipeline("src/faceup/notebook")
    noise = "lambda info: print('noise', file=sys.stderr)"
    run(notebook(f"import sys\nimport faceup.notebook.tables\nget_ipython().events.register('pre_run_cell', {noise})"))
    assert undeclared({"deps": ["src/faceup/notebook"]}, ["faceup", "faceup.cards", "faceup.notebook.tables"]) == []
    monkeypatch.setattr(stages, "module_file", lambda name: ROOT / "src" / "faceup" / "loose.py")
    assert undeclared({"deps": ["src/faceup/notebook"]}, ["faceup.loose"]) == ["faceup.loose"]
    assert undeclared({"deps": ["src/faceup/loose.py"]}, ["faceup.loose"]) == []


def test_code_that_is_edited_while_it_runs_makes_no_report(run, tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    edit = f"open({str(tmp_path / 'src/faceup/cards/cards.py')!r}, 'a').write('# edited')"
    said = run(notebook("import faceup.cards.cards", edit), src=tmp_path / "src", status=1)
    assert said.endswith("\nnotebooks/99_small.ipynb: faceup.cards.cards was edited while it ran, run it again\n")


def test_a_study_has_sections_of_its_own_and_a_report_in_its_own_folder(run, tmp_path):
    (tmp_path / "notebooks" / "studies" / "params.yaml").write_text("toy:\n  coins: 3\n")
    toy = notebook("print(coins)", sections=["toy"], declares="coins = None")
    run(toy, "studies/toy")
    assert cells_of(tmp_path, "studies/toy")[2].outputs[0].text == "3\n"
    run(toy, status=1)  # not for the pipeline


@pytest.mark.parametrize(
    ("code", "error", "held"),
    [
        ("\nvalue = {}\nvalue['missing']", "`value = {}` failed: KeyError: 'missing'", "Traceback"),
        ("import os\nos._exit(3)", "`import os` failed: DeadKernelError", "os._exit"),
    ],
    ids=["an error", "a dead kernel"],
)
def test_a_cell_that_fails_is_one_line_and_leaves_a_copy(run, tmp_path, code, error, held):
    last = run(notebook("x = 1", code, "y = 2"), status=1).splitlines()[-1]
    assert last.startswith(f"notebooks/99_small.ipynb: cell 3/4 {error}")
    assert last.endswith("(read build/notebooks/99_small.ipynb)")
    assert held in (tmp_path / "build" / "notebooks" / "99_small.ipynb").read_text()


def test_wrong_parameters_are_refused_before_anything_runs(run, tmp_path):
    touch = f"open({str(tmp_path / 'touched')!r}, 'w')"
    wrong = run(notebook(touch, declares="seed = 1\nsped = 2"), status=1)
    assert wrong.startswith("notebooks/99_small.ipynb: parameter sped stands in 0 of")
    (tmp_path / "params.yaml").write_text("seed: 1\n")
    assert run(notebook(touch), status=1).startswith("params.yaml: ")
    assert not (tmp_path / "touched").exists() and not (tmp_path / "reports").exists()


def test_a_checkout_that_cannot_be_written_is_one_line(run, tmp_path):
    (tmp_path / "build").touch()  # no folder can be made there, as on a read-only checkout
    assert run(notebook("x = 1"), status=1) == f"[Errno 20] Not a directory: '{tmp_path}/build/notebooks'\n"


def test_a_name_of_no_notebook_and_wrong_usage(capsys):
    assert run_notebook.main(["98_nothing"]) == 1
    assert capsys.readouterr().err.startswith("notebooks/98_nothing.ipynb: there is no such notebook, ")
    assert run_notebook.main([]) == 2


GIVEN = {"seed": 7, "a": {"x": 1, "both": 1}, "b": {"y": [1.5, "é"], "both": 2}}


@pytest.mark.parametrize(
    ("sections", "declares", "said"),
    [
        (["a"], "y = 1", "parameter y stands in 0 of the notebook's sections"),
        (["a", "b"], "both = 1", "parameter both stands in 2 of the notebook's sections"),
        (["a", "c"], "x = 1", "holds 'c', expected a section"),
        (["seed"], "x = 1", "holds 'seed', expected a section"),
        (["a"], "import x", "holds `import x`, expected `name = value`"),
        (["a"], "x = y = 1", "holds `x = y = 1`, expected `name = value`"),
        (["a"], "x: int", "holds `x: int`, expected `name = value`"),
    ],
)
def test_what_a_parameters_cell_may_not_hold(sections, declares, said):
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        chosen_values(notebook(sections=sections, declares=declares), GIVEN)


@pytest.mark.parametrize("count", [0, 2])
def test_exactly_one_parameters_cell(count):
    nb = notebook(sections=())
    nb.cells[1:] *= count
    with pytest.raises(ValueError, match=f"{count} cells are tagged `parameters`, expected one"):
        chosen_values(nb, GIVEN)


def test_fill_replaces_values_and_keeps_the_rest():
    source = '# ü\nx = 1  # bb\ny: list = [\n    1, 2,\n]  # "é"\n\nseed = 0; x2 = 0'
    filled = fill(source, {"x": -2.5, "y": [1.5, 'é"'], "seed": 7, "x2": True})
    assert filled == '# ü\nx = -2.5  # bb\ny: list = [1.5, "é\\""]  # "é"\n\nseed = 7; x2 = True'
    assert list(declared(filled)) == ["x", "y", "seed", "x2"]
    assert fill("", {}) == ""


def stream(name: str, text: str):
    return nbformat.v4.new_output("stream", name=name, text=text)


def normalised(*outputs, root="/r/faceup"):
    """The outputs after `normalise` in a repository at `root`."""
    nb = notebook("")
    nb.cells[2].outputs = list(outputs)
    return normalise(nb, root).cells[2].outputs


def test_streams_are_merged_settled_and_without_machine():
    outputs = normalised(
        stream("stderr", "1%\r2"),
        stream("stdout", "a at /r/faceup/data\n"),
        stream("stderr", "%\r\x1b[31mdone\x1b[0m\r\n"),
        stream("stdout", "b /r/faceup /r/faceup2/x\n"),
        nbformat.v4.new_output("display_data", data={"text/plain": "<Tree at 0x7f01ab>"}),
        stream("stderr", "/e/lib/python3.12/site-packages/p/q.py:3: W\n/t/ipykernel_12/345.py:1: W\n"),
    )
    assert [o.get("name") for o in outputs] == ["stdout", "stderr", None, "stderr"]
    assert outputs[0].text == "a at data\nb . /r/faceup2/x\n"
    assert outputs[1].text == "done\n"
    assert outputs[2].data["text/plain"] == "<Tree>"
    assert outputs[3].text == "p/q.py:3: W\n<cell>:1: W\n"


def test_paths_with_spaces_leave_nothing(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/my env")
    monkeypatch.setattr(run_notebook.tempfile, "gettempdir", lambda: "/my tmp")
    said = "a b /my root/.venv/lib/python3.12/site-packages/p.py:1\n/my env/lib/python3.11/q.py:2 /my root/data /my root\n"
    (output,) = normalised(stream("stderr", said + "/my tmp/ipykernel_1/2.py:3: W\n"), root="/my root")
    assert output.text == "a b p.py:1\nq.py:2 data .\n<cell>:3: W\n"


def test_lines_for_whoever_runs_it_stay_out_of_the_report(capsys):
    note("what was found on the disk")
    said = capsys.readouterr().err
    assert said.endswith("what was found on the disk\n")
    outputs = normalised(stream("stderr", said), stream("stdout", "x\n"))
    assert [o.text for o in outputs] == ["x\n"]
    (output,) = normalised(stream("stderr", "1 of 2\n" + said[:9]), stream("stderr", said[9:] + "2 of 2\n"))
    assert output.text == "1 of 2\n2 of 2\n"


def test_a_cell_has_three_lines_of_progress_at_most():
    def said(*lines):
        return stream("stderr", "".join(f"{line}\n" for line in lines))

    steps = [f"boards of A: {n:,}00 of 1,000" for n in range(1, 11)]
    picture = nbformat.v4.new_output("display_data", {"text/plain": "it"})
    first, _, second = normalised(said("a warning", *steps), picture, said("boards of B: 5 of 5", "end"))
    assert first.text == "a warning\nboards of A: 100 of 1,000\n(9 more lines of progress)\n"
    assert second.text == "boards of B: 5 of 5\nend\n"
    assert normalised(said(*steps[:3])) == [said(*steps[:3])]


def test_pictures_lose_their_text_and_widgets_go():
    def png(*chunks: tuple[bytes, bytes]) -> bytes:
        body = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)
        return b"\x89PNG\r\n\x1a\n" + b"".join(body)

    head, points, end = (b"IHDR", b"head"), (b"IDAT", b"points"), (b"IEND", b"")
    written = png(head, (b"tEXt", b"Software\0x"), points, (b"tIME", b"now"), end)
    data = {"image/png": base64.b64encode(written).decode() + "\n"}
    data["application/vnd.jupyter.widget-view+json"] = {"model_id": "random"}
    (output,) = normalised(nbformat.v4.new_output("display_data", data=data))
    assert list(output.data) == ["image/png"] and base64.b64decode(output.data["image/png"]) == png(head, points, end)


def test_cleaned_sources_keep_only_what_is_ours_and_have_the_values_of_params_yaml():
    nb = notebook("x", sections=["a"], declares="seed = 1\nx = 0  # unit")
    nb.metadata["papermill"] = {"duration": 3}
    nb.metadata["widgets"] = nb.metadata["language_info"] = {"version": "3.11.7"}
    nb.cells[2].metadata.update(papermill={"duration": 1}, execution={"reply": "now"}, trusted=True)
    nb.cells[2].outputs, nb.cells[2].execution_count = [stream("stdout", "y")], 4
    once = nbformat.writes(cleaned(nb, GIVEN))
    assert nb.metadata.faceup.sections == ["a"] and nb.metadata.language_info == {"name": "python"}
    assert set(nb.metadata) == {"faceup", "kernelspec", "language_info"}
    assert [cell.id for cell in nb.cells] == ["cell-0", "cell-1", "cell-2"]
    assert nb.cells[1].metadata == {"tags": ["parameters"]} and nb.cells[1].source == "seed = 7\nx = 1  # unit"
    assert (nb.cells[2].metadata, nb.cells[2].outputs, nb.cells[2].execution_count) == ({}, [], None)
    nbformat.validate(nb)
    assert nbformat.writes(cleaned(nb, GIVEN)) == once
