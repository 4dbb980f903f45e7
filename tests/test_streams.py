"""Random streams: each is used in one place, nothing else makes generators, and what chose and what judges saw other boards."""

import ast
import json
import re
from collections import defaultdict

import numpy as np
import pytest

from faceup.cards.cards import canonical, canonical_boards
from faceup.holdem.match import random_boards
from faceup.lab.parameters import read_yaml
from faceup.lab.paths import ROOT
from faceup.lab.rng import rng

SHARED = {"exploitability/flops"}  # by exploitability and safe: all agents meet the same flops, so that differences are paired
MAKER = re.compile(r"random_state=|manual_seed|'seed': int|(?:import|from) random\b|numpy\.random|np\.random\.(?!Generator)\w+")
MAKERS = {  # of generators: numpy's in lab/rng, and those of libraries, which are begun with an integer drawn from a stream
    ("rng", "np.random.default_rng"), ("clusters", "random_state="), ("cart", "random_state="), ("trees", "random_state="),
    ("models", "manual_seed"), ("models", "'seed': int"),
}  # fmt: skip
OF_SAFE = "safe/leak boards=leak_boards", "safe/match boards=match_boards", "safe/local boards=lbr_boards"
OTHERS, UNSEEN, ALL = "safe/test boards=test_boards", "safe/unseen boards=unseen_boards", "matches/boards=match_boards"
JUDGES = {  # of what was learnt or chosen on boards: streams, with the parameter that says how many boards
    "safe/turn boards=tree_boards": [*OF_SAFE, OTHERS, ALL],
    "safe/river boards=river_snapshots": [UNSEEN],
    "safe/street boards=street_boards": [UNSEEN],
    "safe/search boards=search_boards": [OTHERS],
    "distill/boards=row_boards": ["distill/match boards=own_match_boards", "exploitability/match boards=fidelity_boards", ALL],
    "strategy/search boards=search_boards": ["strategy/test boards=test_boards"],
    "selfplay time/row boards=row_boards": ["selfplay time/match boards=subset_boards"],
}
PARAMETERS = read_yaml(ROOT / "params.yaml")


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


def turns(stream):
    """The turn boards of a stream, up to suits. Those that are learnt from by their number have a generator each."""
    (words, knob), seed = stream.split("="), PARAMETERS["seed"]
    n = np.max(PARAMETERS[words.partition("/")[0].replace(" ", "_")][knob])
    numbered = words[5:] in ("turn boards", "river boards")
    dealt = [rng(seed, words, k).permutation(52) for k in range(n)] if numbered else random_boards(n, rng(seed, words))
    return np.array([canonical(board[:4].tolist())[0] for board in dealt])


@pytest.mark.parametrize(("chose", "judges"), [(chose, one) for chose, several in JUDGES.items() for one in several])
def test_what_judges_meets_boards_that_chose_by_chance_alone(chose, judges):
    """`mean` pairs of boards are the same up to suits by chance; that so many more are has a chance below 1 in 100,000."""
    known, met = turns(chose), turns(judges)
    mean = len(known) * len(met) * ((canonical_boards(4).multiplicity / 270_725) ** 2).sum()
    assert np.isin(met, known).sum() <= mean + 5 * np.sqrt(mean) + 3
