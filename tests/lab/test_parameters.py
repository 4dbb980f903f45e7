"""A parameter file is right as a whole, or one ValueError naming file, key, value and what was
expected.
"""

import re
import subprocess
import sys
from collections import Counter

import pytest
import yaml
from dvc.utils.hydra import apply_overrides

from faceup.lab.parameters import holds, load_parameters
from faceup.util.paths import ROOT

KINDS = yaml.safe_load((ROOT / "kinds.yaml").read_text())["kinds"]
PARAMETERS = ROOT / "params.yaml"
RIGHT = PARAMETERS.read_text(encoding="utf-8")


def test_nothing_is_converted():
    assert repr(load_parameters()) == repr(yaml.safe_load(RIGHT))


@pytest.mark.parametrize(
    "profile", sorted((ROOT / "params").glob("*.yaml")), ids=lambda path: path.name
)
def test_a_profile_has_what_differs_from_the_parameters(profile):
    own, whole, default = (
        yaml.safe_load(profile.read_text(encoding="utf-8")),
        load_parameters(profile=profile),
        load_parameters(),
    )
    for section, knobs in own.items():
        for knob, value in knobs.items():
            assert whole[section].pop(knob) == value != default[section].pop(knob)
    assert whole == default


def test_a_wrong_profile_is_named_and_a_right_one_becomes_a_file(tmp_path):
    command = [sys.executable, "-m", "faceup.lab.parameters", "mine.yaml", "all.yaml"]
    for text, said in (
        ("leduc: {tremble: 2}", "leduc.tremble is 2, expected share"),
        ("toy: {x: 1}", "toy.x has no kind"),
        ("seed: {x: 1}", "seed.x has"),
    ):
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        failed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (
            f"ValueError: mine.yaml: {said}" in failed.stderr
            and not (tmp_path / "all.yaml").exists()
        )
    (tmp_path / "mine.yaml").write_text("leduc: {tremble: 0.2}", encoding="utf-8")
    subprocess.run(command, cwd=tmp_path, check=True)
    assert repr(load_parameters(tmp_path / "all.yaml")) == repr(
        load_parameters(profile=tmp_path / "mine.yaml")
    )


HELD = {  # kind: values that are of it, and values that are not
    "whole 1..30": ([1, 30], [0, 31, 7.0, True, "7", None, [1], float("nan")]),
    "whole 5000.. by 5000": ([5000, 10**9], [0, 5001]),
    "real 0..1": ([0, 1, 0.5], [-0.1, 1.1, True, float("nan"), float("inf"), "0.5"]),
    "one of mistakes pot": (["pot"], ["pots", "", 1, ["pot"]]),
    "cards 2": (["Ac3h"], ["Ac", "AcAc", "Ac3x", "Ac3hKh", "ac3h", " Ac3h", 23]),
    "increasing 1.. whole 1..": ([[1, 3]], [[], [3, 3], [3, 1], [0], 5, [1, 2.0]]),
    "list 1.. increasing 0.. real 0.05..200": ([[[1, 2], []]], [[[2, 1]], [[0]], [], [1]]),
}


def test_a_kind_holds_what_it_says_and_every_knob_has_one():
    for kind, (right, wrong) in HELD.items():
        assert [holds(kind, value) for value in right + wrong] == [True] * len(right) + [
            False
        ] * len(wrong), kind
    named = Counter(
        (s, knob)
        for kind in KINDS.values()
        for s, knobs in kind.items()
        if s != "is"
        for knob in knobs
    )
    assert set(named.values()) == {1} and not any(
        holds(kind["is"], {}) or holds(kind["is"], "x") for kind in KINDS.values()
    )


WRONG = [  # what stands in the file, what stands there instead, and what is said
    (
        "  example_hole: Ac3h",
        "  example_hole: Ac",
        "equity.example_hole is 'Ac', expected hole (cards 2)",
    ),
    (
        "Kh3sJc\n",
        "Kh3hJc\n",
        "equity.example_flop is 'Kh3hJc', expected without equity.example_hole (Ac3h)",
    ),
    (
        " iterations: 44000",
        " iterations: 3000",
        "selfplay.snapshots is [300, 1000, 3000, 11000], expected below self",
    ),
    (
        " all-in\n  - 1\n",
        " all-in\n  - 3\n",
        "evaluation.responder_sizes is [3], expected among betting.",
    ),
    ("  gamma:", "  gama:", "selfplay.gama has no kind, expected a knob that kinds.yaml names"),
    ("  gamma: 2\n", "", "selfplay.gamma is missing, expected exponent"),
    ("  gamma: 2\n", "  gamma: 2\n  gamma: 3\n", "while constructing a mapping"),
    *(
        (RIGHT, damaged, "")
        for damaged in ("", "- 1\n", "seed: [a, b", "\x80", RIGHT[: len(RIGHT) // 2])
    ),
]


def test_a_wrong_file_is_one_line(tmp_path):
    for old, new, said in WRONG:
        assert old in RIGHT
        (tmp_path / "mine.yaml").write_text(RIGHT.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(ValueError, match=rf"^mine.yaml: {re.escape(said)}[^\n]*$"):
            load_parameters(tmp_path / "mine.yaml")


def test_a_sweep_changes_the_lines_of_its_knobs_alone(tmp_path):
    """As `dvc exp run -S` writes the file: DVC spreads each list over lines, and drops an empty
    line behind one.
    """
    (mine := tmp_path / "params.yaml").write_text(RIGHT, encoding="utf-8")
    apply_overrides(mine, ["leduc.iterations=5000", "selfplay.snapshots=[300,1000,3000,10000]"])
    changed = {*mine.read_text(encoding="utf-8").splitlines()} - {*RIGHT.splitlines()}
    assert {line.split("#")[0].strip() for line in changed} <= {"iterations: 5000", "- 10000"}
    assert len(mine.read_text(encoding="utf-8").splitlines()) == len(RIGHT.splitlines())
