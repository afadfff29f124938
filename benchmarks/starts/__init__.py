"""Starts of chains, and what they save."""
