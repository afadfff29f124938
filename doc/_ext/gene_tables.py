"""What was measured of counts of single cells, as rows of a table."""

CORPORA = "genes", "regions"
NAMES = {
    "single-site": "single-site",
    "nested-4": 'blocking="nested", 4 tokens',
    "backward-16": 'blocking="backward", 16 tokens',
    "two shards": "n_shards=2, two threads",
    "partially-collapsed": "PartiallyCollapsedGibbsLDA, two threads",
    "CVB0": "CVBLDA, zero-order",
}


def figures(reports: dict[str, dict]) -> dict[str, str]:
    """Return the figures in the text of the page."""
    genes, regions = (reports[name] for name in CORPORA)
    options = genes["options"]
    return {
        "genes-cells": f"{options['cells']:,}",
        "genes-columns": f"{options['columns']:,}",
        "genes-planted": f"{options['planted']}",
        "genes-topics": f"{options['topics']}",
        "genes-limit": f"{options['limit']:.0f}",
        "genes-near": f"{options['near']:g}",
        "genes-tokens-million": f"{genes['tokens'] / 1e6:.0f}",
        "genes-high": f"{100 * genes['in_cells_of_ten']:.0f} %",
        "genes-pairs-million": f"{genes['cells'] / 1e6:.1f}",
        "regions-tokens-million": f"{regions['tokens'] / 1e6:.0f}",
        "regions-ones": f"{100 * regions['cells_of_one']:.0f} %",
    }


def rows(reports: dict[str, dict]) -> list[list[str]]:
    """Return a row for each corpus and sampler."""
    head = [
        "counts",
        "sampler",
        "sweeps",
        "time of a sweep",
        "seconds to near the best",
    ]
    found = [[*head, "log probability", "distance"]]
    for corpus in CORPORA:
        summary = reports[corpus]["summary"]
        base, begin = summary["single-site"]["seconds_per_sweep"], corpus
        for name, row in summary.items():
            near = row["seconds_to_near"]
            found.append(
                [
                    begin,
                    f"``{NAMES[name]}``" if "=" in NAMES[name] else NAMES[name],
                    f"{row['sweeps']}",
                    f"{row['seconds_per_sweep'] / base:.2f}",
                    "–" if near is None else f"{near:.1f}",
                    f"{row['log_probability']:.3f}",
                    f"{row['distance']:.3f}",
                ]
            )
            begin = ""
    return found
