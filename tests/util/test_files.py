"""Files, tables, pictures, intervals, streams: the same bytes for the same numbers, whole or
absent, nothing that could run.
"""

from io import BytesIO

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from faceup.lab import pictures, tables
from faceup.util import files, paths
from faceup.util.rng import rng
from faceup.util.stats import mean_ci95, student_95

matplotlib.use("Agg")  # no window, whatever the machine has


@pytest.fixture(autouse=True)
def out(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "OUT", tmp_path)
    return tmp_path


def test_json_is_rounded_and_finite_and_replaced_as_a_whole(out):
    # the sum is not 0.3
    path, mixed = out / "new" / "a.json", [np.int64(3), True, None, "é", 0.1 + 0.2]
    content = {"b": 0.333333, "a": [3, True, None, "é", 0.3], "c": [[0.0, 2.5]], "1": [2]}
    files.write_json(
        path, {"b": np.float32(1) / 3, "a": mixed, "c": np.array([[-1e-9, 2.5]]), 1: (2,)}
    )
    for bad in (float("nan"), np.float32("inf"), np.array([np.nan])):
        with pytest.raises(ValueError, match="JSON"):
            files.write_json(path, {"x": [0, bad]})
    assert files.load_json(path) == content
    assert list(files.load_json(path)) == list(content)
    assert "-0.0" not in path.read_text()
    (out / "other").hardlink_to(path)
    with pytest.raises(KeyError), files.replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyError
    files.write_json(path, 1)
    assert files.load_json(out / "other") == content
    assert [file.name for file in path.parent.iterdir()] == ["a.json"]


def test_objects_are_not_written(out):
    with pytest.raises(ValueError):
        files.save_npz(out / "c.npz", c=np.array([{}, []], dtype=object))
    assert not list(out.glob("*c.npz"))


def test_tables_as_markdown_and_csv(out):
    rows = [["AA", 1234567, 0.5], ["a|b, $1 or $2", None, np.float64(0.1 + 0.2)]]
    shown = tables.show_table(["hand", "n", "x"], rows, digits=2).data.splitlines()
    assert shown[1:] == [
        "| :--- | ---: | ---: |",
        "| AA | 1,234,567 | 0.50 |",
        "| a\\|b, <span>&#36;</span>1 or <span>&#36;</span>2 |  | 0.30 |",
    ]
    tables.save_table("t", ["hand", "n", "x"], rows)
    assert (
        out / "reports/tables/t.csv"
    ).read_bytes() == b'hand,n,x\nAA,1234567,0.5\n"a|b, $1 or $2",,0.3\n'
    assert tables.published("interpretable_poker")["neural_boosted"].spread == 1.5


def test_numbers_in_words():
    words = {1234.5: "+1,234", -56.4: "−56", 2.34: "+2.3", -0.125: "−0.12", -0.001: "0"}
    assert [tables.plain(x, "+") for x in words] == [*words.values()]
    words = {(120.9, 6.001): "+121 ± 6", (-74.6, 1.04): "−75 ± 1", (72, 0.99): "+72 ± 1"}
    words |= {(3239.4, 606): "+3,239 ± 606", (-0.3, 12): "0 ± 12", (18.5, 0.283): "+18.5 ± 0.3"}
    words |= {(0.0185, 0.000283): "+0.01850 ± 0.00028", (5.2, 0): "+5.2 ± 0"}
    assert [tables.plus_minus(*pair) for pair in words] == [*words.values()]
    assert tables.plus_minus(42.6, 9.97, sign=False) == "43 ± 10"


def test_a_picture_has_few_colors_no_date_and_plain_numbers_on_its_axes(out):
    def draw():
        figure, axes = plt.subplots(figsize=(4, 4))
        axes.plot([1, 2], [30, 900])
        pictures.log_axis(axes, "y")
        return figure

    (full := draw()).savefig(drawn := BytesIO(), format="png")
    labels = [label.get_text() for label in full.axes[0].get_yticklabels()]
    assert labels == ["50", "100", "200", "500", "1,000"]
    shown = pictures.save(draw(), "stage/one").data
    assert (out / "reports/figures/stage/one.png").is_file()
    # chunks that could hold a date
    assert all(kind not in shown for kind in (b"matplotlib", b"tEXt", b"iTXt", b"tIME"))
    before, few = (np.asarray(Image.open(file).convert("RGB")) for file in (drawn, BytesIO(shown)))
    assert len(np.unique(few.reshape(-1, 3), axis=0)) <= 256
    assert np.abs(before.astype(int) - few).mean() < 2.5


def test_intervals_by_the_table_of_student_hold_the_mean_in_nineteen_of_twenty():
    factors = {2: 12.7062, 3: 4.3027, 9: 2.3060, 30: 2.0452, 10**6: 1.95997, 1: np.inf}
    assert [student_95(n) for n in factors] == pytest.approx(list(factors.values()), abs=1e-4)
    mean, ci95 = mean_ci95(draws := np.random.default_rng(3).normal(1, 2, (3, 20_000)))
    assert mean == pytest.approx(draws.mean(axis=0))
    assert (np.abs(mean - 1) < ci95).mean() == pytest.approx(0.95, abs=0.005)
    assert mean_ci95(draws[0, :1]) == (draws[0, 0], np.inf)


def test_streams_differ_by_seed_words_and_number():
    names = [(7, "a/b", None), (7, "a/b", 0), (7, "a/b", 1), (70, "a/b", None), (7, "0 a/b", None)]
    drawn = [tuple(rng(*name).integers(1 << 62, size=3)) for name in names]
    assert len({*drawn}) == len(names)
    assert drawn[1] == tuple(rng(np.int64(7), "a/b", np.int64(0)).integers(1 << 62, size=3))
