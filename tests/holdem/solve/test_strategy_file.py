"""A strategy comes back as it was saved, and a file that is not one is refused by name."""

import numpy as np
import pytest
from games import PUSH

from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.holdem.solve.selfplay import average_strategy
from faceup.holdem.solve.strategy_file import load_strategy, save_strategy

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
    again = tmp_path / "again.npz"
    save_strategy(again, back)
    assert again.read_bytes() == path.read_bytes()


def with_value(table, value):
    table = table.copy()
    table[1, 0] = value
    return table


OTHER_MENU = r"turn is float32 of shape \(3, 7\), expected float32 of \(3, 8\): is it of other betting parameters"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: {"river": None}, r"s\.npz: holds no river, expected"),
        (lambda s: {"turn": s.tables[2][:, 1:]}, OTHER_MENU),
        (lambda s: {"flop": s.tables[1].astype(float)}, "flop is float64 of shape"),
        (lambda s: {"flop": with_value(s.tables[1], np.nan)}, "flop holds nan, expected probabilities from 0 to 1"),
        (lambda s: {"flop": with_value(s.tables[1], -0.1)}, "flop holds -0.1.*, expected probabilities"),
        (lambda s: {"preflop": s.tables[0] * np.float32(0.998)}, "'', group .*: probabilities sum to 0.998"),
        (lambda s: {"river": s.tables[3] * np.float32(0.998)}, "river, after 'call, call / .*sum to 0.998"),
        (lambda s: {"n_groups": np.array([168, 4, 3, 1981])}, r"n_groups is \[168, 4, 3, 1981\], expected"),
        (lambda s: {"n_groups": np.array([169, 3, 3, 1981])}, "groups_flop holds groups from -1 to 3, expected"),
        (lambda s: {"groups_turn": s.groups.turn[1:]}, r"groups_turn is int32 of shape \(16431, 1326\), expected"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, strategy, change, message):
    path = tmp_path / "s.npz"
    save_strategy(path, strategy)
    arrays = dict(np.load(path)) | change(strategy)
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(ValueError, match=message) as error:
        load_strategy(path, PUSH)
    assert str(error.value).startswith("s.npz: ")


def test_sums_may_be_off_by_rounding(tmp_path, strategy):
    save_strategy(tmp_path / "s.npz", strategy._replace(tables=tuple(t * np.float32(0.9995) for t in strategy.tables)))
    load_strategy(tmp_path / "s.npz", PUSH)


def test_no_file_and_no_npz(tmp_path):
    with pytest.raises(ValueError, match=r"none\.npz: there is no such file, expected what self-play saves"):
        load_strategy(tmp_path / "none.npz", PUSH)
    for content in (b"", b"text", b"PK\x03\x04"):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(ValueError, match=r"bad\.npz: cannot be read .*expected what self-play saves"):
            load_strategy(tmp_path / "bad.npz", PUSH)
