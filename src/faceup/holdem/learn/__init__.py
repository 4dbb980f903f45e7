"""Rows taught and the models that learn from them."""
