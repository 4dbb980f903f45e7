"""What a report keeps of a progress line depends on the amount of work alone."""

import sys

import pytest

from faceup.notebook.progress import Progress
from faceup.notebook.run_notebook import _settled


def kept(capsys, total, steps):
    progress = Progress("self-play", total)
    for done in steps:
        progress(done)
    return _settled(capsys.readouterr().err)


def test_the_same_lines_for_any_steps_and_after_a_resume(capsys):
    fine = kept(capsys, 12_000, [*range(0, 12_001, 7), 12_000])
    assert fine.splitlines() == [f"self-play: {1200 * k:,} of 12,000" for k in range(1, 11)]
    assert kept(capsys, 12_000, [12_000]) == fine
    assert kept(capsys, 12_000, [5_432, 5_433, 11_999, 12_000, 12_000]) == fine


def test_few_steps_give_few_lines(capsys):
    assert kept(capsys, 3, [1, 2, 3]) == "self-play: 1 of 3\nself-play: 2 of 3\nself-play: 3 of 3\n"
    assert kept(capsys, 1, [0, 1]) == "self-play: 1 of 1\n"


def test_on_a_terminal_percents_in_between_are_overwritten(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress("rows", 1000)
    for done in range(106):
        progress(done)
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1 and shown.count("\r") == 10  # 1 % to 9 %, and the line of 10 %
    assert shown.startswith("\rrows: 10 of 1,000\rrows: 20 of 1,000")
    assert shown.endswith("\rrows: 100 of 1,000\n")


def test_elsewhere_there_are_only_the_lines(capsys):
    progress = Progress("rows", 1000)
    for done in range(1001):
        progress(done)
    assert capsys.readouterr().err == "".join(f"rows: {100 * k:,} of 1,000\n" for k in range(1, 11))


def test_nothing_to_do_is_an_error():
    with pytest.raises(ValueError, match="total is 0, expected at least 1"):
        Progress("rows", 0)
