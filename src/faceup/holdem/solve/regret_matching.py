"""Regret matching (Zinkevich et al. 2007) for compiled training in hold'em; `reference.match` is the same to be read.

`solve/river` writes it out, for many subtrees side by side: a call there takes twice as long.
"""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")  # where the total is 0 the quotient is not used
def matched(regret, total, n_actions):
    """Probability of an action: max(regret, 0) / total, where the positive regrets of its n_actions sum to total; even at 0."""
    return max(regret, np.float32(0)) / total if total > 0 else np.float32(1) / np.float32(n_actions)
