"""A heads-up table on pokerkit's engine, with our seats and cards: oracle of rules and chips."""

from collections.abc import Sequence

from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

from faceup.cards.cards import card_text
from faceup.holdem.rules import legal_raises, pot_and_call

STACK = 20_000
_DEALT_BY_US = (Automation.HOLE_DEALING, Automation.BOARD_DEALING, Automation.CARD_BURNING)
_AUTOMATIONS = tuple(a for a in Automation if a not in _DEALT_BY_US)


def _text(cards: Sequence[int]) -> str:
    return "".join(card_text(card) for card in cards)


class PokerkitTable:
    """One hand; player 0 is the small blind, which pokerkit seats second."""

    def __init__(
        self,
        deck: Sequence[int],
        limit: bool = False,
        blinds: tuple[int, int] = (50, 100),
        stack: int = STACK,
    ):
        """deck: small blind's cards, big blind's, five of the board; limit: bets of 100 and 200."""
        game, bets = (
            (FixedLimitTexasHoldem, (100, 200)) if limit else (NoLimitTexasHoldem, blinds[1:])
        )
        self.stack = stack
        self.state = game.create_state(_AUTOMATIONS, True, 0, blinds, *bets, (stack, stack), 2)
        self.state.deal_hole(_text(deck[2:4]))
        self.state.deal_hole(_text(deck[:2]))
        if limit:  # the big blind is the first of four bets; pokerkit allows four more
            self.state.completion_betting_or_raising_count = 1
        # cards of the board that lie open
        self._board, self.shown = [int(card) for card in deck[4:]], 0
        self._look()

    def _look(self) -> None:
        """What pokerkit says of the hand, pairs as (small blind, big blind)."""
        s = self.state
        self.over, self.street = not s.status, s.street_index
        self.to_call, self.can_fold = s.checking_or_calling_amount, s.can_fold()
        self.actor = None if s.actor_index is None else 1 - s.actor_index
        self.raises = 0, 0  # least and largest amount to raise to, where a raise is legal
        if s.can_complete_bet_or_raise_to():
            self.raises = (
                s.min_completion_betting_or_raising_to_amount,
                s.max_completion_betting_or_raising_to_amount,
            )
        self.put = self.stack - s.stacks[1], self.stack - s.stacks[0]
        self.payoffs = s.payoffs[1], s.payoffs[0]

    def act(self, action: str, amount: int = 0) -> None:
        """Do "fold", "call" or "raise" to `amount`, then deal what the rules want dealt."""
        if action == "fold":
            self.state.fold()
        elif action == "raise":
            self.state.complete_bet_or_raise_to(amount)
        else:
            self.state.check_or_call()
        while self.state.can_burn_card():
            self.state.burn_card("??")
            n = 3 if self.shown == 0 else 1
            self.state.deal_board(_text(self._board[self.shown : self.shown + n]))
            self.shown += n
        self._look()


def random_choice(state, rng):
    """A legal action; mostly small raises, so that hands reach the river with chips behind."""
    least, most = legal_raises(state)
    x = rng.random()
    if x < 0.12 and pot_and_call(state)[1]:
        return "fold", 0
    if not least or x < 0.6:
        return "call", 0
    if x < 0.7:
        return "raise", least
    if x < 0.78:
        return "raise", most
    return "raise", int(rng.integers(least, min(most, 3 * least) + 1))
