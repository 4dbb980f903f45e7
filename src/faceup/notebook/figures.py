"""One look for all notebooks: the style, the colours, saving a figure.

`save` writes a figure as PNG without dates and versions, so that the same numbers give the same bytes, and returns the picture
for the notebook to show. A palette of 256 colours makes it a third as large and leaves every pixel where it was.
"""

import re
from io import BytesIO
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image as Picture

from faceup.notebook.paths import FIGURES
from faceup.notebook.storage import replacing

# Okabe and Ito's eight colours: told apart by people with any of the common colour deficiencies.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, BLACK = "#CC79A7", "#56B4E9", "#F0E442", "#000000"
GREY = "#7F7F7F"
PALETTE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK, YELLOW)

STYLE = {
    "figure.figsize": (9.0, 4.5),
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that text is as wide on every machine
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": plt.cycler(color=PALETTE),
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "image.cmap": "viridis",
}


def ink_on(colour: Any) -> str:
    """Black or white, whichever is easier to read on a colour of matplotlib's: white on those of middling light."""
    return "black" if np.power(to_rgb(colour), 2.2) @ (0.2126, 0.7152, 0.0722) > 0.25 else "white"


def use_style() -> None:
    """Give every figure of this process the house's look."""
    plt.rcParams.update(STYLE)


def save(figure: Figure, name: str) -> Image:
    """Write reports/figures/<name>.png, close the figure, and return the picture to show; name: "stage/what".

    Raises ValueError for a name of another form: a stage's figures lie in one folder of its name.
    """
    if not re.fullmatch(r"\w+/\w+", name):
        raise ValueError(f"figure is called {name!r}, expected the stage and what it shows, such as 'equity/chart'")
    path = FIGURES / f"{name}.png"
    drawn = BytesIO()
    figure.savefig(drawn, format="png")
    few = Picture.open(drawn).convert("RGB").quantize(256, dither=Picture.Dither.NONE)
    with replacing(path) as temporary:
        few.save(temporary, format="PNG", optimize=True)
    plt.close(figure)  # else the notebook would show it a second time
    return Image(data=path.read_bytes(), format="png")
