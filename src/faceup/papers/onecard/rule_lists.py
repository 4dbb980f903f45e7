"""Rule lists for the bettor of the one-card game that fit on a pocket card, and a search for good
ones; the paper's own two rules (Ganzfried and Yusuf, Section 4).

The first line of a list that covers a card is played; what no line covers checks. The *strength* of
a card is the share of the opponent's distribution below it, the same card counted half. (The
opponent cannot hold the same card; it counts half because the likelier it was, the fewer weaker
cards are left to call.) There are two kinds of line:

    STRONG   cards of at least the threshold in strength bet the size
    BALANCE  the weakest cards of at most the threshold in strength bluff: size b in the ratio
             b / (1 + b) to the STRONG bets of size b, the largest size with the weakest cards

A card at which the bluffs of a size end is mixed. The search minimizes the one-sided exploitability
averaged over games; of an equilibrium it uses only the value.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.papers.onecard.game import SIZES
from faceup.papers.onecard.solutions import Solutions, worst_case_values

STRONG, BALANCE = 0, 1
_STRONG_CARDS = 4  # the paper's cards 7 to 10: its tree splits on the opponent's cdf at card 6
_N_SIZES = len(SIZES)
_BOUNDS = {STRONG: (0.5, 1.0), BALANCE: (0.3, 1.0)}  # of the threshold


class RuleLine(NamedTuple):
    """One line of a list."""

    kind: int
    threshold: float  # a strength
    size: int = 0  # in 0.10 dollars; a BALANCE line has none


def describe(lines: list[RuleLine]) -> list[str]:
    """A list in numbered English sentences; the last one says what is left."""
    sentences, counts = [], []
    for line in lines:
        if line.kind == STRONG:
            bet = f"bet {SIZES[line.size]:.1f}."
            counts.append(f"{round(20 * bluffs_per_bet(line))} bluffs for 20 bets of {bet[4:-1]}")
            beats = f"at least {line.threshold:.0%} of the opponent's cards"
            sentences.append(f"If your card beats {beats} (the same card counts half), {bet}")
    for line in (line for line in lines if line.kind == BALANCE):
        limit = f", none that beats more than {line.threshold:.0%}" if line.threshold < 1 else ""
        bluff = f"Bluff with your weakest cards{limit}, the largest size with the weakest: "
        sentences.append(f"{bluff}{', '.join(counts)}.")
    sentences.append("Check everything else." if lines else "Always check.")
    return [f"{i}. {sentence}" for i, sentence in enumerate(sentences, start=1)]


def bluffs_per_bet(line: RuleLine) -> float:
    """Bluffs that a BALANCE line makes for each bet of a STRONG line: b / (1 + b)."""
    return line.size / (10 + line.size)


def strengths(other: np.ndarray) -> np.ndarray:
    """Share (n, 10) of the opponent's distribution `other` (n, 10) below each card, the same card
    counted half.
    """
    # rounded, so that a threshold such as 0.85 is met exactly
    return np.round(np.cumsum(other, axis=1) - other / 2, 12)


def list_strategies(lines: list[RuleLine], own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A list's strategies (n, 10, 31) in games given by both distributions (n, 10)."""
    return strategies_by_strength(lines, strengths(other), own)


def strategies_by_strength(
    lines: list[RuleLine], strength: np.ndarray, own: np.ndarray
) -> np.ndarray:
    """A list's strategies (n, cards, 31) from each card's strength and probability, both
    (n, cards), the weakest card first.
    """
    # rows of kind, threshold, size, bluffs for a bet
    rows = np.array([(*line, bluffs_per_bet(line)) for line in lines]).reshape(-1, 4)
    strategies = np.zeros((*own.shape, _N_SIZES))
    for g in range(len(own)):
        _fill_strategy(rows, strength[g], own[g], strategies[g])
    return strategies


def losses(lines: list[RuleLine], games: Solutions) -> np.ndarray:
    """One-sided exploitability (n,) of a list in each game, dollars."""
    strategies = list_strategies(lines, games.own, games.other)
    return games.value - worst_case_values(games.own, games.other, strategies)


@njit(cache=True, nogil=True)
def _fill_strategy(lines, strength, own, strategy):
    """strategy (cards, 31), 0 at first: probability of each size with each card; strength and own
    (cards,).
    """
    left = np.ones(len(own))  # of each card, the share that no line has covered yet
    wanted = np.zeros(_N_SIZES)  # probability of bluffs of each size that balance the bets so far
    for k in range(len(lines)):
        threshold, size = lines[k, 1], int(lines[k, 2])
        if lines[k, 0] == BALANCE:
            _add_bluffs(wanted, threshold, strength, own, strategy, left)
            continue
        for i in range(len(own)):
            covered = left[i] if strength[i] >= threshold else 0.0
            wanted[size] += lines[k, 3] * covered * own[i]
            strategy[i, size] += covered
            left[i] -= covered
    strategy[:, 0] += left


@njit(cache=True, nogil=True)
def _add_bluffs(wanted, limit, strength, own, strategy, left):
    """Give the wanted bluffs (31,) to cards of at most the limit in strength: the largest size and
    the weakest card first; wanted stays, strategy and left change.
    """
    i = 0
    for s in range(_N_SIZES - 1, 0, -1):
        needed = wanted[s]
        while needed > 0 and i < len(own) and strength[i] <= limit:
            given = min(needed, own[i] * left[i])
            if given > 0:
                strategy[i, s] += given / own[i]
                left[i] = max(left[i] - given / own[i], 0.0)
                needed -= given
            if needed > 1e-15:
                i += 1
            else:
                break


def search(
    games: Solutions, max_lines: int, progress: Callable[[int], None] = lambda done: None
) -> dict[int, list[RuleLine]]:
    """The best list of STRONG lines and one BALANCE line found for each length from 3 to
    `max_lines`, the final "check everything else" included.

    The best shorter list is extended by a line above or below its STRONG lines and tuned. progress
    is called with each length reached.
    """
    lists, best = {}, [RuleLine(BALANCE, 0.6)]
    for length in range(3, max_lines + 1):
        candidates = (_tuned(start, games) for start in _extended(best))
        lists[length] = best = min(candidates, key=lambda lines: losses(lines, games).mean())
        progress(length)
    return lists


def _extended(lines: list[RuleLine]) -> list[list[RuleLine]]:
    """Lists with one more STRONG line, above all others and below all others."""
    *strong, balance = lines
    top = RuleLine(STRONG, 0.5 * (1 + max((x.threshold for x in strong), default=0.8)), 25)
    low = RuleLine(STRONG, min((x.threshold for x in strong), default=0.85) - 0.07, 4)
    return [[top, *strong, balance], [*strong, low, balance]]


def _tuned(lines: list[RuleLine], games: Solutions) -> list[RuleLine]:
    """Coordinate descent on the mean loss: the lines' numbers in turn until none improves it, with
    coarse steps before fine ones.
    """
    best, least = lines, losses(lines, games).mean()
    for percent, size in ((8, 6), (3, 3), (1, 1)):
        improved = True
        while improved:
            improved = False
            for i in range(len(best)):
                for line in _neighbors(best[i], percent, size):
                    candidate = [*best[:i], line, *best[i + 1 :]]
                    loss = losses(candidate, games).mean()
                    if loss < least - 1e-7:
                        best, least, improved = candidate, loss, True
    return best


def _neighbors(line: RuleLine, percent: int, size: int) -> list[RuleLine]:
    """Lines whose threshold differs by 0 or `percent` points and whose size by 0 or `size`, within
    bounds.
    """
    (low, high), neighbors = _BOUNDS[line.kind], []
    for shift, step in product((-1, 0, 1), (-1, 0, 1) if line.size else (0,)):
        threshold = round(min(max(line.threshold + shift * percent / 100, low), high), 2)
        new_size = min(max(line.size + step * size, 1), _N_SIZES - 1) if line.size else 0
        neighbors.append(RuleLine(line.kind, threshold, new_size))
    return [x for x in dict.fromkeys(neighbors) if x != line]


def share_beaten(other: np.ndarray) -> np.ndarray:
    """Share (n, 10) of the opponent's possible cards that each card beats; the opponent cannot hold
    that card itself.
    """
    below, above = np.cumsum(other, axis=1) - other, 1 - np.cumsum(other, axis=1)
    return below / np.maximum(below + above, 1e-300)


def with_80_20_rule(strategies: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Strategies (n, 10, 31) after the paper's first rule: cards that beat 20 to 80 % of the
    opponent's check.
    """
    beaten = share_beaten(other)
    middling = (beaten >= 0.2) & (beaten <= 0.8)
    return np.where(middling[:, :, None], np.eye(_N_SIZES)[0], strategies)


def all_in_rule_applies(other: np.ndarray) -> np.ndarray:
    """Whether the paper's second rule speaks of a game, (n,): the opponent's cards are strong, 7 to
    10, at least 10 % of the time.
    """
    return other[:, -_STRONG_CARDS:].sum(axis=1) >= 0.1


def with_all_in_rule(strategies: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Strategies (n, 10, 31) after the paper's second rule: cards that beat at least 95 % of the
    opponent's go all-in, where the rule applies.
    """
    strongest = (share_beaten(other) >= 0.95) & all_in_rule_applies(other)[:, None]
    return np.where(strongest[:, :, None], np.eye(_N_SIZES)[-1], strategies)
