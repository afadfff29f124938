"""What reads a fit: fitted topics, documents under them, and draws."""
