"""Interpretable game-playing agents that anyone can rerun, read and check."""

import os
import sys

import faceup.notebook.source_code  # noqa: F401  before all others: it notes how the files lie

__version__ = "0.1.0"

# Compiled kernels are named by what they are made of (notebook/kernel_cache); numba's own places serve functions of others.
_NUMBA = ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator", "IPythonCacheLocator")
_LOCATORS = ",".join(["faceup.notebook.kernel_cache.KernelCacheLocator", *_NUMBA])
os.environ.setdefault("NUMBA_CACHE_LOCATOR_CLASSES", _LOCATORS)
if "numba" in sys.modules:  # it has read its environment already
    sys.modules["numba"].config.CACHE_LOCATOR_CLASSES = os.environ["NUMBA_CACHE_LOCATOR_CLASSES"]
