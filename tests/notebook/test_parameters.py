"""A parameter file is right as a whole, or one ValueError naming file, key, value and what was expected."""

import re
from typing import Any

import pytest
import yaml

from faceup.notebook import parameters
from faceup.notebook.parameters import load_parameters, load_study_parameters, section
from faceup.notebook.paths import ROOT
from faceup.notebook.schema import choice, each, integer, number, text

PROFILES = [ROOT / "params.yaml", *sorted((ROOT / "params").glob("*.yaml"))]
SMALL = {
    "seed": integer(0, 9),
    "selfplay": {"iterations": integer(1, 100), "gamma": number(0, 10), "mode": choice("fast", "slow")},
    "learn": {"depths": each(integer(1, 30), most=4, increasing=True), "label": text()},
}
RIGHT = """\
seed: 3
selfplay: {iterations: 100, gamma: 2, mode: fast}
learn: {depths: [1, 5], label: x}
"""


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    """Writes RIGHT with one change, and returns what the loader says."""
    monkeypatch.setattr(parameters, "SCHEMA", SMALL)

    def say(old: str = "", new: str = "") -> str:
        assert old in RIGHT
        path = tmp_path / "mine.yaml"
        path.write_text(RIGHT.replace(old, new) if old else new)
        with pytest.raises(ValueError) as caught:
            load_parameters(path)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return say


def test_a_right_file_is_returned_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.setattr(parameters, "SCHEMA", SMALL)
    (tmp_path / "mine.yaml").write_text(RIGHT)
    assert load_parameters(tmp_path / "mine.yaml") == yaml.safe_load(RIGHT)
    assert type(load_parameters(tmp_path / "mine.yaml")["selfplay"]["gamma"]) is int  # never converted


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("100", "-5", "selfplay.iterations is -5, expected an integer from 1 to 100"),
        ("100", "101", "selfplay.iterations is 101, expected an integer from 1 to 100"),
        ("100", "7.0", "selfplay.iterations is 7.0, expected an integer from 1 to 100"),
        ("100", "true", "selfplay.iterations is True, expected an integer from 1 to 100"),
        ("100", "1e1", "selfplay.iterations is '1e1', expected an integer from 1 to 100"),
        ("gamma: 2", "gamma: .nan", "selfplay.gamma is nan, expected a number from 0 to 10"),
        ("gamma: 2", "gamma: false", "selfplay.gamma is False, expected a number from 0 to 10"),
        ("gamma: 2", "gamma: null", "selfplay.gamma is None, expected a number from 0 to 10"),
        ("fast", "quick", "selfplay.mode is 'quick', expected one of fast, slow"),
        ("[1, 5]", "[]", "learn.depths is [], expected a list of 1 to 4 strictly increasing values"),
        ("[1, 5]", "[5, 5]", "learn.depths is [5, 5], expected a list of 1 to 4 strictly increasing values"),
        ("[1, 5]", "[1, 31]", "learn.depths is [1, 31], expected a list of 1 to 4 strictly increasing"),
        ("[1, 5]", "5", "learn.depths is 5, expected a list"),
        ("label: x", "label: ''", "learn.label is '', expected a text"),
        ("gamma", "gama", "selfplay.gama is unknown, expected one of iterations, gamma, mode"),
        (", gamma: 2", "", "selfplay.gamma is missing, expected a number from 0 to 10"),
        ("learn", "lern", "lern is unknown, expected one of seed, selfplay, learn"),
        ("seed: 3\n", "", "seed is missing, expected an integer from 0 to 9"),
        ("{iterations: 100, gamma: 2, mode: fast}", "7", "selfplay is 7, expected keys with values"),
        ("seed: 3", "seed: 3\nseed: 4", "key seed appears a second time in line 2, expected once"),
        ("gamma: 2", "gamma: 2, gamma: 3", "key gamma appears a second time in line 2, expected once"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named(refusal, old, new, said):
    assert refusal(old, new).startswith(f"mine.yaml: {said}")


def test_a_file_that_is_no_mapping_or_no_yaml(refusal):
    assert refusal(new="- 1\n") == "mine.yaml: the file is [1], expected keys with values"
    assert refusal(new="seed: [1\n").startswith("mine.yaml: while parsing")


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.name)
def test_the_profiles_are_right(path):
    load_parameters(path)


def test_the_studies_file_is_right():
    assert set(load_study_parameters()) == set(parameters.STUDIES)


def test_the_discount_of_self_play_is_one_that_the_study_has_compared():
    study, chosen = load_study_parameters()["discounting"], section("selfplay")
    compared = zip(*(study[f"{exponent}s"] for exponent in ("alpha", "beta", "gamma", "epoch")), strict=True)
    assert tuple(chosen[exponent] for exponent in ("alpha", "beta", "gamma", "epoch")) in compared


def test_smoke_has_its_values_within_the_same_schema_but_is_not_the_default():
    assert load_parameters(ROOT / "params" / "smoke.yaml") != load_parameters()


def knobs(schema: dict[str, Any], prefix: str = "") -> list[str]:
    """Dotted names of all knobs of the real schema."""
    return [
        name
        for key, rule in schema.items()
        for name in (knobs(rule, f"{prefix}{key}.") if isinstance(rule, dict) else [f"{prefix}{key}"])
    ]


@pytest.mark.parametrize("knob", knobs(parameters.SCHEMA))
def test_every_real_knob_refuses_another_type_and_absence(knob, tmp_path):
    path = tmp_path / "wrong.yaml"
    *sections, key = knob.split(".")
    for said in ("is {}", "is missing"):
        values = yaml.safe_load((ROOT / "params.yaml").read_text())
        home = values[sections[0]] if sections else values
        home[key] = {}
        if said == "is missing":
            del home[key]
        path.write_text(yaml.safe_dump(values))
        with pytest.raises(ValueError, match=re.escape(f"wrong.yaml: {knob} {said}, expected ")):
            load_parameters(path)


def test_section():
    assert section("selfplay") == load_parameters()["selfplay"]
    for name in ("seed", "self-play"):
        with pytest.raises(ValueError, match=f"section '{name}' is unknown, expected one of .*selfplay"):
            section(name)
