"""Small two-player games as flat arrays: sequence form, counterfactual regret minimization, best
responses.
"""
