"""Checkpoints: their own run reads them; damaged and foreign ones are refused, and stderr says why."""

import numpy as np
import pytest

from faceup.games.checkpoint import load_checkpoint, save_checkpoint


@pytest.fixture
def path(tmp_path):
    save_checkpoint(tmp_path / "checkpoint.npz", "me", 4, table=np.arange(500.0))
    return tmp_path / "checkpoint.npz"


def test_a_run_reads_its_own(path, monkeypatch):
    found = load_checkpoint(path, "me", 4)
    assert found["table"].tolist() == list(range(500)) and found["iteration"] == 4 and len(found) == 2
    monkeypatch.setenv("FACEUP_REUSE", "0")
    assert load_checkpoint(path, "me", 4) is None


@pytest.mark.parametrize(("owner", "most"), [("you", 4), ("me", 3)])
def test_another_run_does_not(path, owner, most, capsys):
    assert load_checkpoint(path.with_name("none.npz"), owner, most) is None and not capsys.readouterr().err
    assert (
        load_checkpoint(path, owner, most) is None
        and "checkpoint.npz is refused: it is of another run" in capsys.readouterr().err
    )


@pytest.mark.parametrize("place", [0, 50, 99])
def test_a_damaged_one_is_refused(path, place, capsys):
    content = bytearray(path.read_bytes())
    content[len(content) * place // 100] ^= 255
    path.write_bytes(content[:-200] if place == 99 else content)
    assert load_checkpoint(path, "me", 4) is None and "checkpoint.npz is refused: it cannot be read" in capsys.readouterr().err
