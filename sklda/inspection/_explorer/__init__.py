"""The page of `save_explorer`; ``assets`` holds its template, style and scripts."""
