"""Discard Hold'em written a second time, as a dealer would run it: a deck, two stacks, a pot, and one street after the other."""

from itertools import combinations

from phevaluator import evaluate_cards

RANKS, SUITS = "23456789TJQKA", "cdhs"


class Table:
    """Takes actions as text: k check, c call, f fold, bN bet or raise to N on this street, p keep both cards, sKd swap the Kd."""

    def __init__(self, cards):
        self.hands = [list(cards[:2]), list(cards[2:4])]
        self.coming, self.board, self.dead = list(cards[4:9]), [], []
        self.drawn = [list(cards[9:11]), list(cards[11:13])]
        self.stacks, self.bets, self.pot = [199, 198], [1, 2], 0
        self.turn_to_act, self.least, self.spoken = 0, 2, [False, False]
        self.swappers, self.loser, self.street, self.done = [], None, 0, False

    def actor(self):
        return self.swappers[0] if self.swappers else self.turn_to_act

    def legal(self):
        """All legal actions but bets, and what may be bet, one by one."""
        if self.done:
            return [], []
        if self.swappers:
            return ["p"] + ["s" + card for card in self.hands[self.swappers[0]]], []
        me, other = self.turn_to_act, 1 - self.turn_to_act
        facing = self.bets[other] > self.bets[me]
        moves, bets = ["f", "c"] if facing else ["k"], []
        if self.stacks[other] > 0:
            all_in, enough = self.bets[me] + self.stacks[me], self.bets[other] + self.least
            bets = [to for to in range(self.bets[other] + 1, all_in + 1) if to >= enough or to == all_in]
        return moves, bets

    def do(self, move):
        if move[0] in "ps":
            player = self.swappers.pop(0)
            if move[0] == "s":
                hand = self.hands[player]
                self.dead.append(move[1:])
                hand[hand.index(move[1:])] = self.drawn[player][self.street - 1]
            if not self.swappers and 0 in self.stacks:
                self.next_street()
        elif move == "f":
            self.loser, self.done = self.turn_to_act, True
        else:
            me, other = self.turn_to_act, 1 - self.turn_to_act
            to = int(move[1:]) if move[0] == "b" else self.bets[other]
            if move[0] == "b":
                self.least, self.spoken = max(self.least, to - self.bets[other]), [False, False]
            self.stacks[me] -= to - self.bets[me]
            self.bets[me], self.spoken[me], self.turn_to_act = to, True, other
            if self.bets[0] == self.bets[1] and (all(self.spoken) or self.stacks == [0, 0]):
                self.next_street()

    def next_street(self):
        self.pot += sum(self.bets)
        self.bets, self.spoken, self.least, self.turn_to_act = [0, 0], [False, False], 2, 1
        if self.street == 3:
            self.done = True
            return
        self.street += 1
        for _ in range(3 if self.street == 1 else 1):
            self.board.append(self.coming.pop(0))
        if self.street < 3:
            self.swappers = [1, 0]
        elif self.stacks == [0, 0]:
            self.done = True

    def won(self):
        """Chips that the small blind has won."""
        in_pot = [200 - stack for stack in self.stacks]
        if self.loser is not None:
            return -in_pot[0] if self.loser == 0 else in_pot[1]
        ranks = [min(evaluate_cards(*five) for five in combinations(hand + self.board, 5)) for hand in self.hands]
        return in_pot[0] if ranks[0] < ranks[1] else -in_pot[0] if ranks[1] < ranks[0] else 0
