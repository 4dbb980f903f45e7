"""Blocks of solved games: the same whether solved, read, resumed or asked for in other numbers."""

import numpy as np
import pytest

from faceup.onecard import solved_games as module
from faceup.onecard.solved_games import random_games, solved_games


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 20)
    monkeypatch.setattr(random_games, "__defaults__", (20,))


def same(a, b) -> bool:
    return all((x == y).all() for x, y in zip(a, b, strict=True))


def test_read_resumed_and_longer_runs_give_the_same_games(tmp_path):
    whole = solved_games(tmp_path / "a", 50, seed=1)
    assert len(whole.value) == 50 and len(list((tmp_path / "a").iterdir())) == 3
    assert same(solved_games(tmp_path / "a", 50, seed=1), whole)
    solved_games(tmp_path / "b", 30, seed=1)  # stopped early
    assert same(solved_games(tmp_path / "b", 50, seed=1), whole)


def test_finished_blocks_are_not_solved_again(tmp_path, monkeypatch):
    solved_games(tmp_path, 40, seed=1)
    monkeypatch.setattr(module, "solve_games", lambda *games: pytest.fail("solved again"))
    told = []
    solved_games(tmp_path, 35, seed=1, progress=told.append)
    assert told == [20, 35]


@pytest.mark.parametrize("harm", ["cut short", "of another seed"])
def test_a_block_that_is_unsound_is_solved_again(tmp_path, harm, capsys):
    whole = solved_games(tmp_path / "a", 40, seed=1)
    path = tmp_path / "a" / "block-00001.npz"
    if harm == "cut short":
        path.write_bytes(path.read_bytes()[:2000])
    else:
        solved_games(tmp_path / "b", 40, seed=2)
        path.write_bytes((tmp_path / "b" / path.name).read_bytes())
    assert same(solved_games(tmp_path / "a", 40, seed=1), whole)
    assert "block-00001.npz is solved again: " in capsys.readouterr().err


def test_seeds_and_tags_have_games_of_their_own():
    games = [random_games(seed, tag)[0] for seed, tag in ((1, 0), (1, 1), (2, 0))]
    assert len({x.tobytes() for x in games}) == 3
    assert not np.isin(games[0], random_games(1, 0)[1]).any()


@pytest.mark.parametrize("games", [0, -1, 10**12])
def test_numbers_of_games_that_are_refused(tmp_path, games):
    with pytest.raises(ValueError, match=f"games is {games}: expected 1 to"):
        solved_games(tmp_path, games, seed=1)
