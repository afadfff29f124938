"""sklda against its own history: `asv run --config benchmarks/asv.conf.json`."""
