"""Columns that describe documents, and the design that formulas make of them."""
