"""Trial: `_values` of holdem/safe/river with each hand's weight added once instead of twice. CFR-BR got no faster by it.

It was timed in a copy of holdem/safe with this function in the place of the old one: a turn board with six rivers, *ours* cut at
depth 8 (809 leaves), in turns with today's code.
"""

from numba import njit

from faceup.cards.cards import HOLE_CARDS
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.safe.vectors import WIDTH, _lanes, add, clear, folded

_ALL = 52  # the card that all hands have
sum_first = _lanes(WIDTH, lambda b, out, every, x, y: b.fsub(b.fsub(every, x), y))
sum_more = _lanes(WIDTH, lambda b, out, every, x, y: b.fadd(out, b.fsub(b.fsub(every, x), y)))
sum_less = _lanes(WIDTH, lambda b, out, stake, every, x, y: b.fmul(stake, b.fsub(out, b.fsub(b.fsub(every, x), y))))


@njit(cache=True)
def _values(f, root, player, hands, reach, weight, seen, value):
    """What each of a player's hands gets at each end, value (1081 * slots), from the other player's hands' weights there.

    reach (1326,): the other player's, of the root. At showdowns value is the sum of weaker hands, plus that of weaker and equal
    ones, less that of all: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1.
    """
    n_shown, start = f.n_shown[root], f.first_slot[root]
    n_slots = f.first_slot[root + 1] - start
    stake, every = f.stake[player, start : start + n_slots], _ALL * n_slots
    for x in range(0, 53 * n_slots, WIDTH):
        clear(seen, x)
    for k in range(hands.size[0]):
        first, end = hands.start[k], hands.start[k + 1]
        for i in range(first, end):
            a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
            for x in range(0, n_shown, WIDTH):
                sum_first(value, i * n_slots + x, seen, every + x, seen, a + x, seen, b + x)
        for i in range(first, end):
            if reach[hands.hole[i]] == 0:
                continue
            a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
            for x in range(0, n_slots, WIDTH):
                add(seen, a + x, weight, i * n_slots + x)
                add(seen, b + x, weight, i * n_slots + x)
                add(seen, every + x, weight, i * n_slots + x)
        for i in range(first, end):
            a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
            for x in range(0, n_shown, WIDTH):
                sum_more(value, i * n_slots + x, seen, every + x, seen, a + x, seen, b + x)
    for i in range(N_RIVER_HOLES):
        a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
        for x in range(0, n_shown, WIDTH):
            sum_less(value, i * n_slots + x, stake, x, seen, every + x, seen, a + x, seen, b + x)
        for x in range(n_shown, n_slots, WIDTH):
            folded(value, i * n_slots + x, stake, x, seen, every + x, seen, a + x, seen, b + x, weight, i * n_slots + x)
