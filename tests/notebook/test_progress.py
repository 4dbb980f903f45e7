"""What a report keeps of a progress line depends on the amount of work alone."""

import sys

import pytest

from faceup.notebook.progress import Progress
from faceup.notebook.run_notebook import _settled


def kept(capsys, total, steps):
    progress = Progress("self-play", total)
    for done in steps:
        progress(done)
    return capsys.readouterr().err


@pytest.mark.parametrize("steps", [[*range(0, 12_001, 7), 12_000], [12_000], [5_432, 5_433, 11_999, 12_000, 12_000]])
def test_the_same_lines_for_any_steps_and_after_a_resume(capsys, steps):
    assert kept(capsys, 12_000, steps) == "".join(f"self-play: {1200 * k:,} of 12,000\n" for k in range(1, 11))


def test_few_steps_give_few_lines(capsys):
    assert kept(capsys, 3, [1, 2, 3]) == "self-play: 1 of 3\nself-play: 2 of 3\nself-play: 3 of 3\n"
    assert kept(capsys, 1, [0, 1]) == "self-play: 1 of 1\n"


def test_on_a_terminal_percents_in_between_are_overwritten(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = kept(capsys, 1000, range(106))
    assert shown.count("\n") == 1 and shown.count("\r") == 10  # 1 % to 9 %, and the line of 10 %
    assert shown.startswith("\rself-play: 10 of 1,000\rself-play: 20 of 1,000")
    assert shown.endswith("\rself-play: 100 of 1,000\n")
    assert _settled(shown) == "self-play: 100 of 1,000\n"


def test_nothing_to_do_is_an_error():
    with pytest.raises(ValueError, match="total is 0, expected at least 1"):
        Progress("rows", 0)
