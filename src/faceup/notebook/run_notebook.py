"""Run a notebook into reports/, so that the same code and parameters give the same bytes.

    python -m faceup.notebook.run_notebook 11_selfplay    notebooks/11_selfplay.ipynb -> reports/11_selfplay.ipynb
    python -m faceup.notebook.run_notebook studies/NAME   notebooks/studies/NAME.ipynb -> reports/studies/NAME.ipynb
    python -m faceup.notebook.run_notebook --clean        tidy the sources: no outputs, values as in params.yaml

A notebook has one cell tagged `parameters`, of lines `name = value`, and names in its metadata the sections
of params.yaml that it reads: {"faceup": {"sections": ["selfplay"]}}. Each declared name must be a key of one
of these sections, or `seed`; its value in the cell is replaced by the one in params.yaml, comments stay. A study
may also name sections of notebooks/studies/params.yaml.
"""

import base64
import os
import re
import struct
import sys
import tempfile
from itertools import count, groupby
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbformat import NotebookNode

from faceup.notebook.parameters_cell import chosen_values, fill, parameters_cell, parameters_of
from faceup.notebook.paths import AGENTS, DATA, FIGURES, METRICS, NOTEBOOKS, REPORTS, ROOT, STUDIES, TABLES
from faceup.notebook.progress import NOTE
from faceup.notebook.source_code import edited
from faceup.notebook.stages import remove_leftovers, sections_of, stage_of, undeclared
from faceup.notebook.storage import write_text

WORKING = ROOT / "build" / "notebooks"  # copies of running and of failed notebooks
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
# Run last and left out of the report: what the kernel has loaded of this package.
LOADED = "import sys\nprint('LOADED', *sorted(name for name in sys.modules if name.split('.')[0] == 'faceup'))"
STEP = re.compile(r"^.+: [\d,]+ of [\d,]+$", re.MULTILINE)  # a line of `Progress`
# What a user's machine could otherwise change in an output.
SURROUNDINGS = {
    "FACEUP_ROOT": str(ROOT),
    "PYTHONHASHSEED": "0",
    "COLUMNS": "110",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "IPYTHONDIR": str(ROOT / "build" / "ipython"),  # no user's start-up files, and no shared history
    "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this Python, not one registered in the home folder
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # no debugger warning on the terminal
}


# --- the same bytes every time ------------------------------------------------------------------------------


def _settled(text: str) -> str:
    """What a terminal shows in the end: of a line what follows its last carriage return, no colour codes."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))


def _without_machine(text: str, root: Path) -> str:
    """No memory addresses, temporary names of cells, and paths to the repository or to Python."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    text = text.replace(f"{root}/", "")
    for place in (sys.prefix, sys.base_prefix, tempfile.gettempdir()):  # these may hold spaces
        text = re.sub(rf"{re.escape(place)}(?=/(lib/python3\.|ipykernel_))", "", text)
    text = re.sub(r"[^\s\"'(<>]*ipykernel_\d+/\d+\.py", "<cell>", text)
    text = re.sub(r"[^\s\"'(<>]*/lib/python3\.\d+/(site-packages/)?", "", text)
    return re.sub(rf"{re.escape(str(root))}(?![\w.-])", ".", text)


def _bare_png(data: str) -> str:
    """A PNG in base64 without its chunks of text and time, where programs write name, version and date."""
    png = base64.b64decode(data)
    kept, at = png[:8], 8
    while at < len(png):
        size = 12 + struct.unpack(">I", png[at : at + 4])[0]
        if png[at + 4 : at + 8] not in (b"tEXt", b"zTXt", b"iTXt", b"tIME", b"eXIf"):
            kept += png[at : at + size]
        at += size
    return base64.b64encode(kept).decode()


def _clean_output(output: NotebookNode, root: Path) -> NotebookNode:
    for kind, data in list(output.get("data", {}).items()):
        if "jupyter.widget" in kind:
            del output.data[kind]
        elif kind == "image/png":
            output.data[kind] = _bare_png(data)
        elif isinstance(data, str):
            output.data[kind] = _without_machine(data, root)
    if "text" in output:
        said = _without_machine(_settled(output.text), root)
        output.text = re.sub(rf"(?m)^{re.escape(NOTE)}.*\n?", "", said)
    return output


def _merged(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Between two pictures or results, all of stdout, then all of stderr: their order is a matter of luck."""
    merged: list[NotebookNode] = []
    for said, group in groupby(outputs, lambda output: output.output_type == "stream"):
        if not said:
            merged += group
            continue
        texts = {"stdout": "", "stderr": ""}
        for output in group:
            texts[output.name] += output.text
        merged += [nbformat.v4.new_output("stream", name=name, text=text) for name, text in texts.items()]
    return merged


def _few_steps(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Of more than three lines of progress in a cell only the first, the number of those left out, and the last."""
    said = [output for output in outputs if output.get("name") == "stderr"]
    total, steps = sum(len(STEP.findall(output.text)) for output in said), count(1)

    def kept(line: re.Match) -> str:
        step = next(steps)
        left_out = f"({total - 2} more lines of progress)\n" if step == 2 else ""
        return line[0] if step in (1, total) else left_out

    for output in said if total > 3 else ():
        output.text = re.sub(f"{STEP.pattern}\n?", kept, output.text, flags=re.MULTILINE)
    return outputs


def normalise(nb: NotebookNode, root: Path = ROOT) -> NotebookNode:
    """Strip, in place, all that two runs of the same notebook may differ in; returns it."""
    kept = {"faceup": nb.metadata["faceup"]} if "faceup" in nb.metadata else {}
    nb.metadata = nbformat.from_dict(kept | {"kernelspec": KERNEL, "language_info": {"name": "python"}})
    nb.nbformat, nb.nbformat_minor = 4, 5
    for i, cell in enumerate(nb.cells):
        cell.id = f"cell-{i}"
        for key in ("papermill", "execution", "trusted", "collapsed"):
            cell.metadata.pop(key, None)
        if not cell.metadata.get("tags"):
            cell.metadata.pop("tags", None)  # papermill leaves an empty list
        if cell.cell_type == "code":
            outputs = _few_steps([_clean_output(output, root) for output in _merged(cell.outputs)])
            cell.outputs = [output for output in outputs if output.get("text") != ""]
    return nb


# --- running ------------------------------------------------------------------------------------------------


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]


def _execute(nb: NotebookNode, name: str) -> NotebookNode:
    """Run all cells; raises RuntimeError of one line naming the cell that failed; a copy stays in WORKING."""
    copy = WORKING / f"{name}.ipynb"
    copy.parent.mkdir(parents=True, exist_ok=True)
    code = [i for i, cell in enumerate(nb.cells) if cell.cell_type == "code" and cell.source.strip() and cell.source != LOADED]
    place = "the kernel"

    def cell_starts(cell: NotebookNode, cell_index: int) -> None:
        """Remember the cell and print its line; papermill calls this."""
        nonlocal place
        if cell_index in code:
            place = f"cell {code.index(cell_index) + 1}/{len(code)} `{_first_line(cell.source)}`"
            print(f"{name}: {place}", file=sys.stderr, flush=True)

    try:
        nb = papermill.execute_notebook(
            nb, copy, kernel_name="python3", cwd=ROOT, progress_bar=False, stderr_file=sys.stderr, start_timeout=300,
            extra_arguments=["--log-level=CRITICAL"], on_cell_start=cell_starts,
            shutdown_kernel="immediate",  # a kernel that shuts down by itself sometimes prints an error
        )  # fmt: skip
    except Exception as error:
        said = f"{getattr(error, 'ename', type(error).__name__)}: {getattr(error, 'evalue', error)}"
        failed = f"{place} failed: {_without_machine(_first_line(said), ROOT)}"
        raise RuntimeError(f"notebooks/{name}.ipynb: {failed} (read {copy.relative_to(ROOT)})") from error
    copy.unlink(missing_ok=True)
    return nb


def read_source(path: Path) -> NotebookNode:
    """A notebook of notebooks/; raises ValueError if there is none, or no notebook."""
    if not path.is_file():
        name = path.relative_to(ROOT).as_posix()
        raise ValueError(f"{name}: there is no such notebook, expected one in notebooks/ such as 11_selfplay")
    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat raises several kinds for damaged files
        raise ValueError(f"{path.relative_to(ROOT).as_posix()}: expected a notebook ({_first_line(str(error))})") from error


def run(name: str) -> Path:
    """Execute notebooks/<name>.ipynb with the values of its parameter file; returns the report written to reports/.

    Raises ValueError for wrong parameters before anything runs, RuntimeError if a cell fails: no report then.
    """
    path = NOTEBOOKS / f"{name}.ipynb"
    parameters = parameters_of(path)
    nb = read_source(path)
    try:
        cell = parameters_cell(nb)
        cell["source"] = fill(cell["source"], chosen_values(nb, parameters))
        stage = stage_of(name)
        # a stage does not see that parameters change which it does not name
        if stage and (missing := sorted({*nb.metadata["faceup"]["sections"]} - {*sections_of(stage)})):
            raise ValueError(f"reads the sections {', '.join(missing)}, expected those in the params of its stage")
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"notebooks/{name}.ipynb: {error}") from error
    os.environ.update(SURROUNDINGS)
    for folder in (DATA, REPORTS, FIGURES, TABLES, METRICS, AGENTS):
        folder.mkdir(parents=True, exist_ok=True)
    report, marker = REPORTS / f"{name}.ipynb", WORKING / f"{name}.began"
    write_text(marker, "")  # a file's time is compared with a file's: a network's disk has a clock of its own
    nb.cells.append(nbformat.v4.new_code_cell(LOADED))
    nb = _execute(nb, name)
    said = "".join(output.text for output in nb.cells.pop().outputs if output.get("name") == "stdout")
    _check_code(name, said.rpartition("LOADED ")[2].partition("\n")[0].split())
    remove_leftovers(name, marker.stat().st_mtime)
    marker.unlink()
    write_text(report, nbformat.writes(normalise(nb)) + "\n")
    return report


def _check_code(name: str, loaded: list[str]) -> None:
    """Raises RuntimeError where a kernel has loaded modules that were edited, or that the notebook's stage does not depend on."""
    if changed := edited(loaded):
        raise RuntimeError(f"notebooks/{name}.ipynb: {', '.join(changed)} was edited while it ran, run it again")
    stage = stage_of(name)
    if stage and (wrong := undeclared(stage, loaded)):
        packages = sorted({"src/" + module.rpartition(".")[0].replace(".", "/") for module in wrong})
        said = f"uses {', '.join(wrong)}, which its stage does not depend on: add {', '.join(packages)} to its deps"
        raise RuntimeError(f"notebooks/{name}.ipynb {said}")


def cleaned(nb: NotebookNode, parameters: dict[str, Any]) -> NotebookNode:
    """A source notebook as it is committed: no outputs, fixed ids and metadata, values as in params.yaml."""
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    cell = parameters_cell(nb)
    cell["source"] = fill(cell["source"], chosen_values(nb, parameters))
    return normalise(nb)


def clean() -> None:
    """Rewrite the notebooks in notebooks/ that are not clean, and name them."""
    for path in sorted([*NOTEBOOKS.glob("*.ipynb"), *STUDIES.glob("*.ipynb")]):
        text = nbformat.writes(cleaned(read_source(path), parameters_of(path))) + "\n"
        if text != path.read_text(encoding="utf-8"):
            write_text(path, text)
            print(f"cleaned {path.relative_to(ROOT)}")


def main(arguments: list[str]) -> int:
    """The command line; returns the exit status."""
    if len(arguments) != 1:
        print("usage: python -m faceup.notebook.run_notebook NAME | --clean", file=sys.stderr)
        return 2
    try:
        clean() if arguments[0] == "--clean" else run(arguments[0])
    except (ValueError, RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{arguments[0]}: stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
