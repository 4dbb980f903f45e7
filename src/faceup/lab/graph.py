"""Which stage runs a notebook, what it needs and makes, and which stages stand behind it: of
dvc.yaml and of the studies.
"""

from typing import NamedTuple

from faceup.lab.parameters import read_yaml
from faceup.util.paths import ROOT, STUDIES


class Stage(NamedTuple):
    """What runs, e.g. "16_matches" or "studies/lbr", what it depends on, and what it makes."""

    name: str
    deps: list[str]
    outs: list[str]


def stages_behind(name: str) -> list[Stage]:
    """A notebook's stage, then those that it depends on, directly or not. Nothing where it has no
    stage.
    """
    files = [folder / "dvc.yaml" for folder in (ROOT, STUDIES)]
    stages = []
    for stage in [
        stage for file in files if file.is_file() for stage in read_yaml(file)["stages"].values()
    ]:
        outs = [*stage.get("outs", []), *stage.get("metrics", [])]
        made = [path for out in outs for path in ([out] if isinstance(out, str) else out)]
        stages.append(Stage(stage["cmd"].split()[-1], stage["deps"], made))
    found = [stage for stage in stages if stage.name == name]
    for stage in found:  # which grows
        for other in stages:
            pairs = [(f"{dep}/", f"{out}/") for dep in stage.deps for out in other.outs]
            if other not in found and any(
                dep.startswith(out) or out.startswith(dep) for dep, out in pairs
            ):
                found.append(other)
    return found
