"""Leduc hold'em (paper 001)."""
