"""The one-card game (paper 004)."""
