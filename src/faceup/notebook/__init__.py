"""What every notebook uses: parameters, paths, files, the runner, progress, tables, figures."""
