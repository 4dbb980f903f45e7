"""Pages to play with in a browser."""
