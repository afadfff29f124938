"""A fitted topic model as one HTML file.

`save` is the public door, `contents` chooses what the page stores, `page` writes it
into the template, and ``assets`` holds template, style and scripts.
"""
