"""params.yaml: reading and checking it. A wrong file is one clear ValueError before work starts.

What may stand in it is written in `faceup.notebook.schema`. Values reach the code as they stand in the file: a rule refuses,
it never converts. Studies (notebooks/studies/) have sections of their own, one each, in notebooks/studies/params.yaml,
checked against STUDIES.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from faceup.notebook.paths import ROOT
from faceup.notebook.schema import SCHEMA, STUDIES, Rule


class _UniqueKeys(yaml.SafeLoader):
    """Plain YAML in which a key given twice is an error, not a silent override."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        """The keys and values of a node. Raises ValueError where a key is there twice."""
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                line = node.value[i][0].start_mark.line + 1
                raise ValueError(f"key {key} appears a second time in line {line}, expected once")
        return super().construct_mapping(node, deep)


def _check(rules: Mapping[str, Rule | dict], values: Any, place: str, prefix: str = "") -> None:
    if not isinstance(values, dict):
        what = prefix.rstrip(".") or "the file"
        raise ValueError(f"{place}{what} is {values!r}, expected keys with values")
    for key in values:
        if key not in rules:
            known = ", ".join(rules) or "(none)"
            raise ValueError(f"{place}{prefix}{key} is unknown, expected one of {known}")
    for key, rule in rules.items():
        expected = rule.expected if isinstance(rule, Rule) else "a section"
        if key not in values:
            raise ValueError(f"{place}{prefix}{key} is missing, expected {expected}")
        if isinstance(rule, dict):
            _check(rule, values[key], place, f"{prefix}{key}.")
        elif not rule.accepts(values[key]):
            raise ValueError(f"{place}{prefix}{key} is {values[key]!r}, expected {expected}")


def load_parameters(path: str | os.PathLike | None = None) -> dict[str, Any]:
    """All parameters of `path` (default: the repository's params.yaml), checked against SCHEMA.

    Raises ValueError naming file, dotted key, value and what was expected.
    """
    return _load(Path(path or ROOT / "params.yaml"), SCHEMA)


def load_study_parameters() -> dict[str, Any]:
    """All parameters of notebooks/studies/params.yaml, checked against STUDIES; ValueError as `load_parameters`."""
    return _load(ROOT / "notebooks" / "studies" / "params.yaml", STUDIES)


def _load(path: Path, rules: Mapping[str, Rule | dict]) -> dict[str, Any]:
    path = path.resolve()
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
    try:
        values = yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeys)
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{name}: {' '.join(str(error).split())}") from error
    _check(rules, values, f"{name}: ")
    return values


def section(name: str) -> dict[str, Any]:
    """The checked parameters of one section of params.yaml, e.g. section("selfplay")["iterations"]."""
    sections = [key for key, rules in SCHEMA.items() if isinstance(rules, dict)]
    if name not in sections:
        raise ValueError(f"section {name!r} is unknown, expected one of {', '.join(sections)}")
    return load_parameters()[name]
