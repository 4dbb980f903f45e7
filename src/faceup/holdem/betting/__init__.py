"""Betting: the public tree, its notation, chips, translation of sizes."""
