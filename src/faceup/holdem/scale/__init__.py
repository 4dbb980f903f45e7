"""Self-play on more than the threads of one processor."""
