"""Self-play and best responses."""
