import numpy as np
from scipy import sparse

from benchmarks import compare, figures, harness
from benchmarks.compare.scale import first_sweeps
from benchmarks.synthetic import zipf_corpus
from benchmarks.worker import workplace

TOKENS_PER_DOCUMENT = 332  # of the New York Times


def run(options) -> None:
    cases = [("tokens", n, options.topics_of_tokens) for n in options.tokens]
    cases += [("topics", options.tokens_of_topics, k) for k in options.topics]
    report = {"tokens": [], "topics": []}
    with workplace() as folder:
        for of, n_tokens, n_topics in cases:
            path = folder / f"{n_tokens}.npz"
            if not path.exists():
                n_documents = max(1, n_tokens // TOKENS_PER_DOCUMENT)
                X = zipf_corpus(n_documents, options.words, n_tokens)
                sparse.save_npz(path, X, compressed=False)
            (row,) = first_sweeps([(path, n_topics, 1)], options.last)
            row["seconds"] = float(np.median(row["seconds_per_sweep"][options.first :]))
            report[of].append({"tokens": n_tokens, **row})
    harness.write(options, "growth", report, **compare.FACTS)


def slope(points: list[dict], of: str) -> float:
    """Return the exponent of a power law through the ends of a growth curve."""
    x, y = ([points[0][key], points[-1][key]] for key in (of, "seconds"))
    return float(np.log(y[1] / y[0]) / np.log(x[1] / x[0]))


def section(reports, images) -> dict:
    """Draw seconds per sweep against tokens and against topics; return exponents."""
    (report,) = reports
    figure, panels = figures.panels(2)
    fixed = {
        "tokens": f"K = {report['tokens'][0]['topics']:,}",
        "topics": f"{report['topics'][0]['tokens']:,} tokens",
    }
    looks = {"sklda, one thread": {"color": "black", "marker": "o"}}
    for axes, (of, title) in zip(panels, fixed.items(), strict=True):
        points = {name: {p[of]: p["seconds"] for p in report[of]} for name in looks}
        figures.lines(axes, points, looks, of, "seconds per sweep", slope=True)
        axes.set_title(title)
    figures.finish(figure, images / "benchmarks-growth.png")
    return {of: f"{slope(report[of], of):.2f}" for of in fixed}
