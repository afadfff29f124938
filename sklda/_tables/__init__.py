"""Count tables of documents and words, and the weights that samplers make from them."""
