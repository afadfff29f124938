"""sklda beside other programs that fit the same model: one command, one page.

    python -m benchmarks.compare run --corpora nips kos --topics 20 100 400 1000
    python -m benchmarks.compare scale
    python -m benchmarks.compare growth
    python -m benchmarks.compare page

`run`, which is also what happens without a command, measures tokens per second,
held-out perplexity against seconds, and what a process costs: memory, and seconds
before its first sweep. `scale` times sweeps of a synthetic corpus of the shape of the
New York Times one, and `growth` how a sweep grows with tokens and topics. All write
JSON, and then what `page` alone writes too: doc/benchmarks.rst and its figures, of all
JSON files in the folder.
"""
