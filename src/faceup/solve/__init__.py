"""Numbers to strategies, and how far a strategy is from equilibrium."""
