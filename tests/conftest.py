"""Shared by all tests: the equity tables, made once, and repeatable hypothesis runs."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import settings
from smoke import stop

from faceup.cards.equity import all_tables, load_tables
from faceup.cards.matchups import preflop_wins

# the same examples every time, no folder of past failures, and no deadline: a first call may compile a kernel
settings.register_profile("faceup", deadline=None, derandomize=True, database=None)
settings.load_profile("faceup")

# In the order in which the smoke run comes to their kernels; tests of no room compile none.
ROOMS = ("notebook", "onecard", "trees", "leduc", "games", "cards", "holdem", "discard", "bayes", "test_without_compiler.py")


@pytest.fixture(scope="session")
def tables(started_smoke):
    """The four streets' StreetTables, preflop first, of the smoke run where there is one; else 15 seconds. 1 GB."""
    if started_smoke is None:
        return all_tables()
    folder, run, log = started_smoke
    lock = folder / "dvc.lock"  # names a stage when its results are there
    while not (lock.is_file() and "\n  equity:\n" in lock.read_text()) and run.poll() is None:
        time.sleep(0.2)
    assert not run.poll(), tail(log)
    return load_tables(folder / "data" / "equity")


@pytest.fixture(scope="session")
def all_in_wins():
    """All-in wins of every two starting hands before the flop, (169, 169); about 10 seconds on two cores."""
    return preflop_wins()


def tail(log):
    """What the smoke run said last."""
    log.seek(0)
    return log.read()[-4000:]


def place(item):
    """Where a test stands in the order of all: by ROOMS, those of the smoke run's results last."""
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    return "smoke" in getattr(item, "fixturenames", ()), ROOMS.index(folder) if folder in ROOMS else 0


def pytest_collection_modifyitems(config, items):
    """No kernel is compiled twice: the smoke run, beside the tests, compiles most of them."""
    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def started_smoke(request, tmp_path_factory):
    """The smoke run in a folder of its own, started with the first test where any test asks for it."""
    if not any("smoke" in getattr(item, "fixturenames", ()) for item in request.session.items):
        yield None
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever stops the tests stops the smoke run
    folder = tmp_path_factory.mktemp("smoke")
    with open(folder.with_suffix(".log"), "w+") as log:
        script = Path(__file__).with_name("smoke.py")
        command = [sys.executable, str(script), str(folder)]
        run = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            yield folder, run, log
        finally:
            if run.poll() is None:  # the tests were stopped
                stop(run)


@pytest.fixture(scope="session")
def smoke(started_smoke):
    """A folder in which the whole pipeline has run with params/smoke.yaml."""
    folder, run, log = started_smoke
    status = run.wait()
    assert status == 0, tail(log)
    return folder
