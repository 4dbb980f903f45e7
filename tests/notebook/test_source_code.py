"""Digests of code: an edit that does something counts, in every process that did not run the old code; nothing else does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from faceup.notebook import source_code

INNER = '"""A module."""\n\nimport math\n\n\ndef half(x: float) -> float:\n    """Half."""\n    assert x\n    return x / 2\n'
OUTER = "class Settings:\n    width = 2\n\n\ndef twice(x):\n    from faceup.toy.inner import half\n\n    return 4 * half(x)\n"


ONE_PATH = ("ATEN_CPU_CAPABILITY", "MKL_CBWR", "ONEDNN_MAX_CPU_ISA", "OPENBLAS_CORETYPE")


@pytest.fixture
def package(tmp_path):
    """Runs Python in a package of its own: the digests' two modules, and a toy of two more."""
    src = tmp_path / "src"
    for name in ("notebook", "toy"):
        (src / "faceup" / name).mkdir(parents=True)
        (src / "faceup" / name / "__init__.py").touch()
    (src / "faceup" / "__init__.py").write_text("import faceup.notebook.source_code\n")
    for module in ("source_code", "progress"):
        file = source_code.module_file(f"faceup.notebook.{module}")
        (src / "faceup" / "notebook" / file.name).write_bytes(file.read_bytes())

    def python(code: str, inner: str = INNER, outer: str = OUTER) -> str:
        (src / "faceup" / "toy" / "inner.py").write_text(inner)
        (src / "faceup" / "toy" / "outer.py").write_text(outer)
        command = [sys.executable, "-c", f"import faceup\nfrom faceup.notebook.source_code import *\n{code}"]
        own = {name: value for name, value in os.environ.items() if name not in ONE_PATH}
        surroundings = own | {"PYTHONPATH": str(src), "TOY": str(src / "faceup" / "toy")}
        done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    return python


DIGEST = "print(code_digest('faceup.toy.outer'))"


def test_layout_comments_and_docstrings_do_not_count(package):
    same = INNER.replace("A module.", "Text.\n\nOf three lines.").replace("Half.", "A half.").replace("/ 2", "/  2  # half")
    before = package(DIGEST)
    assert before == package(DIGEST, inner=same) == package(DIGEST, outer="# a line above\n\n" + OUTER)


@pytest.mark.parametrize(
    ("old", "new"), [("x / 2", "x / 3"), ("assert x", "assert x > 1"), ("float:\n", "int:\n"), ("half", "haft")]
)
def test_an_edit_below_counts(package, old, new):
    assert package(DIGEST) != package(DIGEST, inner=INNER.replace(old, new))


EDIT = """
import os
from pathlib import Path
from faceup.notebook import source_code
before, file = code_digest('faceup.toy.outer'), Path(os.environ['TOY'], 'inner.py')
assert not edited(['faceup.toy.inner', 'faceup.toy.outer'])
file.write_text(file.read_text().replace('x / 2', 'x / 8'))
module_digests.cache_clear()
source_code._read.cache_clear()
print(before, code_digest('faceup.toy.outer'), *edited(['faceup.toy.inner', 'faceup.toy.outer']))
"""


def test_code_edited_while_a_process_runs_gets_a_digest_that_no_other_process_has(package):
    """That process runs the old code: what it computes belongs neither to the new nor, for sure, to the old."""
    (before, after, *names), note = (line.split() for line in package(EDIT).splitlines())
    old, new = package(DIGEST).strip(), package(DIGEST, inner=INNER.replace("x / 2", "x / 8")).strip()
    assert before == old and after not in (old, new) and names == ["faceup.toy.inner"]
    assert note[:5] == "[faceup] faceup.toy.inner was edited after".split()


def test_libraries_count(monkeypatch):
    before = source_code.code_digest("faceup.cards.cards")
    source_code.module_digests.cache_clear()
    monkeypatch.setattr(source_code, "versions", lambda: "numpy 0")
    assert source_code.code_digest("faceup.cards.cards") != before
    source_code.module_digests.cache_clear()


def test_every_process_takes_one_path_through_torch_and_numpy(package):
    said = package(f"import os\nprint(*(os.environ.get(name) for name in {ONE_PATH}))")
    assert said.startswith("avx2 AVX2 AVX2 ")
    if " avx2 " in Path("/proc/cpuinfo").read_text():
        said = package("import numpy, threadpoolctl\nprint(*(each['architecture'] for each in threadpoolctl.threadpool_info()))")
        assert set(said.split()) == {"Haswell"}
