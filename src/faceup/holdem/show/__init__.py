"""Figures of hold'em."""
