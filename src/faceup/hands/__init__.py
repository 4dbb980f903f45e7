"""A hand as numbers: exact equity, features, groups."""
