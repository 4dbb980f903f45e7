"""params.yaml, checked against params.schema.yaml. A wrong file is a ValueError before work starts.

A profile has only the parameters that differ from params.yaml. `python -m faceup.lab.parameters
params/quick.yaml FILE` writes all parameters to a file. Values are never converted.
"""

import math
import re
import sys
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from types import SimpleNamespace
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from ruamel.yaml import YAML, YAMLError

from faceup.util.paths import ROOT


def _increasing(validator: Any, step: float, value: Any, schema: Any) -> Any:
    numbers = isinstance(value, list) and all(type(x) in (int, float) for x in value)
    if numbers and not all(b - a > step for a, b in pairwise(value)):
        yield ValidationError(f"{value} is not increasing by over {step}")


_strict = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {  # neither 7.0 nor true is an integer, and nan is no number
        "integer": lambda _, value: type(value) is int,
        "number": lambda _, value: type(value) in (int, float) and math.isfinite(value),
    }
)
Validator = extend(Draft202012Validator, {"increasing": _increasing}, type_checker=_strict)


def read_yaml(path: Path) -> dict[str, Any]:
    """The keys and plain values of a YAML file. ValueError naming the file where it is damaged, has
    no keys, or one twice.
    """
    try:
        return dict(YAML(typ="safe", pure=True).load(path))
    except (YAMLError, ValueError, TypeError) as error:
        message = " ".join(str(error).split("To suppress")[0].split())
        raise ValueError(f"{path.name}: {message}") from error


def load_parameters(
    path: Path = ROOT / "params.yaml", profile: Path | None = None
) -> dict[str, Any]:
    """All parameters of a file, with those of a profile in their place.

    ValueError naming file, parameters, values and what was expected.
    """
    values = load_parameters(path) if profile else read_yaml(path)
    for section, own in read_yaml(profile).items() if profile else ():
        both = isinstance(own, dict) and isinstance(values.get(section), dict)
        values[section] = values[section] | own if both else own
    name, schema = (profile or path).name, read_yaml(ROOT / "params.schema.yaml")
    for part in (schema, *schema["properties"].values()):
        part.update(required=[*part.get("properties", ())], additionalProperties=False)
    if errors := [*Validator(schema).iter_errors(values)]:
        wrong = [f"{'.'.join(map(str, error.path))}: {error.message}" for error in errors]
        raise ValueError(f"{name}: {'; '.join(wrong)}")
    sections = {key: SimpleNamespace(**own) for key, own in values.items() if type(own) is dict}
    for rule in schema.get("together", ()):
        if not eval(rule, {"wrap": wrap}, sections):
            named = {key: eval(key, sections) for key in re.findall(r"[a-z_]+\.[a-z0-9_]+", rule)}
            raise ValueError(f"{name}: expected {rule}; there is {named}")
    return values


if __name__ == "__main__":
    profile, file = map(Path, sys.argv[1:])
    YAML().dump(load_parameters(profile=profile), file)
