"""The four smaller papers: one package and one notebook each.

Paper 001 `leduc`, 002 `discard`, 003 `bayes`, 004 `onecard`. They import the shared packages and
never each other.
"""
