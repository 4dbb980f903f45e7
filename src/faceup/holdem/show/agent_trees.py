"""An agent's trees in a card player's words: drawn as outlines, and as a web page."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure

from faceup.holdem.betting.betting_tree import STREETS
from faceup.holdem.learn.agent_file import load_agent_file
from faceup.holdem.play.words import action_name, condition, wording
from faceup.notebook.figures import GREEN, ORANGE, RED, SKY
from faceup.notebook.storage import write_text
from faceup.trees import figures
from faceup.trees.figures import Part, Words
from faceup.trees.page import PageWords, tree_page

WINE = "#7B1E3A"

_INTRO = """\
<p>Every decision starts at the top of its round and follows the answers that hold for it. The bar says how often each action
is taken there, the number behind it the branch's share of the stake (chance that play comes there times dollars in the pot).
Grey branches are closed: click, or go there with Tab and press Enter. Equity is the chance to win a showdown against a random
hand, ties half; &ldquo;on 90 % of rivers equity at most 60 %&rdquo; means that after at least 90 % of all ways to complete the
board it is no more. Bets are dollars that a player has put in on that round, blinds included; blinds are $50 and $100, stacks
$20,000.</p>
"""


def action_colours(labels: Sequence[str]) -> list[str]:
    """A colour for each label: cool for fold and call, from orange to red for bets by size, dark for all-in."""
    raises = [label for label in labels if label.startswith("raise_")]
    ramp = LinearSegmentedColormap.from_list("raises", [ORANGE, RED])
    warm = {label: to_hex(ramp(i / max(len(raises) - 1, 1))) for i, label in enumerate(raises)}
    return [warm.get(label) or {"fold": SKY, "call": GREEN, "all_in": WINE}[label] for label in labels]


def tree_figure(parts: Sequence[Part], labels: Sequence[str], extra: float = 0.0) -> tuple[Figure, Axes]:
    """`faceup.trees.figures.tree_figure` of trees that answer with these labels."""
    words = Words([action_name(label) for label in labels], action_colours(labels), condition, "share of\nstake")
    return figures.tree_figure(parts, words, extra)


def write_page(agent: Path, path: Path, title: str) -> int:
    """Write the page of an agent's file, whole or not at all; returns its size in bytes. Raises ValueError on a bad file."""
    file = load_agent_file(agent)
    words = PageWords(
        rounds=STREETS,
        actions=[action_name(label) for label in file.labels],
        colours=action_colours(file.labels),
        dark=[label == "all_in" for label in file.labels],
        features={name: wording(name)._asdict() for names in file.feature_names for name in names},
    )
    text = tree_page(agent.read_text(encoding="utf-8"), words, title, _INTRO)
    write_text(path, text)
    return len(text.encode())
