"""Regret matching (Zinkevich et al. 2007) in kernels: actions in proportion to positive regrets.

How the regrets of an infoset lie, and in which order they are summed, differs from engine to engine
(`cfr`, `cfr_river`, `infosets`); the probability of one action does not.
"""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")  # where the total is 0 the quotient is not used
def matching_probability(regret, total, n_actions):
    """Probability of an action: max(regret, 0) / total, where the positive regrets of its n_actions
    sum to total; even at 0.
    """
    return (
        max(regret, np.float32(0)) / total if total > 0 else np.float32(1) / np.float32(n_actions)
    )
