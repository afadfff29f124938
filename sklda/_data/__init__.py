"""From what a user passes to a checked corpus."""
