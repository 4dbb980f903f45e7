"""Figures of results, and the numbers quoted from the papers: what is drawn is what was given."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from faceup.notebook import plots, scoreboard
from faceup.notebook import published as quoted
from faceup.notebook.tables import signed, told_apart, verdict

matplotlib.use("Agg")  # no window, whatever the machine has


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_numbers_as_a_reader_wants_them():
    shown = {1234.5: "+1,234", -56.4: "\u221256", 2.34: "+2.3", -0.125: "\u22120.12", 0.0: "0", -0.001: "0"}
    assert [signed(x) for x in shown] == list(shown.values())


def test_verdict_needs_an_interval_clear_of_zero():
    assert verdict("a", "b", 9.0, 9.5) == "a and b cannot be told apart (+9.0 ± 9.5 mbb/g to a)"
    assert not told_apart(0.001, 0.0)
    assert verdict("a", "b", -30.0, 9.5) == "b beats a by 30 ± 9.5 mbb/g"


def test_heat_map_writes_every_cell_but_the_empty_ones_and_whiten_takes_the_colour_of_those_not_told_apart_from_zero(axes):
    values = np.array([[np.nan, 400.0], [-400.0, np.nan]])
    intervals = np.array([[np.nan, 500.0], [3.0, np.nan]])
    plots.heat_map(axes, ["a", "b"], values, intervals, "mbb/g")
    assert texts(axes) == ["+400", "± 500", "\u2212400", "± 3.0"]
    assert axes.images[0].norm.vmin == -axes.images[0].norm.vmax
    assert [text.get_color() for text in axes.texts] == ["white"] * 4
    plots.whiten(axes, values, intervals)
    assert [text.get_color() for text in axes.texts] == ["black", "black", "white", "white"]
    (cell,) = axes.patches
    assert (cell.get_xy(), cell.get_facecolor()) == ((0.5, -0.5), (1, 1, 1, 1))
    with pytest.raises(ValueError, match="expected \\(2, 2\\) twice"):
        plots.heat_map(axes, ["a", "b"], values[:1], values, "mbb/g")


def test_intervals_are_half_widths(axes):
    plots.curve(axes, [1, 2], [10.0, 20.0], [3.0, 4.0], "curve")
    ends = axes.collections[0].get_segments()
    assert [sorted(point[1] for point in end) for end in ends] == [[7.0, 13.0], [16.0, 24.0]]
    plots.reference(axes, 50.0, 5.0, "line")
    band = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    assert (band.y0, band.y1) == pytest.approx((45.0, 55.0))


def test_dots_stand_in_order_from_the_top(axes):
    plots.dots(axes, ["first", "second"], [3.0, -4.0], [1.0, 2.0])
    assert axes.yaxis_inverted()
    assert texts(axes) == ["+3.0 ± 1.0", "\u22124.0 ± 2.0"]


def test_log_axis_has_plain_numbers(axes):
    axes.plot([1, 2], [30, 900])
    plots.log_axis(axes, "y")
    axes.figure.canvas.draw()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["50", "100", "200", "500", "1,000"]
    with pytest.raises(ValueError, match="expected x or y"):
        plots.log_axis(axes, "z")


def test_published_numbers():
    numbers = quoted.published("interpretable_poker")
    assert numbers["kings_equity"].value == 82.5 and numbers["kings_equity"].where == "Section 2.2.1"
    assert (numbers["neural_boosted"].value, numbers["neural_boosted"].spread) == (2.3, 1.5)
    assert numbers["cart_slumbot"].value is None and type(numbers["match_games"].value) is int
    with pytest.raises(ValueError, match="'other' is unknown, expected one of interpretable_poker"):
        quoted.published("other")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{value: 1, unit: m, printed: one}", "where is .*: Field required"),
        ("{value: one, unit: m, printed: one, where: here}", "value.float is 'one': Input should be a valid number"),
        ("{value: .nan, unit: m, printed: one, where: here}", "value.float is nan: Input should be a finite number"),
        ("{value: 1, unit: 2, printed: one, where: here}", "unit is 2: Input should be a valid string"),
    ],
)
def test_published_names_a_wrong_entry(entry, said, tmp_path, monkeypatch):
    monkeypatch.setattr(quoted, "_FILE", tmp_path / "published.yaml")
    quoted._FILE.write_text(f"paper:\n  x: {entry}\n")
    with pytest.raises(ValueError, match=f"published.yaml: paper.x.*{said}"):
        quoted.published("paper")


def test_scoreboard_stands_between_its_markers(tmp_path):
    path = tmp_path / "scoreboard.csv"
    path.write_text("""what,paper,where,ours,ci95,notebook,why
kings,82.5%,Section 2,82.39568,0,10_equity,exact
match,almost $5,Section 3,-3.25,1.5,16_matches,
other,,,,,,later""")
    table = scoreboard.markdown(path)
    assert table.splitlines()[2:] == [
        "| kings | 82.5% (Section 2) | 82.39568 | `10_equity` | exact |",
        "| match | almost \\$5 (Section 3) | \u22123.2 ± 1.5 | `16_matches` |  |",
        "| other |  |  |  | later |",
    ]
    assert scoreboard.markdown(path, ("other", "ki")).splitlines()[2:] == [table.splitlines()[k] for k in (2, 4)]
    with pytest.raises(ValueError, match="no row begins with .'none'."):
        scoreboard.markdown(path, ("kings", "none"))
    start, end = scoreboard.MARKS
    assert scoreboard.replaced(f"a\n{start}\nold\n{end}\nb\n", table) == f"a\n{start}\n\n{table}\n\n{end}\nb\n"
    with pytest.raises(ValueError, match="each once"):
        scoreboard.replaced(f"{end} {start}", table)
