"""Heads-up no-limit hold'em, as a reader sees its trees: Bertsimas and Paskov, World-class
interpretable poker (paper 000), Section 5.
"""
