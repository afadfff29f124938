"""The engine of all chains: start, sweeps, averages and what a fit leaves."""
