"""Figures and tables: the same bytes every time, nothing of the machine in them, and wrong input named."""

from io import BytesIO

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from faceup.cards.hand_figures import chart13
from faceup.notebook import figures, tables

matplotlib.use("Agg")  # no window, whatever the machine has


@pytest.fixture(autouse=True)
def style(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FIGURES", tmp_path)
    monkeypatch.setattr(tables, "TABLES", tmp_path)
    with matplotlib.rc_context():
        figures.use_style()
        yield
    plt.close("all")


def draw():
    figure, axes = plt.subplots(1, 2, figsize=(12, 5))
    axes[0].step(range(10), range(10), label="steps")
    chart13(axes[1], range(169), "cell", show="{:.0f}".format)
    return figure


def test_the_same_picture_without_dates_or_versions_is_saved_shown_and_closed(tmp_path):
    shown = [figures.save(draw(), f"stage/{name}").data for name in ("one", "two")]
    saved = [(tmp_path / "stage" / f"{name}.png").read_bytes() for name in ("one", "two")]
    assert shown[0] == shown[1] == saved[0] == saved[1] and not plt.get_fignums()
    assert all(kind not in saved[0] for kind in (b"matplotlib", b"tEXt", b"iTXt", b"tIME"))  # chunks that could hold them
    with pytest.raises(ValueError, match="figure is called 'one', expected the stage"):
        figures.save(draw(), "one")


def test_a_picture_has_few_colours_and_loses_no_line(tmp_path):
    figure, axes = plt.subplots(figsize=(4, 4))
    chart13(axes, range(169), "cell", show="{:.0f}".format)
    drawn, saved = BytesIO(), tmp_path / "stage" / "chart.png"
    figure.savefig(drawn, format="png")
    figures.save(figure, "stage/chart")
    full, few = (np.asarray(Image.open(file).convert("RGB")) for file in (drawn, saved))
    assert full.shape == few.shape and len(np.unique(few.reshape(-1, 3), axis=0)) <= 256
    assert np.abs(full.astype(int) - few).mean() < 2.5 and saved.stat().st_size < 0.5 * len(drawn.getvalue())


def test_tables_as_markdown_and_csv(tmp_path):
    rows = [["AA", 1234567, 0.5], ["a|b", None, 2.0]]
    assert tables.show_table(["hand", "n", "x"], rows, digits=2).data.splitlines() == [
        "| hand | n | x |",
        "| :--- | ---: | ---: |",
        "| AA | 1,234,567 | 0.50 |",
        "| a\\|b |  | 2.00 |",
    ]
    tables.save_table("t", ["hand", "n", "x"], rows)
    assert (tmp_path / "t.csv").read_text() == "hand,n,x\nAA,1234567,0.5\na|b,,2.0\n"
    with pytest.raises(ValueError, match="row 1 has 2 cells, expected 3"):
        tables.show_table(["hand", "n", "x"], [rows[0], ["AA", 1]])
