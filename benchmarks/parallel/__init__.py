"""Exact samplers on several threads, beside shards and single-site sampling."""
