"""Pictures of a hand (paper 000, Figs 1 to 3): its cards, how it may unfold, its future equities, its features.

And the usual chart of the 169 starting hands.
"""

import random
from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from faceup.cards.cards import CLASS_NAMES, STREETS, card_text, parse_cards
from faceup.cards.equity import N_DECILES, UNITS
from faceup.cards.features import FEATURE_NAMES, Hand, feature_names
from faceup.cards.strength import category, strength
from faceup.notebook.figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, ink_on

RED = "#C00000"  # of hearts and diamonds, and of the opponent
SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
INK = {"c": BLACK, "d": RED, "h": RED, "s": BLACK}
ROLES = {  # outline colour and line style
    "hole": (BLUE, "-"),
    "board": (GREEN, "-"),
    "future": (GREEN, (0, (3, 2))),
    "opponent": (RED, (0, (3, 2))),
}
OUTCOMES = {"win": BLUE, "tie": GREY, "loss": RED}
PLURALS = {"win": "wins", "tie": "ties", "loss": "losses"}
LATER_COLOURS = dict(zip(STREETS, (BLACK, ORANGE, GREEN, PURPLE), strict=True))
CARD_WIDTH, CARD_HEIGHT, CARD_STEP, ROW_STEP = 0.72, 1.0, 0.86, 1.25


def card_row(axes: Axes, cards: Sequence[str], role: str, x: float, y: float) -> float:
    """Draw cards such as "Ac", or "?" for one not seen, side by side from x; returns where the next would start.

    role: of ROLES. Data units; a card is 0.72 wide and 1 high.
    """
    colour, line = ROLES[role]
    for card in cards:
        outline = FancyBboxPatch(
            (x, y), CARD_WIDTH, CARD_HEIGHT, boxstyle="round,pad=0,rounding_size=0.1",
            facecolor="white", edgecolor=colour, linewidth=2, linestyle=line,
        )  # fmt: skip
        axes.add_patch(outline)
        text, ink = ("?", colour) if card == "?" else (f"{card[0].replace('T', '10')}\n{SYMBOLS[card[1]]}", INK[card[1]])
        middle = (x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2)
        axes.text(*middle, text, ha="center", va="center", size=13, color=ink, linespacing=0.95)
        x += CARD_STEP
    return x


def _table(n_rows: int, width: float, headings: dict[str, float]) -> tuple[Figure, Axes]:
    """Empty space for rows of cards, row 0 on top at y = 0, with headings above it at the given x."""
    height = ROW_STEP * n_rows + 0.55
    figure, axes = plt.subplots(figsize=(9, 9 * height / width))
    axes.set(xlim=(-0.2, width - 0.2), ylim=(0.9 - ROW_STEP * n_rows, 1.6), aspect="equal")
    axes.axis("off")
    for text, x in headings.items():
        axes.text(x, 1.22, text, size=10, weight="bold", va="bottom")
    return figure, axes


def _outcome(hole: Sequence[str], board: Sequence[str], opponent: Sequence[str]) -> tuple[str, str]:
    """win, tie or loss, and both players' categories."""
    ours, theirs = (strength(parse_cards("".join([*cards, *board]))) for cards in (hole, opponent))
    word = "win" if ours > theirs else "tie" if ours == theirs else "loss"
    return word, f"{category(ours)} against {category(theirs)}"


def _examples(hand: Hand, seed: int) -> list[tuple[list[str], list[str]]]:
    """A win, a tie and a loss as (public cards to come, opponent's hole), as far as chance finds them."""
    draw = random.Random(seed)
    hole, board = _texts(hand.hole), _texts(hand.board)
    unseen = [card for card in _texts(range(52)) if card not in hole + board]
    found: dict[str, tuple[list[str], list[str]]] = {}
    for _ in range(5000):
        *future, first, second = draw.sample(unseen, 7 - len(board))
        found.setdefault(_outcome(hole, board + future, [first, second])[0], (future, [first, second]))
    return [found[word] for word in OUTCOMES if word in found]


def unfoldings(hand: Hand, seed: int = 0) -> Figure:
    """Fig. 2: a hand, what it does not see, and random examples of how it may end: a win, a tie, a loss.

    Beside each stands how many of all unfoldings end as it does.
    """
    hole, board = _texts(hand.hole), _texts(hand.board)
    board_x = 2 * CARD_STEP + 0.5
    future_x = board_x + len(board) * CARD_STEP + 0.15
    opponent_x = future_x + (5 - len(board)) * CARD_STEP + 0.5
    outcome_x = opponent_x + 2 * CARD_STEP + 0.3
    headings = {"your hand": 0, "public cards": board_x, "opponent": opponent_x, "outcome": outcome_x}
    examples = _examples(hand, seed)
    figure, axes = _table(1 + len(examples), outcome_x + 3.3, headings)
    total = sum(hand.outcomes)
    counts = dict(zip(OUTCOMES, hand.outcomes, strict=True))
    unseen = ["?"] * (5 - len(board)), ["?", "?"]
    for i, (future, opponent) in enumerate([unseen, *examples]):
        y = -ROW_STEP * i
        card_row(axes, hole, "hole", 0, y)
        card_row(axes, board, "board", board_x, y)
        card_row(axes, future, "future", future_x, y)
        card_row(axes, opponent, "opponent", opponent_x, y)
        word, here, alike, n, colour = "all", "", "all unfoldings", total, BLACK
        if i > 0:
            word, why = _outcome(hole, board + future, opponent)
            here, alike, n, colour = f"here: {why}", f"all {PLURALS[word]}", counts[word], OUTCOMES[word]
        axes.text(outcome_x, y + 0.8, word, va="center", size=12, weight="bold", color=colour)
        axes.text(outcome_x, y + 0.5, f"{alike}: {n:,} ({100 * n / total:.2f} %)", va="center", size=9)
        axes.text(outcome_x, y + 0.2, here, va="center", size=9)
    return figure


def _texts(cards: Sequence[int]) -> list[str]:
    return [card_text(card) for card in cards]


def equity_histogram(axes: Axes, hand: Hand, street: int) -> None:
    """Fig. 3, upper half: how often each equity occurs on a later street, with a line at each decile."""
    values, counts = hand.histogram(street)
    name = STREETS[street]
    edges = np.arange(0, 1.0001, 0.02)
    axes.hist(values / UNITS[street], bins=edges, weights=counts, color=LATER_COLOURS[name])
    for d, decile in enumerate(hand.deciles(street)):
        axes.axvline(decile, color=BLACK, linewidth=0.8, linestyle=(0, (4, 3)), label="" if d else "the ten deciles")
    axes.legend(loc="upper left")
    axes.set(xlim=(0, 1), xlabel=f"equity on the {name}", ylabel=f"{name}s (of {counts.sum():,})")
    axes.set_title(f"The {counts.sum():,} equities on the {name}")


def decile_steps(axes: Axes, hand: Hand, street: int) -> None:
    """Fig. 3, lower half: the share of futures at or below each equity, and where it reaches 10 %, 20 %, .."""
    values, counts = hand.histogram(street)
    deciles, levels = hand.deciles(street), np.arange(1, N_DECILES + 1) / N_DECILES
    x = np.concatenate([[0], values / UNITS[street], [1]])
    share = np.concatenate([[0], np.cumsum(counts) / counts.sum(), [1]])
    axes.step(x, share, where="post", color=LATER_COLOURS[STREETS[street]], linewidth=1.5)
    axes.plot(deciles, levels, "o", color=BLACK, markersize=4, clip_on=False, zorder=3)
    axes.set(xlim=(0, 1), ylim=(0, 1.05))
    axes.set(xlabel=f"equity on the {STREETS[street]}", ylabel="share at or below")
    axes.set_title(f"Its deciles on the {STREETS[street]}")
    axes.set_yticks([0, *levels], [f"{level:.0%}" for level in (0, *levels)])
    axes.grid(axis="y")
    values_axis = axes.secondary_yaxis("right")
    values_axis.set_yticks(levels, [f"{decile:.4f}" for decile in deciles])
    values_axis.set_ylabel("equity at the decile")
    values_axis.spines["right"].set_visible(False)


def feature_vector(values: Sequence[float], street: int, title: str) -> Figure:
    """Fig. 1: the features a model reads, as bars in their groups: equity, deciles by street, opponent's bets.

    Raises ValueError where values are not as many as the street has features.
    """
    if len(values) != len(feature_names(street)):
        expected = f"{len(feature_names(street))} on the {STREETS[street]}"
        raise ValueError(f"values: has {len(values)}, expected {expected}")
    n_hand = len(FEATURE_NAMES[street])
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=[n_hand + 3, 10])
    _equity_bars(left, values[:n_hand], STREETS[street + 1 :])
    left.set_title(f"{title}: {n_hand} feature{'s' * (n_hand > 1)} of the cards")
    right.bar(range(4), values[n_hand:], color=SKY, width=0.85)
    for x, bet in enumerate(values[n_hand:]):
        right.text(x, bet, f"{bet:.0f}", ha="center", va="bottom", size=8)
    right.set_xticks(range(4), STREETS, size=8)
    right.set(ylabel="opponent's bet (dollars)", ylim=(0, 1.15 * max(100, *values[n_hand:])))
    right.set_title("4 features: opponent's bets")
    return figure


def _equity_bars(axes: Axes, values: Sequence[float], later: Sequence[str]) -> None:
    """The equity now, then ten deciles of each later street."""
    place = np.array([0] + [1 + i + 0.8 * (1 + i // N_DECILES) for i in range(N_DECILES * len(later))])
    colours = [BLUE] + [LATER_COLOURS[name] for name in later for _ in range(N_DECILES)]
    axes.bar(place, values, color=colours, width=0.85)
    for x, value in zip(place, values, strict=True):
        axes.text(x, value + 0.01, f"{value:.2f}", ha="center", va="bottom", size=7, rotation=90)
    axes.set_xticks(place, ["now"] + [f"{10 * d}" for _ in later for d in range(1, N_DECILES + 1)], size=8)
    axes.set(ylim=(0, 1.12), xlim=(-0.8, place[-1] + 0.8), ylabel="equity")
    for i, name in enumerate(later):
        middle = place[1 + N_DECILES * i : 1 + N_DECILES * (i + 1)].mean()
        axes.text(middle, -0.1, f"{name} equity, deciles", ha="center", va="top", color=LATER_COLOURS[name])


def chart13(
    axes: Axes,
    values: Sequence[float] | np.ndarray,
    label: str,
    *,
    show: Callable[[float], str] = "{:.2f}".format,
    cmap: str | None = None,
    limits: tuple[float, float] | None = None,
) -> None:
    """The usual 13 x 13 chart: aces first, suited hands above the diagonal, a name and a number in each cell.

    values: one a starting hand, (169,), in the order of CLASS_NAMES. label: what the colour says, with its unit. limits: the
    values at the ends of the colour bar; default the least and the largest.
    """
    grid = np.asarray(values, dtype=float).reshape(13, 13)
    low, high = limits or (grid.min(), grid.max())
    image = axes.imshow(grid, cmap=cmap, vmin=low, vmax=high)
    for cell, name in enumerate(CLASS_NAMES):
        row, column = divmod(cell, 13)
        ink = ink_on(image.cmap(image.norm(grid[row, column])))
        axes.text(column, row - 0.16, name, ha="center", va="center", size=8, weight="bold", color=ink)
        axes.text(column, row + 0.2, show(grid[row, column]), ha="center", va="center", size=7.5, color=ink)
    axes.set_xticks(np.arange(14) - 0.5, [""] * 14)
    axes.set_yticks(np.arange(14) - 0.5, [""] * 14)
    axes.grid(color="white", linewidth=1)
    axes.set_axisbelow(False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label).outline.set_visible(False)
