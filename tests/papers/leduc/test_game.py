"""Leduc: counts of the literature, and the game of OpenSpiel (of RLCard: test_training)."""

import numpy as np
import pytest

from faceup.games.extensive_game import END
from faceup.papers.leduc.game import (
    LITERATURE,
    RLCARD,
    build,
    initial_state,
    legal_actions,
    next_state,
    winnings,
)


def test_deals_and_nodes():
    """24 rank deals of 61 ends in RLCard's game; 1,374 ends if the public card were dealt late."""
    leduc = build(RLCARD)
    game = leduc.game
    assert len(leduc.deals) == 24
    assert (np.diff(leduc.deal_start) == (len(game.player) - 1) // 24).all()
    assert game.chance[leduc.deal_start[:-1]].sum() == pytest.approx(1)
    assert game.chance[leduc.deal_start[leduc.deals.index((0, 0, 1))]] == pytest.approx(
        2 * 1 * 2 / 120
    )
    ends = np.flatnonzero(game.player[: leduc.deal_start[1]] == END)
    early = sum(game.names[game.infoset[game.parent[e]]].count("/") == 0 for e in ends)
    assert len(ends) == 61 and 9 * early + 24 * (61 - early) == 1374


def test_open_spiel_has_the_same_rules():
    """Legal actions, who is to act, and payoffs of the literature's game, over random games."""
    pyspiel = pytest.importorskip("pyspiel")
    words = {"Fold": "fold", "Call": "call", "Raise": "raise"}
    spiel, rng = pyspiel.load_game("leduc_poker"), np.random.default_rng(2)
    for _ in range(300):
        theirs, ours, cards = spiel.new_initial_state(), initial_state(LITERATURE), []
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                card, chance = zip(*theirs.chance_outcomes(), strict=True)
                cards.append(int(rng.choice(card, p=chance)))
                theirs.apply_action(cards[-1])
                continue
            assert theirs.current_player() == ours.player
            named = {
                words[theirs.action_to_string(ours.player, a)]: a for a in theirs.legal_actions()
            }
            allowed = legal_actions(LITERATURE, ours)
            assert set(named) == {"call" if a == "check" else a for a in allowed}
            action = str(rng.choice(allowed))
            theirs.apply_action(named["call" if action == "check" else action])
            ours = next_state(LITERATURE, ours, action)
        assert ours.over
        deal = tuple(card // 2 for card in [*cards, 0][:3])
        assert theirs.returns()[0] == winnings(LITERATURE, ours, deal)
