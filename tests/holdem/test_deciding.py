"""The conditions that decide: the fewest by trying all, true of the hand, and enough; measured on
200 spots of the agents' own play.
"""

import re
from itertools import combinations

import numpy as np
import pytest
from questions import random_betting
from random_trees import random_tree

from faceup.cards.cards import BOARD_CARDS, card_text, parse_cards
from faceup.cards.features import feature_names
from faceup.holdem.agents import load_agent
from faceup.holdem.betting_lines import state_after
from faceup.holdem.deciding import ENOUGH, MOST, deciding
from faceup.holdem.policy import legal_probabilities
from faceup.holdem.showdown import free_holes
from faceup.holdem.wording import merged, path_steps
from faceup.papers.hunl.hands import self_play
from faceup.trees.tree import DecisionTree, leaf_of
from faceup.util.paths import ROOT

NAMES = ("equity", "turn_equity_p50", "river_equity_p50", "opponent_bet_flop", "bet_faced")
LEGAL = np.array([1, 2, 3])  # nothing to fold to


@pytest.mark.parametrize("seed", range(20))
def test_the_fewest_conditions_that_are_enough(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, 40, len(NAMES), 4)
    hands = rng.normal(size=(400, len(NAMES))).astype(np.float32)
    hands[:, 3:] = hands[0, 3:]  # the betting is given
    x = hands[0]
    found = deciding(tree, NAMES, x, hands, LEGAL)
    likeliest = legal_probabilities(tree.predict(hands), LEGAL).argmax(axis=1)
    path = merged(path_steps(tree, NAMES, int(leaf_of(tree, x[None])[0])))

    def share(ranges):
        met = np.ones(len(hands), dtype=bool)
        for name, (low, high) in ranges.items():
            column = hands[:, NAMES.index(name)]
            met &= (column > low) & (column <= high)
        return (likeliest[met] == likeliest[0]).mean(), met.sum()

    assert len(found.ranges) <= MOST
    for name, (low, high) in found.ranges.items():  # true of the hand, and asked by the path
        assert low < x[NAMES.index(name)] <= high
        assert low in (-np.inf, path[name][0]) and high in (np.inf, path[name][1])
    hand = {name: limits for name, limits in found.ranges.items() if "equity" in name}
    assert share(hand) == (found.same / found.met, found.met)
    limits = [
        (name, limit, above)
        for name, (low, high) in path.items()
        for limit, above in ((low, True), (high, False))
        if np.isfinite(limit) and "equity" in name
    ]
    n = sum(np.isfinite(limit) for pair in hand.values() for limit in pair)
    if found.same / found.met >= ENOUGH:  # no fewer are, and as many hold for no more hands
        fewer = [c for k in range(n) for c in combinations(limits, k)]
        assert all(share(merged(chosen))[0] < ENOUGH for chosen in fewer)
        shares = [share(merged(chosen)) for chosen in combinations(limits, n)]
        assert found.met == max(met for part, met in shares if part >= ENOUGH)


def test_a_question_about_bets_is_told_where_it_decides():
    """With the weakest hands the tree folds to bets above 200 alone; the others always call."""
    tree = DecisionTree(
        feature=np.array([0, 3, -1, -1, -1], dtype=np.int32),
        threshold=np.array([0.4, 200, 0, 0, 0], dtype=np.float32),
        left=np.array([1, 2, -1, -1, -1], dtype=np.int32),
        right=np.array([4, 3, -1, -1, -1], dtype=np.int32),
        value=np.array([[0, 1, 0, 0]] * 3 + [[1, 0, 0, 0], [0, 1, 0, 0]], dtype=np.float32),
        weight=np.array([10.0, 4, 1, 3, 6]),
    )
    hands = np.zeros((10, len(NAMES)), dtype=np.float32)
    hands[:, 0] = np.arange(10) / 10
    for bet, told in ((200, (-np.inf, 200)), (201, (200, np.inf))):
        hands[:, 3] = bet
        weak, strong = (deciding(tree, NAMES, hands[k], hands, np.arange(4)) for k in (3, 7))
        assert weak.ranges["opponent_bet_flop"] == told
        assert (weak.met, weak.same) == ((5, 5) if bet > 200 else (10, 10))
        assert strong.ranges == ({"equity": (np.float32(0.4), np.inf)} if bet > 200 else {})


def shown_numbers(text: str) -> list[float]:
    """The numbers in a reason, without how many cards in ten it speaks of."""
    text = re.sub(r"\d+ (\w+ )?in 10", "", text)
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", text)]


@pytest.mark.parametrize("name", ["oct", "oct_x", "cart", "retrained_oct"])
def test_the_reasons_of_two_hundred_spots(equities, name):
    """Fifty of each round, from hands of the agent with itself: four lines at most, and three in
    three of four; the same likeliest action with 90 % of the hands that meet them, but for two of
    the spots; no line that always holds, or that rounding contradicts.
    """
    file, rng = ROOT / "reports/agents" / f"{name}.json", np.random.default_rng(3)
    agent = load_agent(file, equities)
    spots = dict[int, list](zip(BOARD_CARDS, ([], [], [], []), strict=True))
    while min(map(len, spots.values())) < 50:
        cards = "".join(map(card_text, rng.permutation(52)[:9].tolist()))
        for one in self_play(agent, [cards[:4], cards[4:8]], cards[8:], rng)[1]:
            spots[len(one.board) // 2].append((one.hole, one.board, one.betting))
    lines, shares = [], []
    for street, found in enumerate(spots.values()):
        names = feature_names(street, agent.feature_set)
        states = [state_after(random_betting(rng, street)) for _ in range(200)]
        for spot in found[:50]:
            public = parse_cards(spot[1])
            holes = np.flatnonzero(free_holes(public))
            hands = agent.features(holes, public, [state_after(spot[2])])
            bettings = agent.features(holes[:1], public, states)
            decided, why = agent.deciding(*spot)
            lines.append(len(why))
            shares.append(decided.same / decided.met)
            for text, (feature, (low, high)) in zip(why, decided.ranges.items(), strict=True):
                cases = hands if "equity" in feature else bettings
                column = cases[:, names.index(feature)]
                assert not ((column > low) & (column <= high)).all(), (spot, text)
                if "(here" in text:
                    *limits, value = shown_numbers(text)
                    bounds = [limit for limit in (low, high) if np.isfinite(limit)]
                    for limit, bound in zip(limits, bounds, strict=True):
                        assert value > limit if bound == low else value <= limit, (spot, text)
    assert max(lines) <= MOST and np.mean(np.array(lines) <= 3) >= 0.75
    assert np.mean(np.array(shares) >= ENOUGH) >= 0.99
