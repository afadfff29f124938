"""Numbers of topics that are recommended."""
