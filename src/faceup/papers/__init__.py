"""What one notebook alone uses: a package for each paper.

Paper 000 `hunl` (its trees, read), 001 `leduc`, 002 `discard`, 003 `bayes`, 004 `onecard`. They
import the shared packages and never each other.
"""
