"""Long matches: the blocks are those of single matches, and those that are there are not played again."""

import numpy as np
import pytest
from random_tables import random_table

from faceup.holdem.betting.betting_tree import CALL
from faceup.holdem.play.aivat import scored_match
from faceup.holdem.solve.policy import FixedPolicy
from faceup.holdem.studies.long_match import digest, long_match


def test_a_stopped_match_goes_on(tables, groups, sides, tmp_path):
    agent, opponent = random_table(sides.own[0], groups, 1), FixedPolicy(sides.own[1], CALL)
    first = long_match(tmp_path, "match", sides, agent, opponent, tables, 200, 200, 5)
    written = {path: path.read_bytes() for path in tmp_path.iterdir()}
    told = []
    whole = long_match(tmp_path, "match", sides, agent, opponent, tables, 500, 200, 5, told.append)
    assert told == [200, 400, 500] and whole.shape == (300, 2)  # whole blocks
    assert np.array_equal(whole[:100], first) and all(path.read_bytes() == was for path, was in written.items())
    expected = [scored_match(sides, agent, opponent, tables, 200, 5 + k)[1] for k in range(3)]
    assert np.array_equal(whole, np.concatenate(expected))
    with pytest.raises(ValueError, match="block is 1, expected from 2 to the 200 games"):
        long_match(tmp_path, "match", sides, agent, opponent, tables, 200, 1, 5)


def test_another_player_has_another_name(tmp_path):
    path = tmp_path / "agent"
    path.write_text("one")
    names = {digest([path], 1), digest([path], 2)}
    path.write_text("two")
    assert len(names | {digest([path], 1)}) == 3
