"""Decision trees, no poker: CART, optimal trees, pruning, rules, pictures."""
