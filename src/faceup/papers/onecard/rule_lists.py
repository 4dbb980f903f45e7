"""Rule lists for the bettor of the one-card game that fit on a pocket card, and a search for good
ones.

A list is read from the top; the first line that covers a card is played, and what no line covers
checks. Two numbers are all that it asks for: the *strength* of a card, the share of the opponent's
distribution below it, the same card counting half; and the *weakest* cards of the player's own
distribution, from the bottom up. Where a share ends within a card, that card mixes. (The opponent
cannot hold the same card. But the likelier it was, the fewer weaker ones are left to call.) Three
kinds of line:

    STRONG   cards of at least this strength bet this size
    WEAK     the weakest so much of your distribution bets this size
    BALANCE  the weakest cards of at most this strength bluff with what is bet above: size b as often as b / (1 + b) times
             as it is bet there; the largest size with the weakest cards

STRONG and WEAK lines alone are a tree of thresholds. The search minimises the mean one-sided
exploitability over games; it never looks at an equilibrium's strategy, only at its value.

The paper's own two rules (Ganzfried and Yusuf, Section 4) are here too, as corrections of any
strategy.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.papers.onecard.game import CARDS, SIZES
from faceup.papers.onecard.solutions import Solutions, _worst_case, part
from faceup.util.parallel import on_threads

STRONG, WEAK, BALANCE = 0, 1, 2
STRONG_CARDS = 4  # the paper's cards 7 to 10: its tree splits on the opponent's cdf at card 6
_N_SIZES = len(SIZES)
_BOUNDS = {STRONG: (0.5, 1.0), WEAK: (0.0, 0.5), BALANCE: (0.3, 1.0)}


class RuleLine(NamedTuple):
    """A line of a list."""

    kind: int
    threshold: float  # a strength, or for WEAK a share of the player's own distribution
    size: int = 0  # in $0.10; a BALANCE line has none


def sentences(lines: list[RuleLine]) -> list[str]:
    """A whole list in words, numbered, with what is left at its end."""
    strong, said = [line for line in lines if line.kind == STRONG], []
    counts = [
        f"{round(20 * bluffs_for_a_bet(line))} bluffs for 20 bets of {SIZES[line.size]:.1f}"
        for line in strong
    ]
    for line in lines:
        share, bet = (
            f"{line.threshold:.0%}",
            "check" if line.size == 0 else f"bet {SIZES[line.size]:.1f}",
        )
        limit = "" if line.threshold >= 1 else f", none that beats more than {share}"
        beats = f"at least {share} of the opponent's cards (the same card counts half)"
        words = {
            STRONG: f"If your card beats {beats if line.threshold < 1 else 'all that the opponent can hold'}, {bet}.",
            WEAK: f"With the weakest {share} of your own cards, {bet}.",
            BALANCE: f"Bluff with your weakest cards{limit}, the largest size with the weakest: {', '.join(counts)}.",
        }
        said.append(words[line.kind])
    said.append("Check everything else." if lines else "Always check.")
    return [f"{i}. {text}" for i, text in enumerate(said, start=1)]


def bluffs_for_a_bet(line: RuleLine) -> float:
    """How many bluffs a BALANCE line makes for a bet by a STRONG line."""
    return line.size / (10 + line.size)


def strengths(other: np.ndarray) -> np.ndarray:
    """Share (n, 10) of the opponent's distribution (n, 10) that each card beats, the same card
    half; 0.85 is just that.
    """
    return np.round(np.cumsum(other, axis=1) - other / 2, 12)


def play(lines: list[RuleLine], own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The strategies (n, 10, 31) of a list in games given by both distributions (n, 10)."""
    return play_cards(lines, strengths(other), own)


def play_cards(lines: list[RuleLine], strength: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The strategies (n, cards, 31) of a list, from each card's strength and its probability, both
    (n, cards), weakest first.
    """
    strategies = np.zeros((*own.shape, _N_SIZES))
    on_threads(_play_all, _rows(lines), strength, own, strategies)
    return strategies


def losses(lines: list[RuleLine], games: Solutions) -> np.ndarray:
    """One-sided exploitability (n,) of a list in each game, dollars."""
    values = np.empty(len(games.own))
    on_threads(_values, _rows(lines), strengths(games.other), games.own, games.other, values)
    return games.value - values


def _rows(lines: list[RuleLine]) -> np.ndarray:
    """Lines (n, 4) float64 as kernels take them, with their bluffs for a bet."""
    return np.array([(*line, bluffs_for_a_bet(line)) for line in lines], dtype=np.float64).reshape(
        -1, 4
    )


@njit(cache=True, nogil=True)
def _play_all(thread, lines, strength, own, strategies):
    for g in range(thread[0], len(own), thread[1]):
        _play_one(lines, strength[g], own[g], strategies[g])


@njit(cache=True, nogil=True)
def _values(thread, lines, strength, own, other, values):
    shares = np.empty((CARDS, _N_SIZES))
    for g in range(thread[0], len(own), thread[1]):
        shares[:] = 0
        _play_one(lines, strength[g], own[g], shares)
        values[g] = _worst_case(own[g], other[g], shares)


@njit(cache=True, nogil=True)
def _play_one(lines, strength, own, shares):
    """shares (cards, 31): of each card, how much of it bets each size; 0 at first."""
    left = np.ones(len(own))  # of each card, what no line has covered yet
    # probability of the bluffs of each size that the lines so far ask for
    wanted = np.zeros(_N_SIZES)
    for k in range(len(lines)):
        kind, threshold, size = lines[k, 0], lines[k, 1], int(lines[k, 2])
        below = 0.0  # own cards below the card
        if kind == BALANCE:
            _bluff(wanted, threshold, strength, own, shares, left)
            continue
        for i in range(len(own)):
            if kind == STRONG:
                covered = left[i] if strength[i] >= threshold else 0.0
                wanted[size] += lines[k, 3] * covered * own[i]
            else:
                part = (threshold - below) / own[i] if own[i] > 0 else 0.0
                covered = min(left[i], max(part, 0.0))
            shares[i, size] += covered
            left[i] -= covered
            below += own[i]
    shares[:, 0] += left


@njit(cache=True, nogil=True)
def _bluff(wanted, limit, strength, own, shares, left):
    """Bluffs as they are wanted, from the largest size and the weakest card on."""
    i = 0
    for s in range(_N_SIZES - 1, 0, -1):
        needed = wanted[s]
        while needed > 0 and i < len(own) and strength[i] <= limit:
            given = min(needed, own[i] * left[i])
            if given > 0:
                shares[i, s] += given / own[i]
                left[i] = max(left[i] - given / own[i], 0.0)
                needed -= given
            if needed > 1e-15:
                i += 1
            else:
                break


def search(
    games: Solutions,
    most: int,
    balanced: bool,
    rough: int,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[int, list[RuleLine]]:
    """The best list found for each length up to `most`, the last line ("check everything else")
    counted.

    balanced: STRONG lines and one BALANCE line; else STRONG and WEAK lines in pairs, since a bet
    without a bluff gains nothing. Lists grow on the first `rough` games: the best shorter one and a
    new line (or pair) tried between the others, then all lines are tuned; each is tuned finely on
    all games at last. progress: told each length that is reached.
    """
    lists: dict[int, list[RuleLine]] = {1: []}
    best: list[RuleLine] = [RuleLine(BALANCE, 0.6)] if balanced else []
    few = part(games, 0, rough)
    for length in range(3, most + 1, 1 if balanced else 2):
        best = min(
            (tuned(start, few) for start in _grown(best, balanced)),
            key=lambda lines: losses(lines, few).mean(),
        )
        lists[length] = tuned(best, games, coarse=False)
        progress(length)
    return lists


def _grown(lines: list[RuleLine], balanced: bool) -> list[list[RuleLine]]:
    """Lists with one more line: above all others, and below all of its kind."""
    strong, rest = [x for x in lines if x.kind == STRONG], [x for x in lines if x.kind != STRONG]
    top = RuleLine(STRONG, 0.5 * (1 + max((x.threshold for x in strong), default=0.8)), 25)
    low = RuleLine(STRONG, min((x.threshold for x in strong), default=0.85) - 0.07, 4)
    if balanced:
        return [[top, *strong, *rest], [*strong, low, *rest]]
    large, small = (
        RuleLine(WEAK, 0.04, top.size),
        RuleLine(WEAK, max((x.threshold for x in rest), default=0.02) + 0.05, low.size),
    )
    return [[top, *strong, large, *rest], [*strong, low, *rest, small]]


def tuned(lines: list[RuleLine], games: Solutions, coarse: bool = True) -> list[RuleLine]:
    """Coordinate descent on the mean loss: each line's numbers in turn until nothing improves;
    coarse steps before fine ones.

    A bet and its bluffs keep their size in common: apart they would give each other away.
    """
    best, least = lines, losses(lines, games).mean()
    for percent, size in ((8, 6), (3, 3), (1, 1))[0 if coarse else 2 :]:
        improved = True
        while improved:
            improved = False
            for i in range(len(best)):
                for line in _moves(best[i], percent, size):
                    tried = _with(best, i, line)
                    loss = losses(tried, games).mean()
                    if loss < least - 1e-7:
                        best, least, improved = tried, loss, True
    return best


def _with(lines: list[RuleLine], i: int, new: RuleLine) -> list[RuleLine]:
    """The list with line i replaced; where that is of another size, so are the WEAK lines to a
    STRONG one, or the reverse.
    """
    partner = {STRONG: WEAK, WEAK: STRONG}.get(new.kind)
    tried = [
        x._replace(size=new.size) if x.kind == partner and x.size == lines[i].size else x
        for x in lines
    ]
    return [*tried[:i], new, *tried[i + 1 :]]


def _moves(line: RuleLine, percent: int, size: int) -> list[RuleLine]:
    """A line's neighbours: threshold by so many percent and size by so much up or down, within
    bounds.
    """
    (low, high), moved = _BOUNDS[line.kind], []
    for shift, grow in product((-1, 0, 1), (-1, 0, 1) if line.size else (0,)):
        threshold = round(min(max(line.threshold + shift * percent / 100, low), high), 2)
        grown = min(max(line.size + grow * size, 1), _N_SIZES - 1) if line.size else 0
        moved.append(RuleLine(line.kind, threshold, grown))
    return [x for x in dict.fromkeys(moved) if x != line]


def beaten(other: np.ndarray) -> np.ndarray:
    """Share (n, 10) of the opponent's possible hands that each card beats, that card itself not
    among them.
    """
    below, above = np.cumsum(other, axis=1) - other, 1 - np.cumsum(other, axis=1)
    return below / np.maximum(below + above, 1e-300)


def with_80_20_rule(strategies: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Strategies (n, 10, 31) in which cards that beat 20 % to 80 % of the opponent's check (the
    paper's first rule).
    """
    share = beaten(other)
    return np.where(((share >= 0.2) & (share <= 0.8))[:, :, None], np.eye(_N_SIZES)[0], strategies)


def with_all_in_rule(strategies: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Strategies (n, 10, 31) in which cards that beat 95 % of the opponent's go all-in (the paper's
    second rule).

    That is where the opponent's cards are strong, 7 to 10, at least 10 % of the time.
    """
    strong = other[:, -STRONG_CARDS:].sum(axis=1) >= 0.1
    return np.where(
        ((beaten(other) >= 0.95) & strong[:, None])[:, :, None], np.eye(_N_SIZES)[-1], strategies
    )
