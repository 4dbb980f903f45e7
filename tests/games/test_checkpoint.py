"""Checkpoints: their own run reads them, but not damaged ones, and not where all is to be computed anew."""

import numpy as np

from faceup.games.checkpoint import load_checkpoint, save_checkpoint


def test_a_run_reads_its_own(tmp_path, monkeypatch, capsys):
    path = tmp_path / "checkpoint.npz"
    assert load_checkpoint(path, "me", 4) is None and not capsys.readouterr().err
    save_checkpoint(path, "me", 4, table=np.arange(500.0))
    found = load_checkpoint(path, "me", 4)
    assert found["table"].tolist() == list(range(500)) and found["iteration"] == 4 and len(found) == 2
    assert load_checkpoint(path, "me", 3) is None and "checkpoint.npz is refused: it is of another run" in capsys.readouterr().err
    content = path.read_bytes()
    for damaged in (b"?" + content[1:], content[:2000] + b"????" + content[2004:], content[:-200]):
        path.write_bytes(damaged)
        assert load_checkpoint(path, "me", 4) is None
        assert "checkpoint.npz is refused: it cannot be read" in capsys.readouterr().err
    path.write_bytes(content)
    monkeypatch.setenv("FACEUP_REUSE", "0")
    assert load_checkpoint(path, "me", 4) is None
