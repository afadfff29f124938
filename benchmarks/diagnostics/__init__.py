"""Whether samplers draw from the posterior, and how fast their chains agree."""
