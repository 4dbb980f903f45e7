"""How long optimal trees take: four rounds to depth 15, a million rows in all, by a new process on two threads.

Rows are drawn at random with as many features and distinct values as those of self-play: the work of sweeps and
regrowths depends on those and on how soon searches stop gaining, which a test on rows of self-play takes much like it.
"""

import json
import subprocess
import sys

from report import record

ROWS = 250_000  # a round
FEATURES = (35, 25, 15, 5)
SCRIPT = f"""
import json, resource
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
import numpy as np
from faceup.trees.oct import fit_oct
from faceup.trees.decision_tree import n_leaves

def rows(n, n_features):
    rng = np.random.default_rng(n_features)
    quality = rng.random((n, 1))
    X = quality + rng.normal(size=(n, n_features - 4)) * np.linspace(0.05, 0.5, n_features - 4)
    bets = rng.choice([0, 100, 300, 900, 2700, 20000], size=(n, 4))
    four = -4 * X[:, 0], bets[:, 0] / 5000 - X[:, -1], 3 * X[:, 0] * (bets[:, 1] > 500), 6 * quality[:, 0] - 4
    logits = np.stack(four, axis=1)
    P = np.exp(2 * logits + rng.normal(size=(n, 4)))
    X = np.concatenate([X, bets], axis=1).astype(np.float32)
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n)

def fit(n_features, n):
    return fit_oct(*rows(n, n_features), max_depth=15, min_rows=20, seed=0)

fit(5, 1000)  # compiles
start = perf_counter()
with ThreadPoolExecutor(2) as pool:
    trees = list(pool.map(lambda f: fit(f, {ROWS}), {FEATURES}))
seconds = perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, [n_leaves(t) for t in trees]]))
"""


def test_optimal_trees() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    seconds, peak, leaves = json.loads(done.stdout)
    values = {
        "seconds_per_million_rows": round(seconds * 1e6 / (ROWS * len(FEATURES)), 1),
        "peak_rss_gb": round(peak, 2),
        "rows": ROWS * len(FEATURES),
        "depth": 15,
        "threads": 2,
        "leaves": leaves,
    }
    record("oct", values)
    assert min(leaves) > 1000
