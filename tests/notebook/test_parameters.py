"""A parameter file is right as a whole, or one ValueError naming file, key, value and what was expected."""

import re

import pytest
import yaml

from faceup.notebook.parameters import check, load_parameters, pipeline_sections
from faceup.notebook.parameters_cell import study_sections
from faceup.notebook.paths import ROOT

PROFILES = [ROOT / "params.yaml", *sorted((ROOT / "params").glob("*.yaml"))]
STUDY_FILE = ROOT / "notebooks" / "studies" / "params.yaml"
RIGHT = (ROOT / "params.yaml").read_text(encoding="utf-8")


@pytest.fixture
def refusal(tmp_path):
    """Writes a file, and returns what the loader says of it."""

    def say(text: str) -> str:
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError) as caught:
            load_parameters(path)
        assert "\n" not in str(caught.value) and str(caught.value).startswith("mine.yaml: ")
        return str(caught.value).removeprefix("mine.yaml: ")

    return say


@pytest.mark.parametrize("path", [*PROFILES, STUDY_FILE], ids=lambda path: path.name)
def test_the_profiles_are_right_and_nothing_in_them_is_converted(path):
    found = load_parameters(path, study_sections() if path == STUDY_FILE else None)
    assert repr(found) == repr(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("knob", "value", "said"),
    [
        ("selfplay.iterations", "-5", "is -5, expected greater than or equal to 1"),
        ("selfplay.iterations", "7.0", "is 7.0, expected a valid integer"),
        ("selfplay.iterations", "true", "is True, expected a valid integer"),
        ("selfplay.iterations", "'7'", "is '7', expected a valid integer"),
        ("selfplay.gamma", ".nan", "is nan, expected "),
        ("selfplay.gamma", "11", "is 11, expected less than or equal to 10"),
        ("selfplay.gamma", "false", "is False, expected a valid number"),
        ("selfplay.gamma", "null", "is None, expected a valid number"),
        ("selfplay.snapshots", "[]", "is [], expected at least 1 item"),
        ("selfplay.snapshots", "[5, 5]", "is [5, 5], expected strictly increasing values"),
        ("selfplay.snapshots", "5", "is 5, expected a valid list"),
        ("selfplay.snapshots", "[10, 44000]", "is [10, 44000], expected below selfplay.iterations (44000)"),
        ("selfplay.turn_deciles", "[1, 11]", "is [1, 11], expected less than or equal to 10"),
        ("betting.flop_sizes", "[[2, 1], []]", "is [[2, 1], []], expected strictly increasing values"),
        ("betting.flop_sizes", "[[0], []]", "is [[0], []], expected greater than or equal to 0.05"),
        ("equity.example_hole", "Ac3x", "is 'Ac3x', expected pattern "),
        ("features.history", "mine", "is 'mine', expected 'opponent', 'both', 'both+seat' or 'ours'"),
        ("distill.held_out", "1", "is 1, expected less than or equal to 0.9"),
        ("distill.oct_regrowths", "[1]", "is [1], expected at least 4 items"),
        ("stand_in.snapshot", "6001", "is 6001, expected at most stand_in.iterations"),
        ("selfplay_time.answered", "[300, 301]", "is [300, 301], expected some of selfplay.snapshots ("),
        ("exploitability.depths", "[1, 5]", "is [1, 5], expected some of distill.depths"),
        ("leduc.epsilons", "[0.5, 1.5]", "is [0.5, 1.5], expected less than or equal to 1"),
        ("leduc.episodes", "100001", "is 100001, expected a multiple of leduc.evaluations"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named(refusal, knob, value, said):
    place, key = knob.split(".")
    before, after = RIGHT.split(f"\n{place}:", 1)
    wrong = re.sub(rf"(?m)^  {key}: .*", f"  {key}: {value}", after, count=1)
    assert refusal(f"{before}\n{place}:{wrong}").startswith(f"{knob} {said}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  gamma:", "  gama:", "selfplay.gama is unknown, expected one of flop_equity_cells, "),
        ("  gamma: 2\n", "", "selfplay.gamma is missing"),
        ("leduc:", "lduc:", "lduc is unknown, expected one of seed, equity, "),
        ("seed: ", "# ", "seed is missing"),
        ("overview: {}", "overview: 7", "overview is 7, expected keys with values"),
        ("overview: {}", "overview: {x: 1}", r"overview.x is unknown, expected one of \(none\)"),
        ("seed: ", "seed: 1\nseed: ", "while constructing a mapping"),
        ("  gamma: 2\n", "  gamma: 2\n  gamma: 3\n", 'while constructing a mapping .*line \\d+, .* found duplicate key "gamma"'),
        ("seed: ", "seed: [", "while parsing"),
        (RIGHT, "- 1\n", r"the file is \[1\], expected keys with values"),
    ],
)
def test_a_wrong_key_or_file_is_named(refusal, old, new, said):
    assert old in RIGHT and re.match(said, refusal(RIGHT.replace(old, new, 1)))


@pytest.mark.parametrize("path", [PROFILES[0], STUDY_FILE], ids=["pipeline", "studies"])
def test_every_knob_refuses_another_type(path):
    right = yaml.safe_load(path.read_text(encoding="utf-8"))
    sections = study_sections() if path == STUDY_FILE else pipeline_sections()
    for name, knobs in sections.items():
        for knob in knobs:
            with pytest.raises(ValueError, match=rf"^{name}\.{knob} is {{}}, expected "):
                check(right | {name: right[name] | {knob: {}}}, sections)
