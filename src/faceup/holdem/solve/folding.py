"""Cards to come, up to the renaming of suits that changes nothing on the board."""

from collections.abc import Sequence

import numpy as np

from faceup.cards.cards import SUIT_PERMUTATIONS


def folded_cards(board: Sequence[int], fixed: np.ndarray) -> list[tuple[int, list[int]]]:
    """Next cards up to the suit permutations `fixed` (indices) that leave the board as it is.

    Returns (card, permutations), one permutation for each card that the first stands for.
    """
    seen: set[int] = set()
    out = []
    for card in range(52):
        if card in board or card in seen:
            continue
        images: dict[int, int] = {}
        for p in fixed:
            images.setdefault(4 * (card // 4) + int(SUIT_PERMUTATIONS[p, card % 4]), int(p))
        seen.update(images)
        out.append((card, list(images.values())))
    return out


def fixing_permutations(cards: Sequence[int], among: np.ndarray) -> np.ndarray:
    """Those of the suit permutations `among` (indices) that map a set of cards to itself."""
    cards = np.asarray(cards)
    moved = 4 * (cards // 4) + SUIT_PERMUTATIONS[among][:, cards % 4]
    return among[(np.sort(moved, axis=1) == np.sort(cards)).all(axis=1)]
