"""Random streams: each is used in one place, so that what chose and what judges saw other boards."""

import ast
import json
import re
from collections import defaultdict

from faceup.lab.paths import ROOT

SHARED = {"exploitability/flops"}  # by exploitability and safe: all agents meet the same flops, so that differences are paired
MAKER = re.compile(r"random_state=|manual_seed|'seed': int|(?:import|from) random\b|numpy\.random|np\.random\.(?!Generator)\w+")
MAKERS = {  # of generators: numpy's in lab/rng, and those of libraries, which are begun with an integer drawn from a stream
    ("rng", "np.random.default_rng"), ("clusters", "random_state="), ("cart", "random_state="), ("trees", "random_state="),
    ("models", "manual_seed"), ("models", "'seed': int"),
}  # fmt: skip


def sources():
    """Name and syntax tree of each module, and of each notebook of the pipeline."""
    for path in (ROOT / "src").rglob("*.py"):
        yield path.stem, ast.parse(path.read_text())
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        yield path.stem, ast.parse("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))


def words_of(node):
    """The words of a stream where a node is rng(seed, words) or partial(rng, seed, words), else an empty text."""
    match node:
        case ast.Call(ast.Name("rng"), [_, words, *_]) | ast.Call(ast.Name("partial"), [ast.Name("rng"), _, words]):
            return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in getattr(words, "values", [words]))
    return ""


def test_each_stream_is_used_in_one_place_and_begins_with_its_stage():
    places = defaultdict(list)
    for name, tree in sources():
        for words in filter(None, map(words_of, ast.walk(tree))):
            places[words].append("16_matches" if name == "slumbot" else name)
    assert {words for words, names in places.items() if len(names) > 1} == SHARED
    for words, names in places.items():
        assert min(names).partition("_")[2] == words.partition("/")[0].replace(" ", "_"), words


def test_nothing_else_makes_generators():
    assert {(name, maker) for name, tree in sources() for maker in MAKER.findall(ast.unparse(tree))} == MAKERS
