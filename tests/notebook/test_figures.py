"""Figures and tables: the same bytes every time, nothing of the machine in them, and wrong input named."""

from io import BytesIO

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from faceup.cards.features import hand
from faceup.cards.hand_figures import chart13, decile_steps, equity_histogram, feature_vector, unfoldings
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
    figure, axes = plt.subplots(1, 3, figsize=(12, 5))
    example = hand("Ac3h", "Kh3sJc9d")
    equity_histogram(axes[0], example, 3)
    decile_steps(axes[1], example, 3)
    chart13(axes[2], range(169), "cell", show="{:.0f}".format)
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


def test_unfoldings_show_one_of_each_outcome():
    some, certain = (
        [text.get_text() for text in unfoldings(hand(*cards)).axes[0].texts]
        for cards in (("7c2h", "Kh3sJc9d"), ("AhKh", "QhJhTh2c2d"))
    )
    assert [word for word in some if word in ("all", "win", "tie", "loss")] == ["all", "win", "tie", "loss"]
    assert "all unfoldings: 45,540 (100.00 %)" in some
    assert [word for word in certain if word in ("win", "tie", "loss")] == ["win"]


def test_feature_vector_checks_its_length():
    feature_vector(hand("Ac3h", "Kh3sJc9d2c").vector(), 3, "river")
    with pytest.raises(ValueError, match="has 5, expected 15 on the turn"):
        feature_vector([0.5] * 5, 2, "turn")


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
