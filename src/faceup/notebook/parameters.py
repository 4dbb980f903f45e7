"""params.yaml and the studies' own file: what may stand in them. A wrong file is one ValueError before work starts.

The profile params/smoke.yaml says which knobs there are; a study's are those that its parameters cell names. A new knob is a line
in each profile (params.yaml, params/*.yaml), and a rule if none fits its name. Values are checked, never converted.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, TypeAdapter, ValidationError, confloat, conint, conlist, constr
from ruamel.yaml import YAML, YAMLError

from faceup.notebook.paths import ROOT


def _also(rule: Any, words: str, holds: Callable[[Any], bool]) -> Any:
    def checked(value: Any) -> Any:
        if not holds(value):
            raise ValueError(words)
        return value

    return Annotated[rule, AfterValidator(checked)]


def _rising(rule: Any, least: int = 1) -> Any:
    return _also(conlist(rule, min_length=least), "strictly increasing values", lambda values: values == sorted(set(values)))


_COUNT, _DEPTH, _CARDS = conint(ge=1), conint(ge=1, le=30), constr(pattern="^([2-9TJQKA][cdhs])+$")
_SHARE, _EXPONENT = confloat(ge=0, le=1), confloat(ge=-10, le=10)
_RAISES = _rising(confloat(ge=0.05, le=200), least=0)  # in pots
_EPOCHS = conint(ge=5000, multiple_of=5000)  # of discard.selfplay
RULES = {  # how a knob's name ends, and what it may be; the first line that fits counts
    "seed": conint(ge=0, lt=2**32),
    "bins": Literal[2, 4, 5, 10, 20],
    "shifts": conlist(confloat(ge=-1, le=1), min_length=3, max_length=3),
    r"bayes\.exploitability_flops": Literal[0] | conint(ge=4, le=22_100),
    "walk_holes": conlist(_CARDS, min_length=2, max_length=2),
    "example_hole|example_flop|walk_board": _CARDS,
    "responder_sizes": _RAISES,
    r"discard\.n_groups": conint(ge=2, le=256),
    r"discard\.checkpoints": _rising(_EPOCHS),
    r"discard\.(own_|response_)?iterations": _EPOCHS,
    "slip": confloat(gt=0, lt=1),
    "thresholds": conlist(_SHARE, min_length=4, max_length=4),
    "memory_sizes|snapshots|checkpoints|answered|neighbours": _rising(_COUNT),
    "sizes": conlist(_RAISES, min_length=1),
    "deciles": _rising(conint(ge=1, le=10), least=0),
    "alpha|beta|gamma": _EXPONENT,
    "alphas|gammas|epsilons|shares": _rising(_SHARE),
    "share|switch|tolerance|bluff_equity|threshold|tremble|learning_rate": _SHARE,
    "held_out|validation": confloat(ge=0.01, le=0.9),
    "cost_weight": confloat(ge=0, le=1000),
    "history": Literal["opponent", "both", "both+seat", "ours"],
    "row_weights": Literal["mistakes", "pot"],
    "search_depths": _rising(conint(ge=0, le=20), least=2),
    "depths": _rising(_DEPTH),
    "small_depth|picture_depth": conint(ge=1, le=6),
    "depth|deepest": _DEPTH,
    r"distill\.oct_regrowths": conlist(conint(ge=0), min_length=4, max_length=4),
    r"regrowths|card_restarts|slumbot_hands|distill\.test_boards": conint(ge=0),
    "street_levels": _rising(conint(ge=1, le=1981)),
    "river_levels": conint(ge=1, le=1981),
    "turn_rivers": conint(ge=1, le=48),
    "flops": conint(ge=3, le=22_100),
    "holes": conint(ge=1, le=1081),
    "games": conint(ge=10),
    r"boards|matches|match_hands|match_deals|evaluations|training_seeds": conint(ge=2),
    "card_parts|rule_lines": conint(ge=2, le=12),
    ".*": _COUNT,
}
TOGETHER: dict[tuple[str, str], Callable[..., bool]] = {  # knobs that must fit others: those that the words name, in order
    ("selfplay.snapshots", "below selfplay.iterations"): lambda own, end: own[-1] < end,
    ("bayes.habit_boards", "at most bayes.value_boards"): lambda own, most: own <= most,
    ("bayes.snapshots", "below bayes.iterations"): lambda own, end: own[-1] < end,
    ("discard.checkpoints", "below discard.iterations"): lambda own, end: own[-1] < end,
    ("stand_in.snapshot", "at most stand_in.iterations"): lambda own, most: own <= most,
    ("selfplay_time.answered", "some of selfplay.snapshots and selfplay.iterations"): lambda own, a, b: {*own} <= {*a, b},
    ("exploitability.depths", "some of distill.depths"): lambda own, all_of: {*own} <= {*all_of},
    ("safe.tree_depths", "some of distill.depths and distill.own_depths"): lambda own, a, b: {*own} <= {*a} & {*b},
    ("safe.hands_depth", "one of safe.tree_depths"): lambda own, all_of: own in all_of,
    ("safe.known_shares", "above 0, and the last of them 1"): lambda own: own[0] > 0 and own[-1] == 1,
    ("safe.known_share", "one of safe.known_shares"): lambda own, all_of: own in all_of,
    ("leduc.episodes", "a multiple of leduc.evaluations"): lambda own, part: own % part == 0,
}


def _keys(place: str, given: Any, known: Iterable[str]) -> None:
    if not isinstance(given, dict):
        raise ValueError(f"{place or 'the file'} is {given!r}, expected keys with values")
    for key in [*given, *known]:
        if key not in given or key not in known:
            said = "is missing" if key in known else f"is unknown, expected one of {', '.join(known) or '(none)'}"
            raise ValueError(f"{place}.{key} {said}".lstrip("."))


@cache
def pipeline_sections() -> dict[str, list[str]]:
    """The sections of params.yaml, and the knobs of each: those of params/smoke.yaml."""
    given = YAML(typ="safe", pure=True).load(ROOT / "params" / "smoke.yaml")
    return {name: list(knobs) if isinstance(knobs, dict) else [] for name, knobs in given.items()}


def check(values: Any, sections: dict[str, list[str]]) -> None:
    """Raises ValueError naming dotted key, value and what was expected, for the first wrong value."""
    _keys("", values, sections)
    knobs = {"seed": values["seed"]} if "seed" in sections else {}
    for name in [s for s in sections if s != "seed"]:
        _keys(name, values[name], sections[name])
        knobs |= {f"{name}.{knob}": value for knob, value in values[name].items()}
    for knob, value in knobs.items():
        rule = next(rule for end, rule in RULES.items() if re.search(rf"(^|[._])({end})$", knob))
        try:
            TypeAdapter(rule).validate_python(value, strict=True)
        except ValidationError as error:
            words = re.sub(r"^(\w+ should (be|have|match)|Value error,) | after validation.*", "", error.errors()[0]["msg"])
            raise ValueError(f"{knob} is {value!r}, expected {words}") from None
    for (knob, words), fits in TOGETHER.items():
        others = re.findall(r"\w+\.\w+", words)
        if knob in knobs and not fits(knobs[knob], *(knobs[other] for other in others)):
            said = re.sub(r"\w+\.\w+", lambda other: f"{other[0]} ({knobs[other[0]]})", words)
            raise ValueError(f"{knob} is {knobs[knob]!r}, expected {said}")


def load_parameters(path: Path = ROOT / "params.yaml", sections: dict[str, list[str]] | None = None) -> dict[str, Any]:
    """All parameters of a file; ValueError naming file, dotted key, value and what was expected.

    sections: those that the file has, and the knobs of each; the pipeline's by default.
    """
    try:
        values = YAML(typ="safe", pure=True).load(path)
        check(values, pipeline_sections() if sections is None else sections)
    except (YAMLError, ValueError) as error:
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
        raise ValueError(f"{name}: {' '.join(str(error).split('To suppress')[0].split())}") from error
    return values
