"""For notebooks and their runner: environment, parameters, numbers in prose, tables, pictures."""
