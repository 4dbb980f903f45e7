"""A Bayesian network that plays fixed-limit hold'em (paper 003)."""
