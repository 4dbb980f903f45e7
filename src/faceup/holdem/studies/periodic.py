"""The network with numbers of the hand as waves, for functions with many steps (Gorishniy, Rubachev & Babenko 2022).

The self-play table sees hands in cells: its answer jumps where an equity passes from one to the next, and on the river each of
the 1,981 equities has an answer of its own. A network fed the plain number learns a smooth curve first and steps last (Rahaman
et al. 2019, "On the spectral bias of neural networks"). "On embeddings for numerical features in tabular deep learning" puts
sines and cosines of the number beside it, at several frequencies; here these are fixed octaves. Nothing is told that the number
does not tell, so that the network still learns from the features of paper 000, Section 2.2.
"""

from typing import NamedTuple

import numpy as np

from faceup.holdem.learn.neural import Neural, fit_neural
from faceup.trees.metrics import check_range, checked_features

EQUITY_OCTAVES = 10  # the finest wave of an equity is as long as two steps of 1/1024; equities of the river are 1/1980 apart
DECILE_OCTAVES = 5  # deciles of later equities: the table's cells for them are 1/10 wide


class PeriodicNeural(NamedTuple):
    """A network that is fed waves beside its features."""

    net: Neural
    n_bets: int  # of the features, the last ones, that are dollars and get no waves

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) float32 of rows X (n, f), on one thread; raises ValueError on X of another width."""
        return self.net.predict(with_waves(X, self.n_bets))


def with_waves(X: np.ndarray, n_bets: int) -> np.ndarray:
    """Rows X (n, f) float32 with sines and cosines of the hand's numbers before them, (n, more) float32.

    The last n_bets features get none; the first, the equity, has EQUITY_OCTAVES, each other DECILE_OCTAVES. Octave k is of
    frequency 2^k, for numbers from 0 to 1. Raises ValueError on features that are not finite, and where n_bets leaves none.
    """
    X = checked_features(X)
    check_range("n_bets", n_bets, 0, X.shape[1] - 1)
    turns = [X[:, :1] * _frequencies(EQUITY_OCTAVES)]
    turns += [X[:, [k]] * _frequencies(DECILE_OCTAVES) for k in range(1, X.shape[1] - n_bets)]
    angle = np.float32(2 * np.pi) * np.concatenate([t % 1 for t in turns], axis=1)
    return np.concatenate([np.sin(angle), np.cos(angle), X], axis=1)


def _frequencies(octaves: int) -> np.ndarray:
    return np.exp2(np.arange(octaves), dtype=np.float32)


def fit_periodic(X: np.ndarray, P: np.ndarray, w: np.ndarray, *, n_bets: int, **settings) -> PeriodicNeural:
    """`fit_neural` on X with its waves; arguments, and errors, as there."""
    return PeriodicNeural(fit_neural(with_waves(X, n_bets), P, w, n_bets=n_bets, **settings), n_bets)
