"""Small poker games with one description: Leduc hold'em by RLCard's and by the literature's rules,
and Kuhn poker.

Paper 001 (Adjedj, Chouatt and Tora, Leduc Holdem, Final Project) plays RLCard's game; the
literature's rules are those of Southey et al. (2005), Kuhn's those of 1950. Player 0 acts first and
is the small blind in RLCard's game. All cards are dealt at the start, including the public card,
which is seen only later: the game is then one betting tree, repeated for each deal, and the nodes
of a deal are contiguous. Cards of the same rank are the same.
"""

from collections import Counter
from itertools import permutations
from typing import NamedTuple

import numpy as np

from faceup.games.extensive_game import Game, GameBuilder
from faceup.games.sequence_form import Form, make_form

CALL, RAISE, FOLD, CHECK = LABELS = ("call", "raise", "fold", "check")  # in RLCard's order
LETTER = {CALL: "c", RAISE: "r", FOLD: "f", CHECK: "k"}  # of each action in a betting line
NO_CARD = -1


class Rules(NamedTuple):
    """Parameters of a small poker game."""

    ranks: str  # from the lowest up
    suits: int
    blinds: tuple[int, int]  # chips of players 0 and 1 before the deal
    raises: tuple[
        int, ...
    ]  # chips of a raise in each round; a public card is shown after the first
    max_raises: int  # a round
    free_fold: bool  # whether folding is legal where checking is free
    fixed_opener: bool  # player 0 opens round two; else the player after the last to act
    unit: float  # chips per unit of payoff


RLCARD = Rules("JQK", 2, (1, 2), (2, 4), 2, free_fold=True, fixed_opener=False, unit=2.0)
LITERATURE = Rules("JQK", 2, (1, 1), (2, 4), 2, free_fold=False, fixed_opener=True, unit=1.0)
KUHN = Rules("JQK", 1, (1, 1), (1,), 1, free_fold=False, fixed_opener=True, unit=1.0)


class LeducState(NamedTuple):
    """The public state of the betting; nothing in it depends on cards."""

    line: tuple[str, ...]  # actions so far, one text a round: c call, r raise, f fold, k check
    player: int
    chips: tuple[tuple[int, ...], tuple[int, ...]]  # put in by each player in each round
    raises: int  # in this round
    raiser: int  # last to raise in the round before, -1 if nobody
    folded: int  # the player who has folded, -1 if nobody
    over: bool

    @property
    def round(self) -> int:
        """0, or 1 once the public card is shown."""
        return len(self.line) - 1


class Situation(NamedTuple):
    """What the player to act has observed: an infoset."""

    own: int  # rank of the own card
    public: int  # rank of the public card, NO_CARD in round 0
    state: LeducState


class Leduc(NamedTuple):
    """A small poker game as a tree and in sequence form, with its infosets and deals in full."""

    rules: Rules
    game: Game
    form: Form
    situations: tuple[Situation, ...]  # one an infoset
    deals: tuple[tuple[int, ...], ...]  # ranks of player 0's, player 1's and the public card
    deal_start: np.ndarray  # (n_deals + 1,) int32: nodes of each deal


def initial_state(rules: Rules) -> LeducState:
    """The state after the blinds, before any action."""
    later = (0,) * (len(rules.raises) - 1)
    small, big = rules.blinds
    return LeducState(("",), 0, ((small, *later), (big, *later)), 0, -1, -1, False)


def legal_actions(rules: Rules, state: LeducState) -> tuple[str, ...]:
    """Legal actions of the player to act, in the order of LABELS."""
    facing = state.chips[1 - state.player][state.round] > state.chips[state.player][state.round]
    allowed = {
        CALL: facing,
        RAISE: state.raises < rules.max_raises,
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
    # the round ends with a call or a check of the player who did not raise last
    raiser = -1 if "r" not in line[-1] else other
    opener = 0 if rules.fixed_opener else other
    return after._replace(line=(*line, ""), player=opener, raises=0, raiser=raiser)


def winnings(rules: Rules, state: LeducState, deal: tuple[int, ...]) -> float:
    """Player 0's winnings at the end of a line, in the rules' unit: a pair with the public card
    wins, else the higher rank.

    deal: ranks of player 0's, player 1's and the public card; not used after a fold.
    """
    put = [sum(chips) for chips in state.chips]
    if state.folded >= 0:
        return (-put[0] if state.folded == 0 else put[1]) / rules.unit
    pair = [len(deal) > 2 and deal[p] == deal[2] for p in range(2)]
    sign = int(np.sign((pair[0] - pair[1]) * len(rules.ranks) + deal[0] - deal[1]))
    return sign * put[0] / rules.unit


def name_of(rules: Rules, seen: Situation) -> str:
    """An infoset's name, e.g. "K:cr" or "KJ:cr/k": own card, public card, actions of each round."""
    public = rules.ranks[seen.public] if seen.public >= 0 else ""
    return f"{rules.ranks[seen.own]}{public}:{'/'.join(seen.state.line)}"


def build(rules: Rules) -> Leduc:
    """The tree of a small poker game."""
    builder = GameBuilder()
    situations: dict[tuple[int, str], Situation] = {}
    root = builder.chance()
    deck = [rank for rank in range(len(rules.ranks)) for _ in range(rules.suits)]
    # with the public card in games of two rounds
    dealt = Counter(permutations(deck, 1 + len(rules.raises)))

    def add(parent: int, by: str | float, state: LeducState, deal: tuple[int, ...]) -> None:
        """Add the subtree of a state below a parent; by: the action or the probability of the deal
        that leads there.
        """
        if state.over:
            builder.end(parent, by, winnings(rules, state, deal))
            return
        seen = Situation(deal[state.player], deal[2] if state.round else NO_CARD, state)
        name, actions = name_of(rules, seen), legal_actions(rules, state)
        situations.setdefault((state.player, name), seen)
        node = builder.decision(parent, by, state.player, name, actions)
        for action in actions:
            add(node, action, next_state(rules, state, action), deal)

    for deal, ways in dealt.items():
        add(root, ways / dealt.total(), initial_state(rules), deal)
    game = builder.build()
    starts = np.append(np.flatnonzero(game.parent == root), len(game.parent)).astype(np.int32)
    return Leduc(rules, game, make_form(game), tuple(situations.values()), tuple(dealt), starts)
