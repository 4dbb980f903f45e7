"""The small blind's first action with each starting hand (paper 000, Fig. 6)."""

from collections.abc import Mapping

import numpy as np

from faceup.cards.cards import CLASS_NAMES, COMBOS

_SUITED = np.array([name.endswith("s") for name in CLASS_NAMES])

# by action, its percentage with each of the 169 starting hands
Chart = Mapping[str, np.ndarray]


def of_all_hands(chart: Chart) -> dict[str, float]:
    """The percentage of each action over all hands dealt."""
    return {action: float(COMBOS @ share / COMBOS.sum()) for action, share in chart.items()}


def opening_summary(chart: Chart, reference: Chart) -> dict[str, float]:
    """What the paper says of its chart, and the largest distance from another one, in points.

    A hand is *mostly folded* if folding is more frequent than all else together, *folded by argmax*
    if no action is more frequent.
    """
    fold, most = chart["fold"], np.max([*chart.values()], axis=0)
    shares = of_all_hands(chart).items()
    return {f"{action.replace('-', '_')}_percent": share for action, share in shares} | {
        "suited_folded_percent": float(COMBOS[_SUITED] @ fold[_SUITED] / COMBOS[_SUITED].sum()),
        "hands_mostly_folded": int((fold > 50).sum()),
        "suited_folded_by_argmax": int((_SUITED & (fold >= most)).sum()),
        "T3o_folded_percent": float(fold[CLASS_NAMES.index("T3o")]),
        "farthest_from_blueprint_points": max(
            float(np.abs(chart[action] - reference[action]).max()) for action in chart
        ),
        "suited_most_folded_percent": float(fold[_SUITED].max()),
    }
