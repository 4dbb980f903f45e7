"""The rules of Discard Hold'em, and a hand played from text.

Heads-up no-limit hold'em with blinds of 1 and 2 chips and stacks of 200, reset each hand (the contest's rules, 2017). When
the flop lies, and again when the turn lies, each player may swap one private card for one from the deck before the betting:
the big blind first, then the small blind. A thrown card is dead. The opponent sees that a card was swapped, not which.
All-in players swap as well: the contest's slides leave it open, and the paper's remark on pocket twos is about such hands.

Player 0 is the small blind: first to act before the flop, last afterwards. A hand is text: thirteen cards (`start`), and
a line of actions such as "b6c/psKdkb8c/ppkk/kk". k is check, c call, f fold, bN bet or raise to N chips on this street, p
keep both cards (stand pat), sKd swap the king of diamonds; streets are joined by "/".
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from faceup.cards.cards import BOARD_CARDS, STREETS, card_text, parse_cards
from faceup.cards.strength import strength

SMALL_BLIND, BIG_BLIND, STACK = 1, 2, 200
MBB_PER_CHIP = 1000 / BIG_BLIND
SWAP_STREETS = (1, 2)  # flop and turn
N_DEALT = 13
TOKEN = re.compile(r"[kcfp]|b[0-9]+|s[2-9TJQKA][cdhs]")  # an action
FOLD_END, SHOWDOWN = "fold", "showdown"


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


def to_call(state: Betting) -> int:
    """Chips that the actor must add to call."""
    return state.put[1 - state.actor] - state.put[state.actor]


def legal_raises(state: Betting) -> tuple[int, int]:
    """Least and most chips that a bet or raise may bring the actor's own to on this street; (0, 0) where none is legal."""
    other = state.put[1 - state.actor]
    if other >= STACK:
        return 0, 0
    return min(other + max(state.last_raise, BIG_BLIND), STACK) - state.base, STACK - state.base


def bet(state: Betting, action: str, amount: int = 0) -> tuple[Betting, str]:
    """The state after a legal "fold", "call" (or check) or "raise" to an amount on this street, and FOLD_END, SHOWDOWN or "".

    At an end the actor stays. Betting ends in SHOWDOWN when both are all-in, too: swaps go on.
    """
    if action == "fold":
        return state, FOLD_END
    other = state.put[1 - state.actor]
    total = state.base + amount if action == "raise" else other
    put = (total, state.put[1]) if state.actor == 0 else (state.put[0], total)
    after = state._replace(actor=1 - state.actor, put=put, acted=state.acted + 1)
    if action == "raise":
        return after._replace(last_raise=max(total - other, state.last_raise), raises=state.raises + 1), ""
    if total >= STACK or (state.street == 3 and state.acted):
        return state._replace(put=put), SHOWDOWN
    if state.acted == 0:  # a limp or a first check leaves the street open
        return after, ""
    return Betting(state.street + 1, 1, put, total, BIG_BLIND, 0, 0), ""


class Hand(NamedTuple):
    """A hand in play."""

    deal: tuple[int, ...]  # thirteen cards, as `start` takes them
    holes: tuple[tuple[int, ...], ...]  # of both players, as they are now
    betting: Betting = START  # who bets next, or who bet last where the betting is over
    ended: str = ""  # FOLD_END or SHOWDOWN where the betting is over
    street: int = 0  # of the cards that lie
    to_swap: tuple[int, ...] = ()  # players who may still swap on this street, in order
    swapped: tuple[tuple[bool, ...], ...] = ((False, False), (False, False))  # by each player, on flop and turn

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
        return self.deal[4 : 4 + BOARD_CARDS[self.street]]


def start(deal: str | Sequence[int]) -> Hand:
    """A hand before its first action, from thirteen cards: the small blind's two, the big blind's, the board, what they draw.

    Each draws on flop and turn. Raises ValueError on another number, on a card dealt twice, and as `parse_cards`.
    """
    cards = tuple(map(int, parse_cards(deal) if isinstance(deal, str) else deal))
    if len(cards) != N_DEALT or len(set(cards)) < N_DEALT:
        said = f"deal {''.join(map(card_text, cards))!r}: has {len(set(cards))} cards"
        raise ValueError(f"{said}, expected {N_DEALT}: two holes, a board, four cards to draw")
    return Hand(cards, (cards[:2], cards[2:4]))


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
    is_bet = token[:1] == "b" and token[1:].isdecimal() and 0 < least <= int(token[1:]) <= most
    if token not in tokens and not is_bet:
        bets = f", or b{least} to b{most}" if least else ""
        raise ValueError(f"action {token!r}: expected {' or '.join(tokens) or 'none, the hand is over'}{bets}")
    if token[0] in "ps":
        hand = _swap(hand, parse_cards(token[1:]))
    else:
        betting, ended = bet(hand.betting, {"f": "fold", "b": "raise"}.get(token[0], "call"), int(token[1:] or 0))
        hand = hand._replace(betting=betting, ended=ended)
    # the next street's cards are laid where it is time; all-in players stop only where there is something to swap
    while not hand.to_swap and hand.street < 3 and (hand.ended == SHOWDOWN or hand.betting.street > hand.street):
        hand = hand._replace(street=hand.street + 1, to_swap=(1, 0) if hand.street + 1 in SWAP_STREETS else ())
    return hand


def _swap(hand: Hand, cards: Sequence[int]) -> Hand:
    """The hand after its actor has swapped a card, or none."""
    player, when = hand.actor, SWAP_STREETS.index(hand.street)
    holes, swapped = list(map(list, hand.holes)), list(map(list, hand.swapped))
    for card in cards:
        holes[player][holes[player].index(card)] = hand.deal[9 + 2 * player + when]
        swapped[player][when] = True
    return hand._replace(to_swap=hand.to_swap[1:], holes=tuple(map(tuple, holes)), swapped=tuple(map(tuple, swapped)))


def play(deal: str | Sequence[int], line: str) -> Hand:
    """A hand from a deal (`start`) and the actions so far.

    Raises ValueError naming the line, the action and what was expected: actions that are unknown or illegal, a "/" out of place.
    """
    hand = start(deal)
    for street, part in enumerate(line.split("/")):
        packed = "".join(part.split())
        tokens = TOKEN.findall(packed)
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


def payoff(hand: Hand) -> int:
    """Chips that the small blind wins. Raises ValueError before the end of a hand."""
    if not hand.over:
        raise ValueError(f"the hand is not over, expected player {hand.actor}'s action")
    if hand.ended == FOLD_END:
        return -hand.betting.put[0] if hand.actor == 0 else hand.betting.put[1]
    first, second = (strength([*hole, *hand.deal[4:9]]) for hole in hand.holes)
    return hand.betting.put[0] * ((first > second) - (first < second))
