"""The rules of Discard Hold'em, and a hand played from text.

Heads-up no-limit hold'em with blinds of 1 and 2 chips and stacks of 200, reset each hand (the contest's rules, 2017). When
the flop lies, and again when the turn lies, each player may swap one private card for one from the deck before the betting:
the big blind first, then the small blind. A thrown card is dead. The opponent sees that a card was swapped, not which.
Players who are all-in swap as well: the contest's slides leave it open, and the paper's remark on pocket twos is about hands
that see all cards.

Player 0 is the small blind: first to act before the flop, last afterwards. A hand is text: thirteen cards (`read_deal`), and
a line of actions such as "b6c/psKdkb8c/ppkk/kk". k is check, c call, f fold, bN bet or raise to N chips on this street, p
keep both cards (stand pat), sKd swap the king of diamonds; streets are joined by "/".
"""

import re
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, STREETS, card_text, parse_cards
from faceup.cards.strength import strength

SMALL_BLIND, BIG_BLIND, STACK = 1, 2, 200
MBB_PER_CHIP = 1000 / BIG_BLIND
SWAP_STREETS = (1, 2)  # flop and turn
N_DEALT = 13
_TOKEN = re.compile(r"[kcfp]|b[0-9]+|s[2-9TJQKA][cdhs]")


class Betting(NamedTuple):
    """What the rules of betting need to know of a hand."""

    street: int
    actor: int
    put: tuple[int, int]  # chips that each player has put in
    base: int  # chips that each had put in when the street began; 0 before the flop
    last_raise: int  # the least amount by which the next raise must raise
    raises: int  # bets and raises on this street; blinds are none
    acted: int  # actions on this street


START = Betting(0, 0, (SMALL_BLIND, BIG_BLIND), 0, BIG_BLIND, 0, 0)
FOLD_END, SHOWDOWN = "fold", "showdown"


def to_call(state: Betting) -> int:
    """Chips that the actor must add to call."""
    return state.put[1 - state.actor] - state.put[state.actor]


def legal_raises(state: Betting) -> tuple[int, int]:
    """Least and most chips that a bet or raise may bring the actor's own to on this street; (0, 0) where none is legal."""
    other = state.put[1 - state.actor]
    if other >= STACK:
        return 0, 0
    return min(other + max(state.last_raise, BIG_BLIND), STACK) - state.base, STACK - state.base


def bet(state: Betting, action: str, amount: int = 0) -> Betting | str:
    """The state after a legal "fold", "call" (or check) or "raise" to an amount on this street; FOLD_END or SHOWDOWN at the end.

    Betting ends in SHOWDOWN when both are all-in, too: swaps go on.
    """
    if action == "fold":
        return FOLD_END
    if action == "raise":
        total = state.base + amount
        raised = total - state.put[1 - state.actor]
        return _after(state, total)._replace(last_raise=max(raised, state.last_raise), raises=state.raises + 1)
    after = _after(state, state.put[1 - state.actor])
    if after.put[0] >= STACK:
        return SHOWDOWN
    if state.acted == 0:  # a limp or a first check leaves the street open
        return after
    return SHOWDOWN if state.street == 3 else Betting(state.street + 1, 1, after.put, after.put[0], BIG_BLIND, 0, 0)


def _after(state: Betting, total: int) -> Betting:
    put = (total, state.put[1]) if state.actor == 0 else (state.put[0], total)
    return state._replace(actor=1 - state.actor, put=put, acted=state.acted + 1)


class Deal(NamedTuple):
    """The cards of a hand in the order in which they may be needed; none twice."""

    holes: tuple[tuple[int, int], tuple[int, int]]
    board: tuple[int, ...]  # five cards
    drawn: tuple[tuple[int, int], tuple[int, int]]  # what each player draws on the flop and on the turn

    @property
    def cards(self) -> list[int]:
        """All thirteen, in the order of `read_deal`."""
        return [*self.holes[0], *self.holes[1], *self.board, *self.drawn[0], *self.drawn[1]]


def deal_of(cards: list[int] | np.ndarray) -> Deal:
    """A deal from thirteen cards as `read_deal` orders them. Raises ValueError on another number, and on a card dealt twice."""
    c = [int(card) for card in cards]
    if len(c) != N_DEALT or len(set(c)) < N_DEALT:
        said = "".join(card_text(card) for card in c)
        raise ValueError(f"deal {said!r}: has {len(set(c))} cards, expected {N_DEALT}: two holes, a board, four cards to draw")
    return Deal(((c[0], c[1]), (c[2], c[3])), tuple(c[4:9]), ((c[9], c[10]), (c[11], c[12])))


def read_deal(text: str) -> Deal:
    """Thirteen cards: both holes (small blind first), the board, and what the small and the big blind draw on flop and turn.

    Raises ValueError as `deal_of` and `parse_cards`.
    """
    return deal_of(parse_cards(text))


class Hand(NamedTuple):
    """A hand in play."""

    deal: Deal
    holes: tuple[tuple[int, int], tuple[int, int]]  # as they are now
    betting: Betting  # who bets next, or who bet last where the betting is over
    ended: str = ""  # FOLD_END or SHOWDOWN where the betting is over
    street: int = 0  # of the cards that lie
    to_swap: tuple[int, ...] = ()  # players who may still swap on this street, in order
    swapped: tuple[tuple[bool, bool], tuple[bool, bool]] = ((False, False), (False, False))  # by each player, on flop and turn

    @property
    def over(self) -> bool:
        """Whether nothing is left to decide."""
        return self.ended == FOLD_END or (self.ended == SHOWDOWN and self.street == 3)

    @property
    def actor(self) -> int:
        """The player to decide; he who has folded."""
        return self.to_swap[0] if self.to_swap else self.betting.actor

    @property
    def board(self) -> tuple[int, ...]:
        """The cards that lie."""
        return self.deal.board[: BOARD_CARDS[self.street]]


def start(deal: Deal) -> Hand:
    """A hand before its first action."""
    return Hand(deal, deal.holes, START)


def legal_tokens(hand: Hand) -> tuple[tuple[str, ...], tuple[int, int]]:
    """The actions that may be taken but bets, as they are written, and the least and most that a bet may be to; (0, 0): none."""
    if hand.over:
        return (), (0, 0)
    if hand.to_swap:
        return ("p", *("s" + card_text(card) for card in hand.holes[hand.actor])), (0, 0)
    return ("f", "c") if to_call(hand.betting) else ("k",), legal_raises(hand.betting)


def act(hand: Hand, token: str) -> Hand:
    """The hand after one action. Raises ValueError naming the action and what was expected."""
    tokens, (least, most) = legal_tokens(hand)
    if token[:1] == "b" and token[1:].isdecimal() and least and least <= int(token[1:]) <= most:
        return _bet(hand, "raise", int(token[1:]))
    if token not in tokens:
        bets = f", or b{least} to b{most}" if least else ""
        raise ValueError(f"action {token!r}: expected {' or '.join(tokens) or 'none, the hand is over'}{bets}")
    if token[0] in "ps":
        return _swap(hand, token)
    return _bet(hand, "fold" if token == "f" else "call")


def _bet(hand: Hand, action: str, amount: int = 0) -> Hand:
    after = bet(hand.betting, action, amount)
    if after == FOLD_END:
        return hand._replace(ended=FOLD_END)
    if isinstance(after, Betting):
        return _lay(hand._replace(betting=after)) if after.street > hand.street else hand._replace(betting=after)
    called = max(hand.betting.put)
    return _lay(hand._replace(betting=hand.betting._replace(put=(called, called)), ended=SHOWDOWN))


def _lay(hand: Hand) -> Hand:
    """Lay the cards of the next street; all-in players stop only where there is something to swap."""
    if hand.street == 3:
        return hand
    street = hand.street + 1
    hand = hand._replace(street=street, to_swap=(1, 0) if street in SWAP_STREETS else ())
    return hand if hand.to_swap or not hand.ended else _lay(hand)


def _swap(hand: Hand, token: str) -> Hand:
    player, holes, swapped = hand.actor, list(hand.holes), list(hand.swapped)
    if token != "p":
        thrown, when = parse_cards(token[1:])[0], SWAP_STREETS.index(hand.street)
        drawn = hand.deal.drawn[player][when]
        first, second = holes[player]
        holes[player] = (drawn, second) if thrown == first else (first, drawn)
        swapped[player] = (True, swapped[player][1]) if when == 0 else (swapped[player][0], True)
    hand = hand._replace(to_swap=hand.to_swap[1:], holes=(holes[0], holes[1]), swapped=(swapped[0], swapped[1]))
    return hand if hand.to_swap or not hand.ended else _lay(hand)


def play(deal: str | Deal, line: str) -> Hand:
    """A hand from text: a deal (`read_deal`) and the actions so far.

    Raises ValueError naming the line, the action and what was expected: actions that are unknown or illegal, a "/" out of place.
    """
    hand = start(read_deal(deal) if isinstance(deal, str) else deal)
    for street, part in enumerate(line.split("/")):
        packed = "".join(part.split())
        tokens = _TOKEN.findall(packed)
        if "".join(tokens) != packed:
            raise ValueError(f"line {line!r}: {part!r}, expected k, c, f, bN, p and sXx, such as 'b6c/psKdkk'")
        if street and hand.street != street:
            raise ValueError(f"line {line!r}: '/' before {part!r}, expected the {STREETS[hand.street]}'s next action")
        for i, token in enumerate(tokens):
            if hand.street != street:
                raise ValueError(f"line {line!r}: {token!r} in {part!r}, expected '/', for the {STREETS[street]} is over")
            try:
                hand = act(hand, token)
            except ValueError as error:
                raise ValueError(f"line {line!r}, {STREETS[street]}, action {i + 1}: {error}") from None
    return hand


def tokens_of(line: str) -> list[str]:
    """The actions of a line, without its streets."""
    return _TOKEN.findall(line)


def payoff(hand: Hand) -> int:
    """Chips that the small blind wins. Raises ValueError before the end of a hand."""
    if not hand.over:
        raise ValueError(f"the hand is not over, expected player {hand.actor}'s action")
    if hand.ended == FOLD_END:
        return -hand.betting.put[0] if hand.actor == 0 else hand.betting.put[1]
    first, second = (strength([*hole, *hand.deal.board]) for hole in hand.holes)
    stake = hand.betting.put[0]
    return stake if first > second else -stake if second > first else 0
