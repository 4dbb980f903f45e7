"""Files of the repository that stages read, damaged: an error names them. DVC guards what stages make."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from faceup.lab import paths, run
from faceup.lab.parameters import load_parameters
from faceup.lab.paths import ROOT
from faceup.lab.tables import published

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "flipped": lambda content: b"%b%c%b" % (content[: (k := len(content) // 2)], content[k] ^ 0x80, content[k + 1 :]),
    "swapped": lambda content: b"seed: [a, b",
}


def read_source(path: Path, monkeypatch) -> object:
    """Up to the first cell of a notebook, or all of another file."""
    if path.suffix == ".ipynb":
        monkeypatch.setattr(run, "NOTEBOOKS", path.parent)
        monkeypatch.setattr(run.papermill, "execute_notebook", lambda *_, **__: pytest.fail(f"{path.name} was begun"))
        return run.run(path.stem)  # whose name the runner puts before an error
    if path.name == "published.yaml":
        monkeypatch.setattr(paths, "DATA", path.parent)
        return published("interpretable_poker")
    return load_parameters(path)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["data/published.yaml", "params.yaml", "notebooks/10_equity.ipynb"])
def test_a_damaged_source_is_named_before_work_starts(name, damage, tmp_path, monkeypatch):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(DAMAGE[damage]((ROOT / name).read_bytes()))
    with pytest.raises(ValueError, match="" if path.suffix == ".ipynb" else re.escape(path.name)):
        read_source(path, monkeypatch)
