"""Where chains begin."""
