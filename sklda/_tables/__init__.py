"""Tables of word-topic counts, and the weights that samplers make from them."""
