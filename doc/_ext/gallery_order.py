"""The order of the examples in the gallery: from first steps to details."""

FIRST = (
    "plot_quickstart.py",
    "plot_bars.py",
    "plot_newsgroups_topics.py",
    "plot_seed_words.py",
    "plot_grid_search.py",
    "plot_learn_priors.py",
    "plot_classification.py",
)


class Key:
    """Sort key of sphinx-gallery: the examples of `FIRST`, then the others by name."""

    def __init__(self, src_dir):
        self.src_dir = src_dir

    def __call__(self, filename):
        """Return the place of an example."""
        place = FIRST.index(filename) if filename in FIRST else len(FIRST)
        return f"{place:02}{filename}"

    def __repr__(self):
        """Look the same in each build, or all examples would be built anew."""
        return "<gallery_order.Key>"
