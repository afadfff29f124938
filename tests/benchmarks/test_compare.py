"""The page of the comparison with other programs, and what it is made of."""

import json

import numpy as np

from benchmarks import compare
from benchmarks.compare import RemoteRunner, with_earlier


def test_a_program_that_starts_anew_has_one_long_turn(local_workers):
    team = [RemoteRunner(compare.Worker(name)) for name in ("sklda", "topica")]
    assert [runner.at_once(60, 5) for runner in team] == [1, 60]


def test_runs_of_earlier_starts_and_of_other_programs_stay():
    old, new = ([{"seed": seed, "of": of} for seed in (0, 1)] for of in ("old", "new"))
    earlier = {"tomotopy": {"runs": old}, "lda": {"runs": old}}
    found = {"tomotopy": {"runs": new[1:]}, "sklda": {"runs": new}}
    both = with_earlier(earlier, found)
    mixed = {"runs": [old[0], new[1]]}
    assert both == {"sklda": found["sklda"], "tomotopy": mixed, "lda": earlier["lda"]}
    assert list(both) == ["sklda", "tomotopy", "lda"]  # the order of tables


OPTIONS = {"corpus": "kos", "threads": 1, "topics": 20, "first": 20, "last": 60}
OPTIONS |= {"sweeps": 400, "limit": 60.0}
MACHINE = {"cpu": "A", "simd": ["avx2"], "cores": 2, "system": "Linux"}
REPORT = {"options": OPTIONS, "machine": MACHINE | {"versions": {"numpy": "2"}}}
REPORT |= {"documents": 4000, "words": 50, "cells": 9, "tokens": 1_000_000}


def written(folder, question, programs):
    """Write a report as the questions do."""
    report = REPORT | {"programs": programs, "peers": {"tomotopy": "9.9"}}
    (folder / f"{question}-kos-20-1.json").write_text(json.dumps(report))


def timed(*seconds, sweeps=(20, 60)):
    runs = [{"sweeps": list(sweeps), "seconds_per_sweep": [s] * 3} for s in seconds]
    return {"runs": runs}


def followed(*perplexities, sweeps=(100, 400)):
    curve = {"sweeps": list(sweeps), "seconds": [2.0, 8.0]}
    return {"runs": [curve | {"perplexity": list(pair)} for pair in perplexities]}


def test_page_says_what_the_reports_say(tmp_path, pyplot):
    programs = {"sklda": timed(0.1, 0.2, 0.3), "tomotopy": timed(0.5)}
    programs["topica-warp"] = timed(0.01)  # not exact, so not in the ratio
    written(tmp_path, "speed", {**programs, "gensim": timed(2.0, sweeps=(3, 5))})
    programs = {
        "sklda": followed((1600, 1440), (1600, 1445), (1700, 1500)),
        "tomotopy": followed((1800, 1460)),
        "lda": followed((1900, 1700), sweeps=(1, 2)),  # was not given the time
    }
    written(tmp_path, "quality", programs)
    compare.write_page(tmp_path, tmp_path / "doc")
    text = " ".join((tmp_path / "doc" / "benchmarks.rst").read_text().split())
    assert "sklda - exact - 5.00 * - tomotopy - exact - 2.00" in text
    assert "topica, WarpLDA - Metropolis-Hastings - 100.00" in text
    assert "* - gensim - variational - 0.50 †" in text
    assert "sklda / fastest other exact sampler - - 2.50 (tomotopy)" in text
    assert "KOS - 4,000 - 50 - 9 - 1,000,000 - 250.0" in text
    assert "- 1550 - 1500 - 1475 - 1450 - at the end" in text
    assert "* - sklda - exact - 3.1" in text
    assert "- – - 1460 (400 sweeps, 8 s)" in text
    assert "* - lda - exact - – - – - – - – - 1700 (2 sweeps, 8 s)" in text
    assert "fastest other exact sampler / sklda - - 1.77 (tomotopy)" in text
    assert "Programs: tomotopy 9.9." in text
    machine = "A, 2 cores, Linux; avx2. Versions: numpy 2."
    assert f"Machine of ``compare-quality``, ``compare-speed``: {machine}" in text


def test_fits_are_compared_with_means_of_others():
    seconds = {"sklda": 4.0, "sklda-fit": 1.0, "tomotopy": 6.0, "topica-mean": 5.0}
    assert compare.ratio_to_others(seconds, -1) == "5.00 (topica (mean of 5 samples))"
    del seconds["sklda-fit"]
    assert compare.ratio_to_others(seconds, -1) == "1.50 (tomotopy)"
    seconds["sklda"] = np.inf  # does not reach the perplexity
    assert compare.ratio_to_others(seconds, -1) == "–"
