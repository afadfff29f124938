"""What was measured of counts of single cells, as rows of a table."""

NAMES = {
    "single-site": "single-site",
    "nested-4": '``blocking="nested"``, 4 tokens',
    "backward-16": '``blocking="backward"``, 16 tokens',
    "two shards": "``n_shards=2``, two threads",
    "partially-collapsed": "``PartiallyCollapsedGibbsLDA``, two threads",
    "CVB0": "``CVBLDA``, zero-order",
}


def figures(report: dict) -> dict[str, str]:
    """Return the figures in the text of the page; their names begin with the corpus."""
    options = report["options"]
    found = {
        "cells": f"{options['cells']:,}",
        "columns": f"{options['columns']:,}",
        "planted": f"{options['planted']}",
        "topics": f"{options['topics']}",
        "limit": f"{options['limit']:.0f}",
        "near": f"{options['near']:g}",
        "tokens": f"{report['tokens'] / 1e6:.0f}",
        "pairs": f"{report['cells'] / 1e6:.1f}",
        "high": f"{100 * report['in_cells_of_ten']:.0f} %",
        "ones": f"{100 * report['cells_of_one']:.0f} %",
        "largest": f"{report['largest']:,}",
    }
    return {f"{options['corpus']}-{name}": text for name, text in found.items()}


def rows(report: dict) -> list[list[str]]:
    """Return a row for each sampler."""
    head = ["sampler", "sweeps", "time of a sweep", "seconds to near the best"]
    found = [[*head, "log probability at the end"]]
    base = report["summary"]["single-site"]["seconds_per_sweep"]
    for name, row in report["summary"].items():
        near = row["seconds_to_near"]
        found.append(
            [
                NAMES[name],
                f"{row['sweeps']}",
                f"{row['seconds_per_sweep'] / base:.1f}",
                "–" if near is None else f"{near:.0f}",
                f"{row['log_probability']:.3f}",
            ]
        )
    return found
