"""A parameter file is right as a whole, or a ValueError naming file, parameter, expectation."""

import re
import subprocess
import sys

import pytest
import yaml

from faceup.lab.parameters import Validator, load_parameters
from faceup.util.paths import ROOT

DEFS = yaml.safe_load((ROOT / "params.schema.yaml").read_text())["$defs"]
PARAMETERS = ROOT / "params.yaml"
RIGHT = PARAMETERS.read_text(encoding="utf-8")


def test_nothing_is_converted():
    assert repr(load_parameters()) == repr(yaml.safe_load(RIGHT))


@pytest.mark.parametrize(
    "profile", sorted((ROOT / "params").glob("*.yaml")), ids=lambda path: path.name
)
def test_a_profile_has_what_differs_from_the_parameters(profile):
    own = yaml.safe_load(profile.read_text(encoding="utf-8"))
    whole, default = load_parameters(profile=profile), load_parameters()
    for section, parameters in own.items():
        for parameter, value in parameters.items():
            assert whole[section].pop(parameter) == value != default[section].pop(parameter)
    assert whole == default


def test_a_wrong_profile_is_named_and_a_right_one_becomes_a_file(tmp_path):
    command = [sys.executable, "-m", "faceup.lab.parameters", "mine.yaml", "all.yaml"]
    for text, message in (
        ("leduc: {tremble: 2}", "leduc.tremble: 2 is greater than the maximum of 1"),
        ("toy: {x: 1}", ": Additional properties are not allowed ('toy' was unexpected)"),
        ("seed: {x: 1}", "seed: {'x': 1} is not of type 'integer'"),
    ):
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        failed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert f"ValueError: mine.yaml: {message}" in failed.stderr
        assert not (tmp_path / "all.yaml").exists()
    (tmp_path / "mine.yaml").write_text("leduc: {tremble: 0.2}", encoding="utf-8")
    subprocess.run(command, cwd=tmp_path, check=True)
    whole = load_parameters(profile=tmp_path / "mine.yaml")
    assert repr(load_parameters(tmp_path / "all.yaml")) == repr(whole)


VALUES = {  # definition: valid values, invalid values
    "depth": ([1, 30], [0, 31, 7.0, True, "7", None, [1], float("nan")]),
    "epochs": ([5000, 10**9], [0, 5001]),
    "share": ([0, 1, 0.5], [-0.1, 1.1, True, float("nan"), float("inf"), "0.5"]),
    "hole": (["Ac3h"], ["Ac", "AcAc", "Ac3x", "Ac3hKh", "ac3h", " Ac3h", 23]),
    "thresholds": ([[0.1, 0.1, 0, 0.49]], [[1, 1, 1, 1], [0.5] * 4, [0.1] * 3]),
    "match_hands": ([4, 100], [2, 5]),
    "one_size": ([[[1], []]], [[[0.5, 1]], []]),
    "counts": ([[1, 3]], [[], [3, 3], [3, 1], [0], 5, [1, 2.0], ["1", "2"], [None, 1]]),
    "raises": ([[[1, 2], []]], [[[2, 1]], [[0.3, 0.1 + 0.2]], [[0.333333, 1 / 3]], [[0]], [], [1]]),
}


@pytest.mark.parametrize("name", VALUES)
def test_types_and_ranges(name):
    valid, invalid = VALUES[name]
    assert [Validator(DEFS[name]).is_valid(value) for value in valid + invalid] == (
        [True] * len(valid) + [False] * len(invalid)
    )


WRONG = [  # text of the file, its replacement, the message
    ("  example_hole: Ac3h", "  example_hole: Ac", "equity.example_hole: 'Ac' does not match"),
    ("Kh3sJc\n", "Kh3hJc\n", "expected not {*wrap(equity.example_hole, 2)} & "),
    (" iterations: 44000", " iterations: 3000", "expected max(selfplay.snapshots) < self"),
    (" all-in\n  - 1\n", " all-in\n  - 3\n", "expected {*evaluation.responder_sizes} <= "),
    ("  - 0.1\n  - -0.1\n", "  - 0\n  - -0.1\n", "expected bayes.shifts[0] > 0 > bayes.shifts[1]"),
    ("  - 0.1\n  - -0.1\n", "  - 0.11\n  - -0.1\n", "expected all(abs(20 * shift - round(20 * "),
    ("  epoch: 100 ", "  epoch: 50000 ", "expected selfplay.epoch <= selfplay.iterations"),
    ("bot_75_buckets: 100", "bot_75_buckets: 50000", "expected max(opponents.substitute_buckets, "),
    ("  value_boards: 400", "  value_boards: 961", "expected distill.value_boards <= (1 - "),
    (
        "  match_hands: 100",
        "  match_hands: 2",
        "bayes.match_hands: 2 is less than the minimum of 4",
    ),
    ("  gamma:", "  gama:", "selfplay: 'gamma' is a required property; selfplay: Additional"),
    ("  gamma: 2\n", "  gamma: 2\n  gamma: 3\n", "while constructing a mapping"),
    *((RIGHT, damaged, "") for damaged in ("", "- 1\n", "seed: [a, b", RIGHT[: len(RIGHT) // 2])),
]


def test_a_wrong_file_is_one_line(tmp_path):
    for old, new, message in WRONG:
        assert old in RIGHT
        (tmp_path / "mine.yaml").write_text(RIGHT.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(ValueError, match=rf"^mine.yaml: {re.escape(message)}[^\n]*$"):
            load_parameters(tmp_path / "mine.yaml")
