"""An agent's file: JSON of four decision trees, one a round, each packed as `faceup.trees.packed` has it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from faceup.holdem.betting.betting_tree import STREETS
from faceup.notebook.storage import load_json, write_text
from faceup.trees.decision_tree import DecisionTree, check_tree
from faceup.trees.packed import checked_names, pack, unpack

FORMAT = "faceup-trees-1"


class AgentFile(NamedTuple):
    """What an agent's file holds."""

    trees: tuple[DecisionTree, ...]  # one a round
    feature_names: tuple[tuple[str, ...], ...]  # of each round
    labels: tuple[str, ...]
    provenance: dict


def save_agent(
    path: Path, trees: Sequence[DecisionTree], feature_names: Sequence[Sequence[str]], labels: Sequence[str], provenance: dict
) -> None:
    """Write four trees, one a round, the names of their features and labels, and where they come from."""
    content: dict[str, Any] = {"format": FORMAT, "provenance": provenance, "labels": list(labels)}
    checked_names("labels", labels)
    for street, tree, names in zip(STREETS, trees, feature_names, strict=True):
        checked_names(f"{street}: feature_names", names)
        check_tree(tree, len(names), len(labels), street)
        content[street] = {"feature_names": list(names), **pack(tree)}
    lines = [
        f"{json.dumps(key)}: {json.dumps(part, separators=(',', ':'), ensure_ascii=False, allow_nan=False)}"
        for key, part in content.items()
    ]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def load_agent_file(path: Path) -> AgentFile:
    """Read what `save_agent` wrote; raises ValueError naming what is wrong with the file."""
    content = load_json(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path}: expected an agent with format {FORMAT!r}")
    if set(content) != {"format", "provenance", "labels", *STREETS}:
        raise ValueError(f"{path}: keys are {sorted(content)}, expected provenance, labels and the rounds")
    if not isinstance(content["provenance"], dict):
        raise ValueError(f"{path}: provenance is {content['provenance']!r}, expected a dict")
    labels = checked_names(f"{path}: labels", content["labels"])
    rounds = [unpack(content[street], len(labels), f"{path}: {street}") for street in STREETS]
    trees, names = zip(*rounds, strict=True)
    return AgentFile(trees, names, labels, content["provenance"])
