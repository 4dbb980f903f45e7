"""A strategy comes back as it was saved, and a file that is not one is refused by name."""

import numpy as np
import pytest
from games import PUSH

from faceup.holdem.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.policy import TablePolicy, load_strategy, save_strategy
from faceup.holdem.selfplay import average_strategy

N_GROUPS = (169, 4, 3, N_RIVER_GROUPS)


@pytest.fixture(scope="module")
def strategy():
    widths = np.diff(PUSH.street_start)
    sums = tuple(np.random.default_rng(s).random((n, widths[s]), dtype=np.float32) for s, n in enumerate(N_GROUPS))
    ids = [np.random.default_rng(n).integers(-1, n, (boards, 1326), np.int32) for boards, n in ((1755, 4), (16432, 3))]
    return TablePolicy(average_strategy(PUSH, sums), Groups(*ids, N_GROUPS))


def test_it_comes_back(tmp_path, strategy):
    path = tmp_path / "new" / "strategy.npz"
    save_strategy(path, strategy)
    back = load_strategy(path, PUSH)
    assert back.groups.n_groups == N_GROUPS and all(type(n) is int for n in back.groups.n_groups)
    for one, two in zip((*strategy.tables, *strategy.groups[:2]), (*back.tables, *back.groups[:2]), strict=True):
        assert one.dtype == two.dtype and np.array_equal(one, two)


def test_a_file_of_another_tree_is_named(tmp_path, strategy):
    tables = (*strategy.tables[:2], strategy.tables[2][:, 1:], strategy.tables[3])
    save_strategy(tmp_path / "s.npz", strategy._replace(tables=tables))
    with pytest.raises(ValueError, match=r"s.npz: turn has shape \(3, 7\), expected \(3, 8\): of other betting parameters"):
        load_strategy(tmp_path / "s.npz", PUSH)
