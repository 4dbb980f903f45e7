"""Times by the clock. Measurements go to reports/benchmarks.json, one section a part, each with the machine in words."""

import os
import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numba

from faceup.lab.files import load_json, write_json
from faceup.lab.paths import REPORTS

PATH = REPORTS / "benchmarks.json"


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """Seconds of one call, of so many."""
    start = perf_counter()
    for _ in range(times):
        work()
    return (perf_counter() - start) / times


def machine() -> str:
    """Processor, cores this process may use, and the versions that matter for speed."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.is_file():
        lines = information.read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {n_cores} cores, Python {platform.python_version()}, numba {numba.__version__}"


def record(section: str, values: dict[str, object]) -> None:
    """Replace one section of reports/benchmarks.json; the others stay as they are."""
    sections = load_json(PATH) if PATH.is_file() else {}
    sections[section] = {"machine": machine(), **values}
    write_json(PATH, dict(sorted(sections.items())))
