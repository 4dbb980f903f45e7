"""Heads-up no-limit hold'em (paper 000)."""
