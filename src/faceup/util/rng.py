"""Random streams named by words, so that two uses of one seed never draw the same numbers by
accident.
"""

import hashlib
from collections.abc import Callable

import numpy as np

# partial(rng, seed, words): `stream()`, or `stream(k)` for what is drawn by number
Stream = Callable[..., np.random.Generator]


def rng(seed: int, stream: str, k: int | None = None) -> np.random.Generator:
    """The generator of a named stream, such as rng(seed, "robust/turn boards", k) for the k-th of
    its boards.

    All three are hashed together, since default_rng([seed, k, 0]) of numpy is default_rng([seed,
    k]).
    """
    words = f"{int(seed)} {'' if k is None else int(k)} {stream}"
    return np.random.default_rng(
        np.frombuffer(hashlib.sha256(words.encode()).digest(), dtype="<u4")
    )
