"""params.yaml and the studies' own file: what may stand in them. A wrong file is one ValueError before work starts.

A new knob is a name in SCHEMA or STUDIES, a line in each profile (params.yaml, params/*.yaml), and a rule if none fits its name.
Values reach the code as they stand in the file: they are checked, never converted.
"""

import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, TypeAdapter, ValidationError, confloat, conint, conlist, constr
from ruamel.yaml import YAML, YAMLError

from faceup.notebook.paths import ROOT

_CELLS = "flop_equity_cells flop_decile_cells flop_deciles turn_equity_cells turn_decile_cells turn_deciles"
_CFR = "iterations epoch alpha beta gamma"
_ROWS = "row_boards value_boards flop_rows turn_rows river_rows"
_BOOSTED = "boosted_depth boosted_rounds boosted_learning_rate"
_NEURAL = "neural_layers neural_width neural_epochs neural_batch neural_learning_rate"
_TREES = "row_boards value_boards round_rows tree_depths tree_min_rows oct_regrowths match_boards"
_HUMAN = "games held_out depths memory_sizes neighbours search_games rule_lines unseen_games"
SCHEMA = {  # params.yaml: the knobs of each section
    "seed": "",  # itself a knob
    "equity": "example_hole example_flop",
    "betting": "preflop_sizes flop_sizes turn_sizes river_sizes",
    "selfplay": f"{_CELLS} {_CFR} snapshots snapshot_boards exploitability_flops responder_sizes line_boards checkpoint_every",
    "features": "history",
    "distill": f"{_ROWS} row_weights held_out test_boards depths tree_min_rows oct_regrowths boosted_rows {_BOOSTED} neural_rows "
    f"{_NEURAL}",
    "stand_in_betting": "stand_in_preflop_sizes stand_in_flop_sizes stand_in_turn_sizes stand_in_river_sizes",
    "stand_in": f"flop_groups turn_groups sampled_hands lloyd_steps {_CFR} snapshot snapshot_boards checkpoint_every",
    "head_to_head": "match_boards subset_boards subset_holes stand_in_boards threshold threshold_boards played_games "
    "checked_games slumbot_hands",
    "selfplay_time": f"row_boards rows_per_round cart_depth cart_min_rows {_BOOSTED} match_boards played_games answered flops",
    "strategy": "small_depth picture_depth search_boards test_boards deepest bluff_share bluff_equity logical_share walk_holes "
    "walk_board",
    "exploitability": "depths responder_sizes sweep_flops main_flops fidelity_boards lbr_boards",
    "leduc": "iterations checkpoints episodes evaluations evaluation_games training_seeds alphas gammas epsilons grid_seeds "
    "search_depths search_games tree_depths tremble card_parts card_restarts",
    "human_rules": f"{_HUMAN} optimal_games optimal_depths optimal_min_rows optimal_regrowths",
    "overview": "",
}
STUDIES = {  # notebooks/studies/params.yaml
    "human_rules_100k": _HUMAN,
    "lbr": "boards holes flops",
    "losses": _TREES,
    "history": f"{_ROWS} tree_share tree_depths tree_min_rows oct_regrowths cost_weight curve_min_rows curve_shares match_boards "
    f"answered_depths answered_flops responder_sizes boosted_share {_BOOSTED} boosted_cost_weight neural_share {_NEURAL} "
    "neural_cost_weight subset_boards subset_holes",
    "tuning": "row_boards value_boards round_rows validation tree_depths least_rows oct_regrowths boosted_depths boosted_rates "
    "boosted_rounds neural_layers neural_widths neural_epochs",
    "oct_trials": "row_boards round_rows proof_rows proof_regrowths proof_restarts trial_rows trial_seed trial_depth "
    "trial_min_rows trial_criteria trial_regrowths warm_depths warm_min_rows",
    "opponents": "trained keep_every boards",
    "long_matches": "games block_games",
    "representation": f"{_CELLS} {_CFR} {_TREES} shared_history share_every",
    "discounting": f"{_CELLS} sizes alphas betas gammas epochs iterations seeds match_boards flops",
}


def _in_order(values: list) -> list:
    if any(a >= b for a, b in zip(values, values[1:], strict=False)):
        raise ValueError("strictly increasing values")
    return values


def _rising(rule: Any, least: int = 1) -> Any:
    return Annotated[conlist(rule, min_length=least), AfterValidator(_in_order)]


_COUNT, _DEPTH, _CARDS = conint(ge=1), conint(ge=1, le=30), constr(pattern="^([2-9TJQKA][cdhs])+$")
_SHARE, _EXPONENT = confloat(ge=0, le=1), confloat(ge=-10, le=10)
_RAISES = _rising(confloat(ge=0.05, le=200), least=0)  # in pots
RULES = {  # how a knob's name ends, and what it may be; the first line that fits counts
    "seed": conint(ge=0, lt=2**32),
    "walk_holes": conlist(_CARDS, min_length=2, max_length=2),
    "example_hole|example_flop|walk_board": _CARDS,
    "responder_sizes": _RAISES,
    "memory_sizes|snapshots|checkpoints|answered|trained|neighbours|least_rows|trial_min_rows|trial_rows": _rising(_COUNT),
    r"tuning\.neural_(layers|widths)": _rising(_COUNT),
    "sizes": conlist(_RAISES, min_length=1),
    "deciles": _rising(conint(ge=1, le=10), least=0),
    "alpha|beta|gamma": _EXPONENT,
    r"discounting\.(alphas|betas|gammas)": conlist(_EXPONENT, min_length=1),
    r"discounting\.epochs": conlist(_COUNT, min_length=1),
    "alphas|gammas|epsilons|rates|shares": _rising(_SHARE),
    "share|bluff_equity|threshold|tremble|learning_rate": _SHARE,
    "held_out|validation": confloat(ge=0.01, le=0.9),
    "cost_weight": confloat(ge=0, le=1000),
    "history": Literal["opponent", "both", "both+seat"],
    "row_weights": Literal["mistakes", "pot"],
    "trial_criteria": list[Literal["agreement", "brier", "log"]],
    "search_depths": _rising(conint(ge=0, le=20), least=2),
    "depths": _rising(_DEPTH),
    "small_depth|picture_depth": conint(ge=1, le=6),
    "depth|deepest": _DEPTH,
    r"(distill|history)\.oct_regrowths": conlist(conint(ge=0), min_length=4, max_length=4),
    r"regrowths|card_restarts|slumbot_hands|distill\.test_boards": conint(ge=0),
    "flops": conint(ge=3, le=22_100),
    "holes": conint(ge=1, le=1081),
    "games": conint(ge=10),
    r"boards|evaluations|training_seeds|discounting\.seeds": conint(ge=2),
    "card_parts|rule_lines": conint(ge=2, le=12),
    ".*": _COUNT,
}
TOGETHER: dict[tuple[str, str], Callable[[dict[str, Any]], bool]] = {  # knobs that must fit others
    ("selfplay.snapshots", "below selfplay.iterations"): lambda p: p["selfplay.snapshots"][-1] < p["selfplay.iterations"],
    ("stand_in.snapshot", "at most stand_in.iterations"): lambda p: p["stand_in.snapshot"] <= p["stand_in.iterations"],
    ("selfplay_time.answered", "some of selfplay.snapshots and selfplay.iterations"): lambda p: (
        set(p["selfplay_time.answered"]) <= {*p["selfplay.snapshots"], p["selfplay.iterations"]}
    ),
    ("exploitability.depths", "some of distill.depths"): lambda p: set(p["exploitability.depths"]) <= set(p["distill.depths"]),
    ("leduc.episodes", "a multiple of leduc.evaluations"): lambda p: p["leduc.episodes"] % p["leduc.evaluations"] == 0,
}


@cache
def _rule(knob: str) -> TypeAdapter:
    return TypeAdapter(next(rule for end, rule in RULES.items() if re.search(rf"(^|[._])({end})$", knob)))


def _keys(place: str, given: Any, known: Iterable[str]) -> None:
    if not isinstance(given, dict):
        raise ValueError(f"{place or 'the file'} is {given!r}, expected keys with values")
    for key in [*given, *known]:
        if key not in given or key not in known:
            said = "is missing" if key in known else f"is unknown, expected one of {', '.join(known) or '(none)'}"
            raise ValueError(f"{place}.{key} {said}".lstrip("."))


def check(values: Any, sections: dict[str, str]) -> None:
    """Raises ValueError naming dotted key, value and what was expected, for the first wrong value."""
    _keys("", values, sections)
    knobs = {"seed": values["seed"]} if "seed" in sections else {}
    for name in [s for s in sections if s != "seed"]:
        _keys(name, values[name], sections[name].split())
        knobs |= {f"{name}.{knob}": value for knob, value in values[name].items()}
    for knob, value in knobs.items():
        try:
            _rule(knob).validate_python(value, strict=True)
        except ValidationError as error:
            words = re.sub(r"^(\w+ should (be|have|match)|Value error,) | after validation.*", "", error.errors()[0]["msg"])
            raise ValueError(f"{knob} is {value!r}, expected {words}") from None
    for (knob, words), fits in TOGETHER.items():
        if knob in knobs and not fits(knobs):
            raise ValueError(f"{knob} is {knobs[knob]!r}, expected {words}")


def load_parameters(path: str | os.PathLike | None = None, sections: dict[str, str] = SCHEMA) -> dict[str, Any]:
    """All parameters of `path` (default: the repository's params.yaml).

    Raises ValueError naming file, dotted key, value and what was expected.
    """
    path = Path(path or ROOT / "params.yaml").resolve()
    try:
        values = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
        check(values, sections)
    except (YAMLError, ValueError) as error:
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
        raise ValueError(f"{name}: {' '.join(str(error).split('To suppress')[0].split())}") from error
    return values


def load_study_parameters() -> dict[str, Any]:
    """All parameters of notebooks/studies/params.yaml; ValueError as `load_parameters`."""
    return load_parameters(ROOT / "notebooks" / "studies" / "params.yaml", STUDIES)


def section(name: str) -> dict[str, Any]:
    """The checked parameters of one section of params.yaml, e.g. section("selfplay")["iterations"]."""
    return load_parameters()[name]
