"""Decision trees as one web page that needs nothing else: no network, no library.

The page carries the file of trees as it is and a short script that writes out a branch when it is opened. Branches are the
browser's own <details>, so that they open by mouse, by keyboard and for a screen reader alike.
"""

import html
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem; }
body { color: #222; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-top: 1px solid #ccc; padding-top: 1rem; }
nav a { margin-right: 1rem; }
details, .leaf { margin-left: 1.3rem; border-left: 1px solid #ccc; padding-left: 0.5rem; }
.tree > details { margin-left: 0; border-left: none; }
summary { cursor: pointer; border-radius: 4px; }
details:not([open]) > summary { background: #eee; }
summary:focus-visible { outline: 2px solid #0072B2; }
.row { display: inline-flex; width: calc(100% - 1.5rem); align-items: center; gap: 0.7rem; vertical-align: top; }
.leaf .row { width: 100%; }
.text { flex: 1; }
.size { color: #666; font-size: 0.8rem; white-space: nowrap; }
.share { width: 4.5rem; text-align: right; font-size: 0.85rem; white-space: nowrap; }
.bar { display: flex; width: 15rem; height: 1.1rem; font-size: 0.72rem; line-height: 1.1rem; }
.bar span { overflow: hidden; text-align: center; color: #000; }
.bar span.dark { color: #fff; }
.key span { display: inline-block; width: 0.9rem; height: 0.9rem; margin: 0 0.3rem 0 1rem; vertical-align: -0.1rem; }
"""

_SCRIPT = """
"use strict";
const agent = JSON.parse(document.getElementById("agent").textContent);
const words = JSON.parse(document.getElementById("words").textContent);

// A packed tree lists its nodes in preorder: a split, its left branch, its right branch.
function unpack(packed) {
  const n = packed.feature.length;
  const tree = { feature: packed.feature, threshold: [], left: [], right: [], value: [], weight: [], leaves: [] };
  let split = packed.threshold.length, leaf = packed.value.length;
  const waiting = [];
  for (let i = n - 1; i >= 0; i--) {
    if (packed.feature[i] < 0) {
      leaf--;
      const total = packed.value[leaf].reduce((a, b) => a + b, 0);
      tree.value[i] = packed.value[leaf].map(v => v / total);
      tree.weight[i] = packed.weight[leaf];
      tree.leaves[i] = 1;
    } else {
      tree.threshold[i] = packed.threshold[--split];
      const l = tree.left[i] = waiting.pop(), r = tree.right[i] = waiting.pop();
      tree.weight[i] = tree.weight[l] + tree.weight[r];
      tree.leaves[i] = tree.leaves[l] + tree.leaves[r];
      tree.value[i] = tree.value[l].map((v, k) => (v * tree.weight[l] + tree.value[r][k] * tree.weight[r]) / tree.weight[i]);
    }
    waiting.push(i);
  }
  return tree;
}

function number(said, value) {
  if (said.dollars) return "$" + Math.round(value).toLocaleString("en-US");
  return Number((said.percent ? 100 * value : value).toPrecision(4)) + (said.percent ? " %" : "");
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function bar(mixture) {
  const made = element("span", "bar");
  const said = [];
  mixture.forEach((share, k) => {
    if (share < 0.0005) return;
    const part = element("span", words.dark[k] ? "dark" : "", share >= 0.1 ? (100 * share).toFixed(0) : "");
    part.style.width = 100 * share + "%";
    part.style.background = words.colours[k];
    part.title = words.actions[k] + " " + (100 * share).toFixed(1) + " %";
    said.push(part.title);
    made.append(part);
  });
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", said.join(", "));
  return made;
}

function row(tree, node, text) {
  const made = element("span", "row");
  made.append(element("span", "text", text));
  if (tree.leaves[node] > 1) made.append(element("span", "size", tree.leaves[node].toLocaleString("en-US") + " leaves"));
  made.append(bar(tree.value[node]));
  const share = 100 * tree.weight[node] / tree.weight[0];
  made.append(element("span", "share", share < 0.005 ? "< 0.01 %" : share.toFixed(share < 9.95 ? 2 : 1) + " %"));
  return made;
}

// A branch's rows are made when it is first opened.
function branch(tree, names, node, text) {
  if (tree.feature[node] < 0) {
    const leaf = element("div", "leaf");
    leaf.append(row(tree, node, text));
    return leaf;
  }
  const made = element("details"), head = element("summary");
  head.append(row(tree, node, text));
  made.append(head);
  made.addEventListener("toggle", () => fill(made, tree, names, node));
  return made;
}

function fill(made, tree, names, node) {
  if (!made.open || made.childElementCount > 1) return;
  const name = names[tree.feature[node]], said = words.features[name];
  const at = number(said, tree.threshold[node]);
  made.append(branch(tree, names, tree.left[node], said.at_most.replace("{}", at)));
  made.append(branch(tree, names, tree.right[node], said.above.replace("{}", at)));
}

function open(made, tree, names, node, levels) {
  if (levels === 0 || tree.feature[node] < 0) return;
  made.open = true;
  fill(made, tree, names, node);
  open(made.children[1], tree, names, tree.left[node], levels - 1);
  open(made.children[2], tree, names, tree.right[node], levels - 1);
}

for (const round of words.rounds) {
  const tree = unpack(agent[round]), names = agent[round].feature_names;
  const top = branch(tree, names, 0, "all decisions");
  document.getElementById(round).append(top);
  open(top, tree, names, 0, 2);
}
"""

_BODY = """<h1>{title}</h1>
{intro}<p class="key" aria-label="actions">{key}</p>
<nav aria-label="rounds">{links}</nav>
{sections}
<noscript><p>The trees are written out by a script in this page; the browser has scripts switched off.</p></noscript>
"""


class PageWords(NamedTuple):
    """How a page says what trees ask and answer."""

    rounds: Sequence[str]  # the trees' keys in the file, in the order of the page
    actions: Sequence[str]  # what each label is called
    colours: Sequence[str]  # of each label
    dark: Sequence[bool]  # whether its colour needs white text
    # of each feature: "at_most" and "above", in which {} stands for the threshold, "percent" (it is from 0 to 1) and "dollars"
    features: Mapping[str, Mapping[str, str | bool]]


def tree_page(file: str, words: PageWords, title: str, intro: str) -> str:
    """The page as HTML. file: JSON with a tree under each key of words.rounds, as `faceup.trees.packed` packs it with the names
    of its features; intro: HTML that stands before the trees."""
    key = "".join(
        f'<span style="background:{c}"></span>{html.escape(a)}' for a, c in zip(words.actions, words.colours, strict=True)
    )
    links = "".join(f'<a href="#{r}">{r}</a>' for r in words.rounds)
    sections = "\n".join(f'<h2>{r.capitalize()}</h2>\n<div class="tree" id="{r}"></div>' for r in words.rounds)
    body = _BODY.format(title=html.escape(title), intro=intro, key=key, links=links, sections=sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}"
        f'<script type="application/json" id="agent">{_embedded(file)}</script>\n'
        f'<script type="application/json" id="words">{_embedded(json.dumps(words._asdict(), ensure_ascii=False))}</script>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _embedded(text: str) -> str:
    """JSON that cannot end the element it stands in."""
    return text.replace("<", "\\u003c")
