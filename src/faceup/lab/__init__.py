"""What every notebook uses: the runner, parameters, stored results, many workers, files, tables,
pictures.
"""
