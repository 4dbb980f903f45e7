"""Answers to bets of any size: a function whose answers are known, asked as agents are."""

import numpy as np

from faceup.cards.cards import parse_cards
from faceup.holdem.agents import FunctionAgent
from faceup.holdem.branches import bet_sizes, continuing, largest_rises
from faceup.holdem.lines import state_after
from faceup.holdem.rules import menu_from

BOARD = parse_cards("Kh3sJc7d7c")
LINE = "b300c/b900c/kk/"  # $2,400 in the pot


def test_sizes_run_from_a_tenth_of_the_pot_to_all_in():
    sizes = bet_sizes(LINE)
    assert len(sizes) == 25 and sizes[0] == 240 and sizes[-1] == 18_800
    ratios = np.array(sizes[1:]) / sizes[:-1]
    assert ratios.max() / ratios.min() < 1.01
    assert bet_sizes("b300c/", 3) == [100, 1404, 19_700]  # the least bet is a big blind


def test_rises_by_hand():
    """Who calls $500 half of the time, $1,000 never, all else always, and raises half of what he goes on with."""

    def answer(hole, board, betting):
        to = state_after(betting).bets[1][3]
        go_on = {500: 0.5, 1000: 0}.get(to, 1)
        return {"fold": 1 - go_on, "call": go_on / 2, "all_in": go_on / 2} if go_on else {"fold": 1}

    agent = FunctionAgent(answer, menu_from([[1]], [[1]], [[1]], [[1]]))
    chances = continuing(agent, np.array([700, 1000]), BOARD, LINE, [240, 500, 1000, 1500, 18_800])
    assert chances.tolist() == [[1, 0.5, 0, 1, 1]] * 2
    assert largest_rises(chances).tolist() == [1, 1]
    assert largest_rises(chances[:, :3]).tolist() == [0, 0]
