"""`import faceup` is only that: it sets, starts, patches and reads nothing."""

import subprocess
import sys

from faceup.lab.environment import SOURCES

CODE = """
import builtins, os, sys
sys.path.insert(0, sys.argv[1])
before, files = dict(os.environ), []
sys.addaudithook(lambda event, args: files.append(str(args[0])) if event == "open" else None)
import faceup
others = [name for name in sys.modules if name.startswith("faceup.") or name in ("numba", "numpy", "IPython")]
own = [name for name in files if "faceup" in name.rpartition("src/")[2] and not name.endswith((".py", ".pyc"))]
print(dict(os.environ) == before, others, own)
"""


def test_importing_the_package_does_nothing():
    command = [sys.executable, "-S", "-c", CODE, str(SOURCES)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() == ["True", "[]", "[]"]
