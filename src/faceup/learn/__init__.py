"""Strategies to models a person can read: one model a round, all with `predict(X)` (paper 000, Sec. 2.4)."""
