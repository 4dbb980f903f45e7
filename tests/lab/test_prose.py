"""Numbers in prose: what stands for a path, and what is said where there is nothing."""

import re

import pytest

from faceup.lab.prose import filled

METRICS = {
    "agents": {
        "oct": {
            "blueprint": {"mbb": -120.857, "ci95": 6.0015, "in_sample": 3},
            "leaves": 7765,
            "name": "OCT",
            "br": None,
        },
        "by share": {"0.10": {"percent": 32.4, "ci95": None}},
    },
    "rules": {"never bet": {"exploitability": 0.071997, "ci95": 0.000988}, "shares": [0.25, -0.5]},
    "distill": {
        "depths": [
            {"round": "flop", "depth": d, "own share": d / 10, "oct_test": 0.17 + d / 100}
            for d in (1, 15)
        ]
    },
}


def said(text):
    return filled(text, METRICS.__getitem__)


@pytest.mark.parametrize(
    ("place", "expected"),
    {
        "agents.oct.blueprint": "−121 ± 6",
        "agents.oct.blueprint|-": "121 ± 6",
        "agents.oct.blueprint|-+": "+121 ± 6",
        "agents.oct.blueprint|1": "−120.9 ± 6.0",
        "agents.oct.blueprint.mbb": "−121",
        "agents.oct.leaves": "7,765",
        "agents.oct.leaves|+": "+7,765",
        "agents.oct.leaves|-": "−7,765",
        "agents.oct.name": "OCT",
        "agents.by share.0.10.percent|k0": "32,400",
        "rules.never bet|k": "72 ± 1",
        "rules.never bet.exploitability|%1": "7.2",
        "rules.shares.0|%": "25",
        "rules.shares.-1|+": "−0.50",
        "rules.shares.-1|+0": "+0",  # to no decimal it is none
        "distill.depths.round=flop;depth=15.oct_test|4": "0.3200",
        "distill.depths.own share=0.1.oct_test": "0.18",
        "distill.depths.0.depth": "1",
        " agents.by\n share.0.10.percent | - ": "−32",
    }.items(),
)
def test_a_number_stands_for_its_path(place, expected):
    assert said(f"so {{{{{place}}}}}.") == f"so {expected}."


def test_formulas_and_code_stay():
    text = r"$\frac{a}{b_{i}}$, {agents.oct.leaves}, `{'a': {}}`"
    assert said(text) == text


WRONG = {
    "agents.xgboost.blueprint": "KeyError: 'xgboost'",
    "agents.oct.leaves.few": "TypeError: ",
    "agents.oct": "StopIteration",
    "agents.oct.br": "TypeError: ",
    "distill.depths.round=flop.oct_test": "ValueError: too many values to unpack",
    "distill.depths.2.depth": "IndexError: ",
    "matches.x": "KeyError: 'matches'",
    "agents": "StopIteration",
    "": "KeyError: ''",
    "agents.oct.leaves|x": "ValueError: ",
}


@pytest.mark.parametrize(("place", "expected"), WRONG.items())
def test_an_unknown_path_is_an_error_or_a_dash(place, expected):
    text = f"a {{{{{place}}}}} and {{{{agents.oct.name}}}}"
    with pytest.raises(ValueError, match=f"^{re.escape(f'{{{{{place}}}}}: {expected}')}"):
        said(text)
    assert filled(text, METRICS.__getitem__, unknown="–") == "a – and OCT"
