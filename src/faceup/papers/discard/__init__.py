"""Discard Hold'em, paper 002: Chintamaneni, Solving Discard Poker (2017)."""
