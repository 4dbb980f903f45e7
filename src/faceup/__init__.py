"""Interpretable game-playing agents that anyone can rerun, read and check."""

__version__ = "0.1.0"
