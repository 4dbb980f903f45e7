"""Small poker games with one description: Leduc hold'em by RLCard's and by the literature's rules,
and Kuhn poker.

Paper 001 plays RLCard's; the literature's are of Southey et al. (2005), Kuhn's of 1950. Player 0 is
the first to act, in RLCard's game the small blind. All cards count as dealt at the start, the
public card too, though it is seen only later: the game is then one betting tree that is repeated
for each deal, and a deal's nodes are neighbours. Cards of the same rank are one.
"""

from collections import Counter
from itertools import permutations
from typing import NamedTuple

import numpy as np

from faceup.games.extensive_game import Game, GameBuilder
from faceup.games.sequence_form import Form, make_form

CALL, RAISE, FOLD, CHECK = LABELS = ("call", "raise", "fold", "check")  # in RLCard's order
LETTER = {CALL: "c", RAISE: "r", FOLD: "f", CHECK: "k"}  # of each action in a line
NO_CARD = -1


class Rules(NamedTuple):
    """What makes a small poker game."""

    ranks: str  # the lowest first
    suits: int
    blinds: tuple[int, int]  # chips that players 0 and 1 put in before the cards
    # chips by which a raise raises, one number a round; after round 1 a public card is shown
    raises: tuple[int, ...]
    most_raises: int  # a round
    free_fold: bool  # whether folding is allowed where checking is free
    fixed_opener: bool  # whether player 0 opens the later round, or the one after the last to act
    unit: float  # chips in the unit of payoffs


RLCARD = Rules("JQK", 2, (1, 2), (2, 4), 2, free_fold=True, fixed_opener=False, unit=2.0)
LITERATURE = Rules("JQK", 2, (1, 1), (2, 4), 2, free_fold=False, fixed_opener=True, unit=1.0)
KUHN = Rules("JQK", 1, (1, 1), (1,), 1, free_fold=False, fixed_opener=True, unit=1.0)


class LeducState(NamedTuple):
    """What the rules need to know of a betting line; nothing in it depends on cards."""

    line: tuple[str, ...]  # actions so far, one text a round: c call, r raise, f fold, k check
    player: int
    chips: tuple[tuple[int, ...], tuple[int, ...]]  # put in by each player in each round
    raises: int  # in this round
    raiser: int  # who raised last in the round before, -1 if nobody
    folded: int  # who has folded, -1 if nobody
    over: bool

    @property
    def round(self) -> int:
        """0, or 1 once the public card is shown."""
        return len(self.line) - 1


class Situation(NamedTuple):
    """What the player to act knows: an infoset."""

    own: int  # rank of the own card
    public: int  # rank of the public card, NO_CARD in round 0
    state: LeducState


class Leduc(NamedTuple):
    """A small poker game as a tree, and what its infosets mean."""

    rules: Rules
    game: Game
    form: Form
    situations: tuple[Situation, ...]  # one an infoset
    deals: tuple[tuple[int, ...], ...]  # ranks of player 0's, player 1's and the public card
    deal_start: np.ndarray  # (n_deals + 1,) int32: nodes of each deal


def start(rules: Rules) -> LeducState:
    """Blinds are in, nobody has acted."""
    rest = (0,) * (len(rules.raises) - 1)
    return LeducState(
        ("",), 0, ((rules.blinds[0], *rest), (rules.blinds[1], *rest)), 0, -1, -1, False
    )


def legal(rules: Rules, state: LeducState) -> tuple[str, ...]:
    """Actions of the player to act, in the order of LABELS."""
    facing = state.chips[1 - state.player][state.round] > state.chips[state.player][state.round]
    allowed = {
        CALL: facing,
        RAISE: state.raises < rules.most_raises,
        FOLD: facing or rules.free_fold,
        CHECK: not facing,
    }
    return tuple(label for label in LABELS if allowed[label])


def next_state(rules: Rules, state: LeducState, action: str) -> LeducState:
    """The state after a legal action."""
    now, other = state.round, 1 - state.player
    line = (*state.line[:-1], state.line[-1] + LETTER[action])
    if action == FOLD:
        return state._replace(line=line, folded=state.player, over=True)
    to = max(p[now] for p in state.chips) + (rules.raises[now] if action == RAISE else 0)
    own = tuple(to if r == now else c for r, c in enumerate(state.chips[state.player]))
    chips = (own, state.chips[1]) if state.player == 0 else (state.chips[0], own)
    after = state._replace(
        line=line, player=other, chips=chips, raises=state.raises + (action == RAISE)
    )
    if action == RAISE or len(line[-1]) == 1:  # a first call or check leaves the round open
        return after
    if now == len(rules.raises) - 1:
        return after._replace(over=True)
    raiser = -1 if "r" not in line[-1] else other  # whoever calls last has been raised by the other
    opener = 0 if rules.fixed_opener else other
    return after._replace(line=(*line, ""), player=opener, raises=0, raiser=raiser)


def winnings(rules: Rules, state: LeducState, deal: tuple[int, ...]) -> float:
    """What player 0 wins at the end of a line, in the rules' unit: a pair with the public card
    wins, else the higher rank.
    """
    put = [sum(chips) for chips in state.chips]
    if state.folded >= 0:
        return (-put[0] if state.folded == 0 else put[1]) / rules.unit
    pair = [len(deal) > 2 and deal[p] == deal[2] for p in range(2)]
    sign = int(np.sign((pair[0] - pair[1]) * len(rules.ranks) + deal[0] - deal[1]))
    return sign * put[0] / rules.unit


def name_of(rules: Rules, seen: Situation) -> str:
    """Such as "K:cr" or "KJ:cr/k": own card, public card, actions of each round."""
    public = rules.ranks[seen.public] if seen.public >= 0 else ""
    return f"{rules.ranks[seen.own]}{public}:{'/'.join(seen.state.line)}"


def build(rules: Rules) -> Leduc:
    """The tree of a small poker game."""
    builder = GameBuilder()
    met: dict[tuple[int, str], Situation] = {}
    root = builder.chance()
    deck = [rank for rank in range(len(rules.ranks)) for _ in range(rules.suits)]
    # the public card too, in games of two rounds
    dealt = Counter(permutations(deck, 1 + len(rules.raises)))

    def add(parent: int, by: str | float, state: LeducState, deal: tuple[int, ...]) -> None:
        """The nodes of a state and of all that can follow it, below a parent that leads there by an
        action or a chance.
        """
        if state.over:
            builder.end(parent, by, winnings(rules, state, deal))
            return
        name = name_of(
            rules, seen := Situation(deal[state.player], deal[2] if state.round else NO_CARD, state)
        )
        met.setdefault((state.player, name), seen)
        node = builder.decision(parent, by, state.player, name, legal(rules, state))
        for action in legal(rules, state):
            add(node, action, next_state(rules, state, action), deal)

    for deal, ways in dealt.items():
        add(root, ways / dealt.total(), start(rules), deal)
    game = builder.build()
    starts = np.append(np.flatnonzero(game.parent == root), len(game.parent)).astype(np.int32)
    return Leduc(rules, game, make_form(game), tuple(met.values()), tuple(dealt), starts)
