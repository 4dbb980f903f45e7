"""Benchmarks are files bench_*.py: plain `pytest` collects none of them, `make bench` runs all."""

import sys
from pathlib import Path

import pytest

from faceup.holdem.solve.groups import Grid, Groups, make_groups
from faceup.lab.parameters import load_parameters

sys.path.insert(0, str(Path(__file__).parent))  # for `from report import record`


@pytest.fixture(scope="session")
def groups(tables) -> Groups:
    """The groups of the default profile."""
    knobs, keys = load_parameters()["selfplay"], ("equity_cells", "decile_cells", "deciles")
    grids = [Grid(*(knobs[f"{street}_{key}"] for key in keys)) for street in ("flop", "turn")]
    return make_groups(tables[1], tables[2], *grids)
