"""The one-card game: Ganzfried and Yusuf, Computing human-understandable strategies (paper 004)."""
