"""What may stand in params.yaml (SCHEMA) and in the studies' own file (STUDIES): a rule for each knob.

A new knob is one line here and one in each profile (params.yaml, params/*.yaml). `faceup.notebook.parameters` reads the files.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple


class Rule(NamedTuple):
    """What a knob takes: in words, and as a test."""

    expected: str
    accepts: Callable[[Any], bool]


def integer(low: int, high: int) -> Rule:
    """A whole number, low <= x <= high."""
    return Rule(f"an integer from {low} to {high}", lambda x: type(x) is int and low <= x <= high)


def number(low: float, high: float) -> Rule:
    """A finite number, whole or not, low <= x <= high."""
    return Rule(
        f"a number from {low} to {high}",
        lambda x: type(x) in (int, float) and math.isfinite(x) and low <= x <= high,
    )


def choice(*options: str) -> Rule:
    """One of a few words."""
    return Rule(f"one of {', '.join(options)}", lambda x: isinstance(x, str) and x in options)


def text() -> Rule:
    """Any text but the empty one."""
    return Rule("a text", lambda x: isinstance(x, str) and x != "")


def each(rule: Rule, least: int = 1, most: int = 1000, increasing: bool = False) -> Rule:
    """A list of `least` to `most` values that `rule` accepts, in strictly increasing order if asked."""

    def accepts(x: Any) -> bool:
        if not isinstance(x, list) or not least <= len(x) <= most or not all(map(rule.accepts, x)):
            return False
        return not increasing or all(a < b for a, b in zip(x, x[1:], strict=False))

    length = f"{least}" if least == most else f"{least} to {most}"
    order = "strictly increasing values" if increasing else "values"
    return Rule(f"a list of {length} {order}, each {rule.expected}", accepts)


SIZES = each(each(number(0.05, 200), least=0, most=8, increasing=True), most=8)
DECILES = each(integer(1, 10), least=0, most=10, increasing=True)

GRIDS: dict[str, Rule | dict[str, Rule]] = {  # how hands are grouped
    "flop_equity_cells": integer(1, 1000),
    "flop_decile_cells": integer(1, 1000),
    "flop_deciles": DECILES,
    "turn_equity_cells": integer(1, 1000),
    "turn_decile_cells": integer(1, 1000),
    "turn_deciles": DECILES,
}

DISCOUNT: dict[str, Rule | dict[str, Rule]] = {  # how self-play forgets: solve/selfplay
    "epoch": integer(1, 1_000_000),
    "alpha": number(0, 10),
    "beta": number(-10, 10),
    "gamma": number(0, 10),
}

RESPONDER_SIZES = each(number(0.05, 200), least=0, most=8, increasing=True)  # beside fold, check or call, and all-in

ROUND_ROWS: dict[str, Rule | dict[str, Rule]] = {  # what models are taught, preflop aside
    "flop_rows": integer(100, 100_000_000),
    "turn_rows": integer(100, 100_000_000),
    "river_rows": integer(100, 100_000_000),
}

BOOSTED: dict[str, Rule | dict[str, Rule]] = {  # holdem/learn/boosted
    "boosted_depth": integer(1, 30),
    "boosted_rounds": integer(1, 100_000),
    "boosted_learning_rate": number(0.001, 1),
}

HUMAN_RULES: dict[str, Rule | dict[str, Rule]] = {  # of the default profile's stage and of the study at the paper's size
    "games": integer(100, 10_000_000),
    "held_out": number(0.01, 0.9),
    "depths": each(integer(1, 30), increasing=True),
    "memory_sizes": each(integer(1, 10_000_000), increasing=True),
    "neighbours": each(integer(1, 1000), increasing=True),
    "search_games": integer(10, 1_000_000),
    "rule_lines": integer(2, 12),
    "unseen_games": integer(10, 10_000_000),
}

SCHEMA: dict[str, Rule | dict[str, Rule]] = {
    "seed": integer(0, 2**32 - 1),
    "equity": {
        "example_hole": text(),
        "example_flop": text(),
    },
    "betting": {
        "preflop_sizes": SIZES,
        "flop_sizes": SIZES,
        "turn_sizes": SIZES,
        "river_sizes": SIZES,
    },
    "selfplay": {
        **GRIDS,
        "iterations": integer(1, 10_000_000),
        **DISCOUNT,
        "snapshots": each(integer(1, 10_000_000), increasing=True),
        "snapshot_boards": integer(2, 1_000_000),
        "exploitability_flops": integer(4, 22_100),
        "responder_sizes": RESPONDER_SIZES,
        "line_boards": integer(1, 1_000_000),
        "checkpoint_every": integer(1, 10_000_000),
    },
    "features": {
        "history": choice("opponent", "both", "both+seat"),
    },
    "distill": {
        "row_boards": integer(2, 1_000_000),
        "row_weights": choice("mistakes", "pot"),
        "value_boards": integer(1, 1_000_000),
        **ROUND_ROWS,
        "held_out": number(0.01, 0.9),
        "test_boards": integer(0, 1_000_000),
        "depths": each(integer(1, 30), increasing=True),
        "tree_min_rows": integer(1, 1_000_000),
        "oct_regrowths": each(integer(0, 1_000_000), least=4, most=4),
        "boosted_rows": integer(100, 100_000_000),
        **BOOSTED,
        "neural_rows": integer(100, 100_000_000),
        "neural_layers": integer(1, 100),
        "neural_width": integer(1, 8192),
        "neural_epochs": integer(1, 1000),
        "neural_batch": integer(1, 1_000_000),
        "neural_learning_rate": number(1e-6, 1),
    },
    "stand_in_betting": {
        "stand_in_preflop_sizes": SIZES,
        "stand_in_flop_sizes": SIZES,
        "stand_in_turn_sizes": SIZES,
        "stand_in_river_sizes": SIZES,
    },
    "stand_in": {
        "flop_groups": integer(1, 100_000),
        "turn_groups": integer(1, 100_000),
        "sampled_hands": integer(1, 100_000_000),
        "lloyd_steps": integer(1, 1000),
        "iterations": integer(2, 10_000_000),
        **DISCOUNT,
        "snapshot": integer(1, 10_000_000),
        "snapshot_boards": integer(2, 1_000_000),
        "checkpoint_every": integer(1, 10_000_000),
    },
    "head_to_head": {
        "match_boards": integer(2, 10_000_000),
        "subset_boards": integer(2, 10_000_000),
        "subset_holes": integer(2, 1081),
        "stand_in_boards": integer(2, 10_000_000),
        "threshold": number(0.001, 1),
        "threshold_boards": integer(2, 10_000_000),
        "played_games": integer(4, 1_000_000_000),
        "checked_games": integer(4, 1_000_000_000),
        "slumbot_hands": integer(0, 10_000_000),
    },
    "selfplay_time": {
        "row_boards": integer(1, 1_000_000),
        "rows_per_round": integer(100, 100_000_000),
        "cart_depth": integer(1, 30),
        "cart_min_rows": integer(1, 1_000_000),
        **BOOSTED,
        "match_boards": integer(2, 10_000_000),
        "played_games": integer(4, 1_000_000_000),
        "answered": each(integer(1, 10_000_000), increasing=True),
        "flops": integer(4, 22_100),
    },
    "strategy": {
        "small_depth": integer(1, 6),
        "picture_depth": integer(1, 6),
        "search_boards": integer(2, 1_000_000),
        "test_boards": integer(2, 1_000_000),
        "deepest": integer(2, 15),
        "bluff_share": number(0, 1),
        "bluff_equity": number(0, 1),
        "logical_share": number(0, 1),
        "walk_holes": each(text(), least=2, most=2),
        "walk_board": text(),
    },
    "exploitability": {
        "depths": each(integer(1, 30), increasing=True),
        "responder_sizes": RESPONDER_SIZES,
        "sweep_flops": integer(3, 22_100),
        "main_flops": integer(3, 22_100),
        "fidelity_boards": integer(2, 10_000_000),
        "lbr_boards": integer(2, 10_000_000),
    },
    "leduc": {
        "iterations": integer(1, 10_000_000),
        "checkpoints": each(integer(1, 10_000_000), increasing=True),
        "episodes": integer(1, 1_000_000_000),
        "evaluations": integer(2, 1000),
        "evaluation_games": integer(2, 10_000_000),
        "training_seeds": integer(2, 1000),
        "alphas": each(number(1e-6, 1), increasing=True),
        "gammas": each(number(0, 1), increasing=True),
        "epsilons": each(number(0, 1), increasing=True),
        "grid_seeds": integer(1, 1000),
        "search_depths": each(integer(0, 20), least=2, increasing=True),
        "search_games": integer(2, 10_000_000),
        "tree_depths": each(integer(1, 30), increasing=True),
        "tremble": number(0.001, 1),
        "card_parts": integer(1, 20),
        "card_restarts": integer(0, 10_000),
    },
    "human_rules": HUMAN_RULES
    | {
        "optimal_games": integer(10, 10_000_000),
        "optimal_depths": each(integer(1, 30), increasing=True),
        "optimal_min_rows": integer(1, 1_000_000),
        "optimal_regrowths": integer(0, 1000),
    },
    "overview": {},
}

STUDIES: dict[str, Rule | dict[str, Rule]] = {  # a section a study, not called as one of SCHEMA
    "human_rules_100k": HUMAN_RULES,
    "lbr": {
        "boards": integer(2, 10_000_000),
        "holes": integer(1, 1081),
        "flops": integer(3, 22_100),
    },
    "losses": {
        "row_boards": integer(2, 1_000_000),
        "value_boards": integer(1, 1_000_000),
        "round_rows": integer(100, 100_000_000),
        "tree_depths": each(integer(1, 30), increasing=True),
        "tree_min_rows": integer(1, 1_000_000),
        "oct_regrowths": integer(0, 1_000_000),
        "match_boards": integer(2, 10_000_000),
    },
    "history": {
        "row_boards": integer(5, 1_000_000),
        "value_boards": integer(1, 1_000_000),
        **ROUND_ROWS,
        "tree_share": number(0.001, 1),
        "tree_depths": each(integer(1, 30), increasing=True),
        "tree_min_rows": integer(1, 1_000_000),
        "oct_regrowths": each(integer(0, 1_000_000), least=4, most=4),
        "cost_weight": number(0, 1000),
        "curve_min_rows": integer(1, 1_000_000),
        "curve_shares": each(number(0.001, 1), increasing=True),
        "match_boards": integer(2, 10_000_000),
        "answered_depths": each(integer(1, 30), increasing=True),
        "answered_flops": integer(3, 22_100),
        "responder_sizes": RESPONDER_SIZES,
        "boosted_share": number(0.001, 1),
        **BOOSTED,
        "boosted_cost_weight": number(0, 1000),
        "neural_share": number(0.001, 1),
        "neural_layers": integer(1, 100),
        "neural_width": integer(1, 8192),
        "neural_epochs": integer(1, 1000),
        "neural_batch": integer(1, 1_000_000),
        "neural_learning_rate": number(1e-6, 1),
        "neural_cost_weight": number(0, 1000),
        "subset_boards": integer(2, 10_000_000),
        "subset_holes": integer(2, 1081),
    },
    "tuning": {
        "row_boards": integer(2, 1_000_000),
        "value_boards": integer(1, 1_000_000),
        "round_rows": integer(100, 100_000_000),
        "validation": number(0.01, 0.9),
        "tree_depths": each(integer(1, 30), increasing=True),
        "least_rows": each(integer(1, 1_000_000), increasing=True),
        "oct_regrowths": integer(0, 1_000_000),
        "boosted_depths": each(integer(1, 30), increasing=True),
        "boosted_rates": each(number(0.001, 1), increasing=True),
        "boosted_rounds": integer(1, 100_000),
        "neural_layers": each(integer(1, 100), increasing=True),
        "neural_widths": each(integer(1, 8192), increasing=True),
        "neural_epochs": integer(1, 1000),
    },
    "oct_trials": {
        "row_boards": integer(2, 1_000_000),
        "round_rows": integer(100, 100_000_000),
        "proof_rows": integer(10, 1_000_000),
        "proof_regrowths": integer(0, 1_000_000),
        "proof_restarts": integer(1, 1000),
        "trial_rows": each(integer(100, 100_000_000), increasing=True),
        "trial_seed": integer(0, 2**31),
        "trial_depth": integer(1, 30),
        "trial_min_rows": each(integer(1, 1_000_000), increasing=True),
        "trial_criteria": each(choice("agreement", "brier", "log")),
        "trial_regrowths": integer(0, 1_000_000),
        "warm_depths": each(integer(1, 30), increasing=True),
        "warm_min_rows": integer(1, 1_000_000),
    },
    "opponents": {
        "trained": each(integer(2, 10_000_000), increasing=True),
        "keep_every": integer(1, 10_000_000),
        "boards": integer(2, 10_000_000),
    },
    "long_matches": {
        "games": integer(4, 1_000_000_000),
        "block_games": integer(2, 1_000_000_000),
    },
    "representation": {
        "shared_history": choice("opponent", "both", "both+seat"),
        "iterations": integer(1, 10_000_000),
        **DISCOUNT,
        "share_every": integer(1, 1_000_000),
        "row_boards": integer(2, 1_000_000),
        "value_boards": integer(1, 1_000_000),
        "round_rows": integer(100, 100_000_000),
        "tree_depths": each(integer(1, 30), increasing=True),
        "tree_min_rows": integer(1, 1_000_000),
        "oct_regrowths": integer(0, 1_000_000),
        "match_boards": integer(2, 10_000_000),
        **GRIDS,
    },
    "discounting": {
        "sizes": SIZES,
        "alphas": each(number(0, 10)),
        "betas": each(number(-10, 10)),
        "gammas": each(number(0, 10)),
        "epochs": each(integer(1, 1_000_000)),
        "iterations": integer(1, 10_000_000),
        "seeds": integer(2, 1000),
        "match_boards": integer(2, 1_000_000),
        "flops": integer(4, 22_100),
        **GRIDS,
    },
}
