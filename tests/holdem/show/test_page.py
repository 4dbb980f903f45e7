"""An agent's page: well-formed, self-contained, the agent inside it whole, its script in agreement with ours; and its colours."""

import json
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from random_trees import random_tree

from faceup.holdem.betting.betting_tree import STREETS
from faceup.holdem.learn.agent_file import load_agent_file, save_agent
from faceup.holdem.play.words import condition, wording
from faceup.holdem.show.figures import LIME, SKY, WINE, action_colours, write_page
from faceup.trees import page
from faceup.trees.decision_tree import leaves_below, node_depths

LABELS = ("fold", "call", "raise_1", "raise_2", "all_in")
NAMES = ("equity", "river_equity_p90", "opponent_bet_flop", "odd </script><b>")
VOID = {"meta", "br"}


class Page(HTMLParser):
    """Elements in order, the text of each script, and what was left open."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict]] = []
        self.scripts: list[tuple[dict, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)


@pytest.fixture
def made(tmp_path):
    agent = tmp_path / "agent.json"
    trees = [random_tree(i, 12 * i, len(NAMES), len(LABELS)) for i in range(4)]
    save_agent(agent, trees, [NAMES] * 4, LABELS, {"source": "<random>"})
    size = write_page(agent, tmp_path / "page.html", "A & <B>")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert size == len(text.encode())
    return agent, text


def test_the_page_is_well_formed_and_needs_nothing_else(made):
    _, text = made
    found = Page(text)
    assert not found.open
    assert "http" not in text and "//" not in text.replace("\n// ", ""), "expected no address of a network"
    assert not [a for _, attrs in found.elements for a in attrs if a in ("src", "onclick", "onload")]
    assert [attrs["href"] for tag, attrs in found.elements if tag == "a"] == [f"#{r}" for r in STREETS]
    assert {attrs.get("id") for _, attrs in found.elements} >= set(STREETS)
    assert "A &amp; &lt;B&gt;" in text


def test_the_agent_in_the_page_is_the_agent(made, tmp_path):
    agent, text = made
    script = next(s for attrs, s in Page(text).scripts if attrs.get("id") == "agent")
    copy = tmp_path / "copy.json"
    copy.write_text(script, encoding="utf-8")
    one, two = load_agent_file(agent), load_agent_file(copy)
    assert one.feature_names == two.feature_names and one.provenance == two.provenance
    assert all(np.array_equal(a, b) for t, u in zip(one.trees, two.trees, strict=True) for a, b in zip(t, u, strict=True))
    words = json.loads(next(s for attrs, s in Page(text).scripts if attrs.get("id") == "words"))
    assert set(words["features"]) == set(one.feature_names[0])
    assert words["features"]["equity"] == wording("equity")._asdict()


HARNESS = """
class Element {
  constructor() { this.children = []; this.style = {}; this.attributes = {}; }
  append(...more) { this.children.push(...more); }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener(name, f) { this.listener = f; }
  get childElementCount() { return this.children.length; }
}
const places = {};
const document = {
  createElement: name => Object.assign(new Element(), { name }),
  getElementById: id => places[id] ??= Object.assign(new Element(), { textContent: given[id] }),
};
"""

REPORT = """
const trees = {};
for (const r of words.rounds) {
  const t = unpack(agent[r]);
  t.said = t.feature.map((f, i) => f < 0 ? null : words.features[agent[r].feature_names[f]].above.replace("{}",
    number(words.features[agent[r].feature_names[f]], t.threshold[i])));
  trees[r] = t;
}
const rows = made => made.children.reduce((n, c) => n + (c instanceof Element ? rows(c) : 0), made.className === "row" ? 1 : 0);
console.log(JSON.stringify({ trees, rows: Object.fromEntries(words.rounds.map(r => [r, rows(places[r])])) }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="the page's script can only be run where node is installed")
def test_the_script_reads_the_trees_as_we_do(made):
    agent, text = made
    given = {attrs["id"]: s for attrs, s in Page(text).scripts if "id" in attrs}
    code = f"const given = {json.dumps(given)};\n{HARNESS}{page._SCRIPT}{REPORT}"
    done = subprocess.run(["node", "-"], input=code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found, file = json.loads(done.stdout), load_agent_file(agent)
    for name, tree, names in zip(STREETS, file.trees, file.feature_names, strict=True):
        read = found["trees"][name]
        splits = np.flatnonzero(tree.feature >= 0)
        assert read["feature"] == tree.feature.tolist() and read["leaves"] == leaves_below(tree).tolist()
        np.testing.assert_allclose(read["weight"], tree.weight, rtol=1e-9)
        np.testing.assert_allclose(read["value"], tree.value, atol=1e-6)
        assert [read["left"][i] for i in splits] == tree.left[splits].tolist()
        assert [read["right"][i] for i in splits] == tree.right[splits].tolist()
        said = [condition(names[tree.feature[i]], float(tree.threshold[i]), True) for i in splits]
        assert [read["said"][i] for i in splits] == said
        assert found["rows"][name] == (node_depths(tree) <= 2).sum()  # two questions are open at first


def test_each_action_has_a_colour_of_its_own():
    many = ("fold", "call", *(f"raise_{x}" for x in (0.5, 1, 2, 3)), "all_in")
    assert len(set(action_colours(many))) == len(many)
    assert action_colours(("fold", "call", "all_in")) == [SKY, LIME, WINE]
