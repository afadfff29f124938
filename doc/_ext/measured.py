"""Figures and pictures of ``benchmarks/results``, for the pages.

A page says ``|nips-nested-4-perplexity|`` and gets what was measured, so no figure is
typed into a text; ``.. pictures:: blocking`` shows every picture of a folder, and
``.. measured:: blocks`` one of the tables in `TABLES`.
"""

import json
import os
import re
from functools import partial
from pathlib import Path

import covariate_tables
import gene_tables
import numpy as np
import supervised_tables
from docutils import nodes
from docutils.parsers.rst import Directive
from page_output import WIDTH_OF_ONE
from PIL import Image

from benchmarks.figures import CORPORA
from sklda.diagnostics._verdict import COLUMNS, texts

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
BLOCKS = ("nested-2", "nested-4")
RULES = ("score", "stability")
_AFTER = 50  # sweeps of single-site sampling, whose perplexity others are to reach


def figures() -> dict[str, str]:
    """Return the text of each figure by its name."""
    found = {}
    chains = _read("blocking/chains-nips-40.json")
    found["nips-topics"] = f"{chains['options']['topics']}"
    found["nips-tokens"] = f"{chains['tokens'] / 1e6:.1f}"
    found["nips-sweeps"] = f"{chains['options']['sweeps']}"
    paces = _relative(_paces(chains))
    found["nips-uncollapsed-ratio"] = f"{paces['uncollapsed']:.1f}"
    for name, values in chains["summary"].items():
        found[f"nips-{name}-perplexity"] = f"{values['perplexity']['median']:.0f}"
    for corpus in ("kos", "nips"):
        speed = _read(f"blocking/speed-{corpus}.json")
        rows = speed["rows"]
        for name in BLOCKS:
            ratios = (1 / row["times_as_fast"][name] for row in rows)
            found[f"{corpus}-{name}-ratio"] = _range(ratios, 2)
        found[f"{corpus}-single-site-speed"] = _range(
            speed["tokens"] / row["median"]["single-site"] / 1e6 for row in rows
        )
        numbers = [row["n_topics"] for row in rows]
        found[f"{corpus}-speed-topics"] = f"{min(numbers):,} to {max(numbers):,}"
        chains = _read(f"ecgs/chains-{corpus}.json")
        for name in ("dynamic-1", "dynamic-1000", "shortcut"):
            values = chains["summary"][name]
            found[f"{corpus}-{name}-draws"] = f"{values['sampling_rate']:.2f}"
            found[f"{corpus}-{name}-relative"] = f"{values['relative']:.3f}"
        for name in ("dynamic", "shortcut"):
            rows = _read(f"ecgs/speed-{corpus}.json")["rows"]
            gains = (row["times_as_fast"][name] for row in rows)
            found[f"{corpus}-{name}-gain"] = _range(gains)
    found |= _blocks() | _shards() | _variational()
    found |= supervised_tables.figures(_read("medlda/corpora-content-words.json"))
    found["medlda-machine"] = supervised_tables.machine(_labelled())
    reports = (_read(f"covariates/{kind}.json") for kind in ("coverage", "heldout"))
    found |= covariate_tables.figures(*reports)
    for corpus in ("genes", "regions"):
        found |= gene_tables.figures(_read(f"genes/chains-{corpus}.json"))
    return found


def _blocks() -> dict[str, str]:
    """Return what blocks of two cost with few topics, and chains in local modes."""
    paces = _relative(_paces(_read("blocking/chains-kos-32.json")))
    found = {"few-topics-nested-2-ratio": f"{paces['nested-2']:.1f}"}
    for name, row in _read("blocking/bars.json")["summary"].items():
        found[f"bars-{name}-stuck"] = f"{row['below_best']}"
        found["bars-chains"] = f"{row['chains']}"
    return found


def _shards() -> dict[str, str]:
    """Return what shards cost in quality on one thread, and gain on two."""
    found = {}
    (result,) = _read("ecgs/shards-nips-threads-1.json")["results"]
    worst = max(result["rows"], key=lambda row: row["relative"])
    most = max(row["n_shards"] for row in result["rows"])
    found["shards-most"] = f"{most}"
    (last,) = (row for row in result["rows"] if row["n_shards"] == most)
    found["shards-cost"] = f"{1 / last['speed_up']:.1f}"
    found["shards-loss"] = f"{100 * (worst['relative'] - 1):.1f}"
    results = _read("ecgs/shards-nips-threads-2.json")["results"]
    rows = [row for result in results for row in result["rows"]]
    gains = (row["speed_up"] for row in rows if row["n_shards"] > 1)
    found["shards-gain"] = _range(gains)
    found["shards-limit"] = _range(r["capacity"]["of_median"] for r in results)
    return found


def _variational() -> dict[str, str]:
    """Return what collapsed variational Bayes gains over scikit-learn's batch VB."""
    found = {}
    rows = _read("cvb/speed-nips.json")["rows"]
    for name, program in (("cvb", "CVB"), ("cvb0", "CVB0")):
        gains = (row["times_as_fast"][program] for row in rows)
        found[f"nips-{name}-gain"] = _range(gains, 0)
    for name, summary in _read("cvb/convergence-nips.json")["summary"].items():
        found[f"nips-{name}-log-probability"] = f"{summary['median']:.2f}"
    stream = _read("cvb/stream-newsgroups.json")
    found["stream-passes"] = f"{stream['options']['passes']}"
    for name, program in (("scvb0", "SCVB0"), ("online-vb", "online VB")):
        curves = stream["chains"][program]
        found[f"{name}-seconds"] = _range((c["seconds"][-1] for c in curves), 0)
        found[f"{name}-score"] = _range((c["score"][-1] for c in curves), 2)
    return found


def blocks_table() -> str:
    """Return what blocks cost and gain, as a table of reStructuredText."""
    head = ["corpus", "K", "tokens per cell", "cells of one token", "time of a sweep"]
    head += ["sweeps to the end of single-site", "seconds to reach it"]
    head += ["effective samples per second"]
    paths = [
        path
        for corpus in CORPORA
        for path in sorted(
            RESULTS.glob(f"blocking/chains-{corpus}-*.json"), key=_topics
        )
    ]
    return _table([head, *map(_blocks_row, paths)])


def _table(rows: list[list[str]]) -> str:
    """Return rows, the first of which is the head, as reStructuredText."""
    lines = [".. list-table::", "   :class: wide", "   :header-rows: 1", ""]
    for row in rows:
        marks = ["   * - ", *["     - "] * (len(row) - 1)]
        lines += [mark + cell for mark, cell in zip(marks, row, strict=True)]
    return "\n".join(lines)


def _topics(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _blocks_row(path: Path) -> list[str]:
    report = _read(f"blocking/{path.name}")
    summary, options = report["summary"], report["options"]
    end = [row for row in report["levels"] if row["of"] == "log_posterior"][-1]
    rate = {n: row["effective_per_second"]["median"] for n, row in summary.items()}
    return [
        CORPORA[options["corpus"]],
        f"{options['topics']}",
        f"{report['mean_cell']:.1f}",
        f"{100 * report['cells_of_one']:.0f} %",
        _of_blocks(_paces(report)),
        _of_blocks(end["sweeps"]),
        _of_blocks(end["seconds"]),
        _of_blocks(rate),
    ]


def _paces(report: dict) -> dict[str, float]:
    return {n: row["seconds_per_sweep"] for n, row in report["summary"].items()}


def _of_blocks(values: dict) -> str:
    """Return what blocks of two and of four tokens take, of what single-site takes."""
    ratios = _relative(values)
    return _beside(ratios[n] for n in BLOCKS)


def _relative(values: dict) -> dict:
    """Return values relative to that of single-site sampling, None if not known."""
    base = values["single-site"]
    return {n: v and base and v / base for n, v in values.items()}


def calibration_table() -> str:
    """Return the p-values of the ranks of each sampler and scalar."""
    report = _read("diagnostics/calibration.json")
    scalars = list(next(iter(report["summary"].values())))
    rows = [
        [name, *(f"{values[scalar]:.2g}" for scalar in scalars)]
        for name, values in report["summary"].items()
    ]
    return _table([["sampler", *scalars], *rows])


def chains_table() -> str:
    """Return the diagnostics of the chains of each sampler, and their verdicts."""
    report = _read("diagnostics/chains-kos.json")
    head = ["sampler", "scalar", *(name.replace("_", " ") for name in COLUMNS)]
    rows = []
    for sampler, table in report["tables"].items():
        for scalar, row in table.items():
            known = {k: np.nan if v is None else v for k, v in row.items()}
            rows.append([sampler, scalar, *texts(known)])
    verdicts = [
        f"- {name}, {found['seconds']:.0f} seconds: {_literal(found['verdict'])}"
        for name, found in report["summary"].items()
    ]
    return "\n".join([_table([head, *rows]), "", *verdicts])


def _literal(text: str) -> str:
    """Mark names that end in an underscore, which would be links, as code."""
    return re.sub(r"\b(\w+_)(?!\w)", r"``\1``", text)


def agreement_table() -> str:
    """Return how far chains agree, one line for each sampler."""
    head = ["sampler", "log joint: R-hat", "effective samples", "per second"]
    head += ["spread, nats per token", "test documents: R-hat", "spread"]
    rows = []
    for sampler, table in _read("diagnostics/chains-kos.json")["tables"].items():
        joint, test = table["log_joint"], table["test_log_probability"]
        numbers = [f"{joint['r_hat']:.2f}", f"{joint['ess_bulk']:.1f}"]
        numbers += [f"{joint['ess_per_second']:.2f}", f"{joint['spread']:.3f}"]
        numbers += [f"{test['r_hat']:.2f}", f"{test['spread']:.3f}"]
        rows.append([sampler, *numbers])
    return _table([head, *rows])


def planted_table() -> str:
    """Return what both rules recommend, by planted number and kind of corpus."""
    return _of_planted("planted", "priors", "priors of the estimator", RULES)


def hierarchical_table() -> str:
    """Return the numbers that are sampled, in the same way."""
    key = "beta of the chain"
    return _of_planted("hierarchical", key, key, ("found",))


def _of_planted(name: str, key: str, title: str, shown: tuple[str, ...]) -> str:
    """Return what was found, a column for each planted number."""
    rows = _read(f"topics/{name}.json")["rows"]
    numbers = sorted({row["n_topics"] for row in rows})
    kinds: dict[tuple, dict] = {}
    for row in rows:
        names = (", ".join(f"{n:g}" for n in row[column]) for column in shown)
        kind = row["shape"], row[key]
        kinds.setdefault(kind, {})[row["n_topics"]] = " / ".join(names)
    head = ["documents", title, *(f"{number} topics" for number in numbers)]
    lines = ([*kind, *(of[n] for n in numbers)] for kind, of in kinds.items())
    return _table([head, *lines])


def curves_table() -> str:
    """Return the scores and the stability of the corpora of real documents."""
    report = _read("topics/curves.json")
    numbers = report["options"]["topics"]
    rows = [["corpus", "tokens", "measure", *(f"K = {number}" for number in numbers)]]
    for corpus, found in report["found"].items():
        of = [row for row in report["rows"] if row["corpus"] == corpus]
        begin = [CORPORA[corpus], f"{found['tokens']:,}"]
        for measure in ("score", "stability"):
            shift = found["best_score"] if measure == "score" else 0
            means = (f"{row[measure]['mean'] + shift:.2f}" for row in of)
            rows.append([*begin, measure, *means])
            begin = ["", ""]
    return _table(rows)


def of_covariates(kind: str) -> str:
    """Return one of the tables on models with covariates."""
    report = _read(f"covariates/{kind}.json")
    return _table(getattr(covariate_tables, f"{kind}_rows")(report))


def of_single_cells(corpus: str) -> str:
    """Return what samplers take for the counts of genes or regions in cells."""
    return _table(gene_tables.rows(_read(f"genes/chains-{corpus}.json")))


def _labelled() -> dict[str, dict]:
    names = supervised_tables.CORPORA
    return {name: _read(f"medlda/corpora-{name}.json") for name in names}


def of_labels() -> str:
    """Return how well labels of corpora are predicted, and what that takes."""
    return _table(supervised_tables.rows(_labelled()))


def parallel_table() -> str:
    """Return what samplers take on two threads, relative to single-site on one."""
    head = "corpus", "K", "time of a sweep", f"sweeps to {_AFTER} of single-site"
    rows = [[*head, "time to reach it"]]
    for corpus in CORPORA:
        pattern = f"parallel/chains-{corpus}-*.json"
        for path in sorted(RESULTS.glob(pattern), key=_topics):
            report = _read(f"parallel/{path.name}")
            (level,) = (
                row
                for row in report["levels"]
                if row["of"] == "perplexity" and row["after"] == _AFTER
            )
            row = [CORPORA[corpus], f"{report['options']['topics']}"]
            values = _paces(report), level["sweeps"], level["seconds"]
            rows.append([*row, *map(_of_threads, values)])
    return _table(rows)


def _of_threads(values: dict) -> str:
    """Return what samplers on two threads take, of what single-site on one takes."""
    names = "sharded-2", "partially-collapsed-2", "uncollapsed-2"
    found = [values[name] for name in names]
    return _beside(value and value / values["collapsed-1"] for value in found)


def _beside(ratios) -> str:
    """Return ratios on one line, and dashes for those that are not known."""
    return "\u00a0/\u00a0".join(f"{ratio:.2f}" if ratio else "–" for ratio in ratios)


def _range(values, digits=1) -> str:
    """Return the smallest and the largest as text."""
    texts = [f"{value:.{digits}f}" for value in sorted(values)]
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def _read(path: str) -> dict:
    return json.loads((RESULTS / path).read_text(encoding="utf-8"))


class Pictures(Directive):
    """All pictures of one folder, each with its file name."""

    required_arguments = 1

    def run(self):
        """Return a figure for each."""
        env = self.state.document.settings.env
        folder = RESULTS / self.arguments[0]
        shown = []
        for path in sorted(folder.glob("*.png")):
            env.note_dependency(str(path))
            name = f"{folder.name}/{path.stem}"
            uri = os.path.relpath(path, env.srcdir).replace(os.sep, "/")
            image = nodes.image(uri=uri, alt=name)
            figure = nodes.figure("", image, nodes.caption("", name))
            with Image.open(path) as picture:
                if picture.width > WIDTH_OF_ONE:
                    figure["classes"].append("panels")
            shown.append(figure)
        return shown


# Each with the results that it shows.
TABLES = {
    "blocks": (blocks_table, "blocking/chains-*.json"),
    "calibration": (calibration_table, "diagnostics/calibration.json"),
    "chains": (chains_table, "diagnostics/chains-*.json"),
    "agreement": (agreement_table, "diagnostics/chains-*.json"),
    "coverage": (partial(of_covariates, "coverage"), "covariates/coverage.json"),
    "heldout": (partial(of_covariates, "heldout"), "covariates/heldout.json"),
    "peers": (partial(of_covariates, "peers"), "covariates/peers.json"),
    "curves": (curves_table, "topics/curves.json"),
    "genes": (partial(of_single_cells, "genes"), "genes/chains-genes.json"),
    "labels": (of_labels, "medlda/corpora-*.json"),
    "hierarchical": (hierarchical_table, "topics/hierarchical.json"),
    "parallel": (parallel_table, "parallel/chains-*.json"),
    "planted": (planted_table, "topics/planted.json"),
    "regions": (partial(of_single_cells, "regions"), "genes/chains-regions.json"),
}


class Table(Directive):
    """One of the tables."""

    required_arguments = 1

    def run(self):
        """Return nothing, but insert the table."""
        env = self.state.document.settings.env
        make, pattern = TABLES[self.arguments[0]]
        for path in RESULTS.glob(pattern):
            env.note_dependency(str(path))
        self.state_machine.insert_input(make().splitlines(), __file__)
        return []


def setup(app):
    """Offer the directives to Sphinx."""
    app.add_directive("pictures", Pictures)
    app.add_directive("measured", Table)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
