"""Checks of samplers: calibration, and how fast their chains agree."""
