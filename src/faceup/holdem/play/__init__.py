"""Agents, matches and the Slumbot client."""
