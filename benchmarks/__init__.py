"""Benchmarks of sklda; each module runs: `python -m benchmarks.NAME --help`."""
