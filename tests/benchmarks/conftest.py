"""Benchmarks are files bench_*.py: plain `pytest` collects none of them, `make bench` runs all."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for `from report import record`
