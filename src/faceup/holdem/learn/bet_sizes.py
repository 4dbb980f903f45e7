"""How an agent answers bets of any size: asked by text lines, from a tenth of the pot to all-in.

Who folds to a bet should not call a larger one with the same hand. A model that has learnt from a few sizes may.
"""

from collections.abc import Sequence

import numpy as np

from faceup.holdem.betting.betting_tree import legal_raises, pot_and_call
from faceup.holdem.betting.notation import longer, state_after
from faceup.holdem.solve.policy import Agent


def bet_sizes(betting: str, n: int = 25) -> list[int]:
    """Dollars of up to n bets after a line, even in their ratios: from a tenth of the pot, or the least bet, to all-in."""
    state = state_after(betting)
    (pot, _), (least, most) = pot_and_call(state), legal_raises(state)
    return sorted({round(size) for size in np.geomspace(max(least, pot / 10), most, n)})


def continuing(agent: Agent, holes: np.ndarray, board: Sequence[int], betting: str, bets: Sequence[int]) -> np.ndarray:
    """The chance that holes (n,) do not fold to each of some bets, in dollars, after a line; (n, n_bets) float64."""
    state, found = state_after(betting), []
    for bet in bets:
        line = longer(betting, state, ("raise", bet))
        fold = list(agent.legal(line)).index("fold")
        found.append(1 - agent.probabilities(holes, board, line)[:, fold])
    return np.stack(found, axis=1)


def largest_rises(chances: np.ndarray) -> np.ndarray:
    """How much each hand's chances (n, n_bets) rise at most from one bet to the next larger, (n,); 0 where they fall."""
    return np.diff(chances, axis=1).max(axis=1, initial=0)
