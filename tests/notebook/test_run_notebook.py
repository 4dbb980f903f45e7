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
from faceup.notebook.parameters import load_parameters, load_study_parameters, pipeline_sections
from faceup.notebook.paths import ROOT
from faceup.notebook.progress import note
from faceup.notebook.run_notebook import chosen_values, cleaned, declared, fill, normalise
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
    """Runs a notebook as `99_small` of a repository in tmp_path, as the stage's command does."""
    smoke.copy_parameters(tmp_path)

    def start(nb, name="99_small", src=ROOT / "src", processes="") -> subprocess.CompletedProcess:
        nbformat.write(nb, tmp_path / "notebooks" / f"{name}.ipynb")
        command = [sys.executable, "-m", "faceup.notebook.run_notebook", name]
        surroundings = os.environ | {"FACEUP_ROOT": str(tmp_path), "PYTHONPATH": str(src)}
        if processes:
            command = ["sh", str(ROOT / "notebooks" / "run"), name]
            path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            surroundings |= {"PATH": path, "FACEUP_PROCESSES": processes, "NUMBA_NUM_THREADS": "2"}
        return subprocess.run(command, env=surroundings, cwd=tmp_path, capture_output=True, text=True)

    return start


def test_two_runs_give_the_same_bytes_and_the_given_values(run, tmp_path):
    report = tmp_path / "reports" / "99_small.ipynb"
    first = run(notebook(RESTLESS))
    assert first.returncode == 0, first.stderr
    assert "99_small: cell 2/2 `import sys`" in first.stderr
    bytes_of_first = report.read_bytes()
    assert run(notebook(RESTLESS)).returncode == 0
    assert report.read_bytes() == bytes_of_first
    assert str(tmp_path).encode() not in bytes_of_first and b"papermill" not in bytes_of_first

    cells = nbformat.read(report, as_version=4).cells
    parameters = load_parameters()
    assert cells[1].source.startswith(f"seed = {parameters['seed']}  # all generators\n{KNOB} = ")
    stdout, stderr, picture, last = cells[2].outputs
    assert (stdout.text, stderr.text) == ("line 0\nline 1\nline 2\n", "3/3\n")
    assert base64.b64decode(picture.data["image/png"]).startswith(b"\x89PNG")
    assert last.text.startswith("data {") and last.text.endswith("<object object>\n")
    assert [p.name for p in (tmp_path / "reports").iterdir() if p.is_file()] == ["99_small.ipynb"]
    assert not list((tmp_path / "build" / "notebooks").iterdir())


PLAY = """\
import os

import numpy as np

from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.play.match import Table, play_boards, random_boards
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.holdem.solve.selfplay import Discount, SelfPlay
from faceup.notebook.intervals import mean_ci95
from faceup.notebook.paths import DATA, ROOT
from faceup.notebook.storage import save_npy
from faceup.notebook.stored import stored
from faceup.notebook.tables import show_table

tree, ids = build_tree(menu_from([[]], [[]], [[]], [[]])), [np.zeros((n, 1326), np.int32) for n in (1755, 16432)]
groups = Groups(*ids, (169, 1, 1, N_RIVER_GROUPS))
policy = TablePolicy(SelfPlay(tree, groups, Discount(1.5, 0, 2, 10), 1).average(), groups)
boards = []
Table.play = lambda self, board, subset, play=Table.play: (boards.append(board), play(self, board, subset))[1]
values = stored(play_boards, Table(tree, [policy, policy]), random_boards(5, 1))
alone = stored(mean_ci95, values[:, 0, 1])
save_npy(DATA / "values.npy", values)
(ROOT / f"boards-{os.environ.get('RANK', '')}").write_text(str(len(boards)))
show_table(["mean", "ci95"], [alone])"""


def test_processes_share_out_what_they_can_to_the_same_bytes(run, tmp_path):
    report, data = tmp_path / "reports" / "99_small.ipynb", tmp_path / "data" / "values.npy"
    alone = run(notebook(PLAY))
    assert alone.returncode == 0, alone.stderr
    bytes_of_one = report.read_bytes(), data.read_bytes()
    kept = sorted(path.name for path in (tmp_path / "build" / "stored").iterdir())
    for path in (tmp_path / "build" / "stored").iterdir():
        path.unlink()
    both = run(notebook(PLAY), processes="2")
    assert both.returncode == 0, both.stderr
    assert (report.read_bytes(), data.read_bytes()) == bytes_of_one
    assert sorted(path.name for path in (tmp_path / "build" / "stored").iterdir()) == kept and len(kept) == 2
    assert [(tmp_path / f"boards-{rank}").read_text() for rank in ("", 0, 1)] == ["5", "3", "2"]
    assert both.stderr.count("99_small: cell 2/2 `import os`") == 1
    assert [path.name for path in (tmp_path / "build" / "ranks").iterdir()] == ["1"]
    again = run(notebook(PLAY), processes="2")
    assert again.returncode == 0 and (tmp_path / "boards-1").read_text() == "0" and report.read_bytes() == bytes_of_one[0]


def test_an_error_of_one_process_ends_all_and_names_it(run, tmp_path):
    done = run(notebook("import os  # stored()\nassert os.environ['RANK'] == '0', 'lost'"), processes="2")
    assert done.returncode == 1
    assert "rank 1: notebooks/99_small.ipynb: cell 2/2 `import os  # stored()` failed: AssertionError: lost" in done.stderr


def test_a_notebook_that_stores_nothing_is_run_by_one_process(run, tmp_path):
    done = run(notebook("import os\nprint(os.environ.get('RANK'))"), processes="2")
    assert done.returncode == 0, done.stderr
    assert nbformat.read(tmp_path / "reports" / "99_small.ipynb", as_version=4).cells[-1].outputs[0].text == "None\n"


@pytest.mark.parametrize("processes", ["two", "0", "-1"])
def test_an_unusable_number_of_processes_is_refused(run, processes):
    done = run(notebook("x = 1"), processes=processes)
    assert done.returncode == 2
    assert done.stderr.strip() == f"FACEUP_PROCESSES is {processes}, expected a number from 1 on"


def pipeline(*deps: str) -> str:
    """A dvc.yaml whose stage runs 99_small and makes a folder of figures."""
    head = f"stages:\n  small:\n    cmd: python -m faceup.notebook.run_notebook 99_small\n    params: [{SECTION}]\n    deps:\n"
    return head + "".join(f"      - {dep}\n" for dep in deps) + "    outs:\n      - reports/figures/small: {cache: false}\n"


def test_a_module_outside_the_stages_packages_fails_and_is_named(run, tmp_path):
    (tmp_path / "dvc.yaml").write_text(pipeline("notebooks/99_small.ipynb", "src/faceup/notebook"))
    done = run(notebook("import faceup.cards.cards"))
    said = "uses faceup.cards.cards, which its stage does not depend on: add src/faceup/cards to its deps"
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == f"notebooks/99_small.ipynb {said}"
    assert not list((tmp_path / "reports").glob("*.ipynb"))


def test_a_section_that_the_stage_does_not_name_is_refused(run, tmp_path):
    (tmp_path / "dvc.yaml").write_text(pipeline("src/faceup/notebook"))
    done = run(notebook("x = 1", sections=[SECTION, "overview"]))
    said = "reads the sections overview, expected those in the params of its stage"
    assert done.returncode == 1 and done.stderr.splitlines() == [f"notebooks/99_small.ipynb: {said}"]


def test_figures_that_a_stage_no_longer_makes_go(run, tmp_path):
    figures = tmp_path / "reports" / "figures" / "small"
    figures.mkdir(parents=True)
    (figures / "old.png").write_text("of an earlier run")
    os.utime(figures / "old.png", (1, 1))
    (tmp_path / "dvc.yaml").write_text(pipeline("src/faceup/notebook", "src/faceup/cards"))
    done = run(notebook("import faceup.cards.cards", "open('reports/figures/small/new.png', 'w').close()"))
    assert done.returncode == 0, done.stderr
    assert [path.name for path in figures.iterdir()] == ["new.png"]
    cells = nbformat.read(tmp_path / "reports" / "99_small.ipynb", as_version=4).cells
    assert len(cells) == 4 and "sys.modules" not in cells[-1].source


def test_modules_are_known_whatever_the_kernel_prints_and_one_beside_the_packages_counts(run, tmp_path, monkeypatch):
    (tmp_path / "dvc.yaml").write_text(pipeline("src/faceup/notebook"))
    noise = "lambda info: print('noise', file=sys.stderr)"
    noisy = f"import sys\nimport faceup.notebook.tables\nget_ipython().events.register('pre_run_cell', {noise})"
    assert run(notebook(noisy)).returncode == 0
    assert undeclared({"deps": ["src/faceup/notebook"]}, ["faceup", "faceup.cards", "faceup.notebook.tables"]) == []
    file = ROOT / "src" / "faceup" / "loose.py"
    monkeypatch.setattr(stages, "module_file", lambda name: file if name == "faceup.loose" else None)
    assert undeclared({"deps": ["src/faceup/notebook"]}, ["faceup.loose"]) == ["faceup.loose"]
    assert undeclared({"deps": ["src/faceup/loose.py"]}, ["faceup.loose"]) == []


def test_code_that_is_edited_while_it_runs_makes_no_report(run, tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    edit = f"open({str(tmp_path / 'src/faceup/cards/cards.py')!r}, 'a').write('# edited')"
    done = run(notebook("import faceup.cards.cards", edit), src=tmp_path / "src")
    assert done.returncode == 1
    said = "notebooks/99_small.ipynb: faceup.cards.cards was edited while it ran, run it again"
    assert done.stderr.splitlines()[-1] == said and not list((tmp_path / "reports").glob("*.ipynb"))


def test_a_study_has_sections_of_its_own_and_a_report_in_its_own_folder(run, tmp_path):
    study, knobs = next(iter(load_study_parameters().items()))
    knob = next(iter(knobs))
    declares = "\n".join(f"{name} = None" for name in knobs)
    done = run(notebook(f"print({knob})", sections=[study], declares=declares), f"studies/{study}")
    assert done.returncode == 0, done.stderr
    cells = nbformat.read(tmp_path / "reports" / "studies" / f"{study}.ipynb", as_version=4).cells
    assert cells[2].outputs[0].text == f"{knobs[knob]}\n"
    assert run(notebook("x", sections=[study], declares=f"{knob} = None")).returncode == 1  # not for the pipeline


def test_a_failing_cell_is_one_line_and_leaves_no_report(run, tmp_path):
    done = run(notebook("x = 1", "\nvalue = {}\nvalue['missing']", "y = 2"))
    assert done.returncode == 1 and done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("notebooks/99_small.ipynb: cell 3/4 `value = {}` failed: KeyError: 'missing'")
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "reports").glob("*.ipynb"))
    kept = tmp_path / "build" / "notebooks" / "99_small.ipynb"
    assert f"(read {kept.relative_to(tmp_path)})" in last and "KeyError" in kept.read_text()


def test_a_dead_kernel_is_named_too(run, tmp_path):
    done = run(notebook("import os\nos._exit(3)"))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("notebooks/99_small.ipynb: cell 2/2 `import os` failed: DeadKernelError")
    assert not list((tmp_path / "reports").glob("*.ipynb"))


def test_wrong_parameters_are_refused_before_anything_runs(run, tmp_path):
    touch = f"open({str(tmp_path / 'touched')!r}, 'w')"
    done = run(notebook(touch, declares="seed = 1\nsped = 2"))
    assert done.returncode == 1
    assert done.stderr.startswith("notebooks/99_small.ipynb: parameter sped stands in 0 of")
    (tmp_path / "params.yaml").write_text("seed: 1\n")
    assert run(notebook(touch)).stderr.startswith("params.yaml: ")
    assert not (tmp_path / "touched").exists() and not (tmp_path / "reports").exists()


def test_a_checkout_that_cannot_be_written_is_one_line(run, tmp_path):
    (tmp_path / "build").touch()  # no folder can be made there, as on a read-only checkout
    done = run(notebook("x = 1"))
    assert done.returncode == 1 and done.stderr.splitlines() == [f"[Errno 20] Not a directory: '{tmp_path}/build/notebooks'"]


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
    nb.cells = nb.cells[:1] + nb.cells[1:2] * count
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


def normalised(*outputs):
    """The outputs after `normalise` in a repository at /r/faceup."""
    nb = notebook("")
    nb.cells[2].outputs = list(outputs)
    return normalise(nb, "/r/faceup").cells[2].outputs


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
    nb = notebook("")
    said = "a b /my root/.venv/lib/python3.12/site-packages/p.py:1\n/my env/lib/python3.11/q.py:2 /my root/data /my root\n"
    nb.cells[2].outputs = [stream("stderr", said + "/my tmp/ipykernel_1/2.py:3: W\n")]
    (output,) = normalise(nb, "/my root").cells[2].outputs
    assert output.text == "a b p.py:1\nq.py:2 data .\n<cell>:3: W\n"


def test_lines_for_whoever_runs_it_stay_out_of_the_report(capsys):
    note("what was found on the disk")
    said = capsys.readouterr().err
    assert said.endswith("what was found on the disk\n")
    outputs = normalised(stream("stderr", said), stream("stdout", "x\n"))
    assert [o.text for o in outputs] == ["x\n"]
    (output,) = normalised(stream("stderr", "1 of 2\n" + said[:9]), stream("stderr", said[9:] + "2 of 2\n"))
    assert output.text == "1 of 2\n2 of 2\n"


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG file of these chunks."""
    body = b"\x89PNG\r\n\x1a\n"
    for kind, data in chunks:
        body += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return body


def test_a_cell_has_three_lines_of_progress_at_most():
    def said(*lines):
        return stream("stderr", "".join(f"{line}\n" for line in lines))

    many = [said("a warning", *(f"boards of A: {n:,}00 of 1,000" for n in range(1, 11))), said("boards of B: 5 of 5", "end")]
    picture = nbformat.v4.new_output("display_data", {"text/plain": "it"})
    first, _, second = normalised(many[0], picture, many[1])
    assert first.text == "a warning\nboards of A: 100 of 1,000\n(9 more lines of progress)\n"
    assert second.text == "boards of B: 5 of 5\nend\n"
    lines = "boards: 1 of 3", "boards: 2 of 3", "boards: 3 of 3"
    assert normalised(said(*lines))[0].text == "".join(f"{line}\n" for line in lines)


def test_pictures_lose_their_text_and_widgets_go():
    head, points, end = (b"IHDR", b"head"), (b"IDAT", b"points"), (b"IEND", b"")
    written = png(head, (b"tEXt", b"Software\0x"), points, (b"tIME", b"now"), end)
    data = {"image/png": base64.b64encode(written).decode() + "\n"}
    data["application/vnd.jupyter.widget-view+json"] = {"model_id": "random"}
    (output,) = normalised(nbformat.v4.new_output("display_data", data=data))
    assert list(output.data) == ["image/png"]
    assert base64.b64decode(output.data["image/png"]) == png(head, points, end)


def test_normalise_keeps_only_what_is_ours():
    nb = notebook("x")
    nb.metadata["papermill"] = {"duration": 3}
    nb.metadata["widgets"] = nb.metadata["language_info"] = {"version": "3.11.7"}
    nb.cells[2].metadata.update(papermill={"duration": 1}, execution={"reply": "now"}, trusted=True)
    nb = normalise(nb)
    assert nb.metadata.faceup.sections == [SECTION] and nb.metadata.language_info == {"name": "python"}
    assert set(nb.metadata) == {"faceup", "kernelspec", "language_info"}
    assert [cell.id for cell in nb.cells] == ["cell-0", "cell-1", "cell-2"]
    assert nb.cells[1].metadata == {"tags": ["parameters"]} and nb.cells[2].metadata == {}
    nbformat.validate(nb)


def test_cleaned_sources_have_no_outputs_and_the_values_of_params_yaml():
    nb = notebook("x", sections=["a"], declares="seed = 1\nx = 0  # unit")
    nb.cells[2].outputs, nb.cells[2].execution_count = [stream("stdout", "y")], 4
    nb = cleaned(nb, GIVEN)
    assert nb.cells[1].source == "seed = 7\nx = 1  # unit"
    assert nb.cells[2].outputs == [] and nb.cells[2].execution_count is None
    assert json.loads(nbformat.writes(cleaned(nb, GIVEN))) == json.loads(nbformat.writes(nb))
