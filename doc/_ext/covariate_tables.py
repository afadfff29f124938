"""What was measured of models with covariates, as rows of tables."""

QUANTITIES = ("differences", "weights", "intercepts")
MODELS = {
    "1/K": "alpha 1 / K",
    "asymmetric": "alpha learnt",
    "intercepts": "DMRLDA, no covariates",
    "rating": "rating",
    "rating x day": "rating × day",
}


def figures(coverage: dict, heldout: dict) -> dict[str, str]:
    """Return the figures in the text of the page."""
    summary = coverage["summary"]
    dmr = summary["planted; default priors; 500; differences"]
    other = summary["planted; regression; differences"]
    found = {
        f"covariates-{key}": f"{other[key] / dmr[key]:.2f}"
        for key in ("width", "error")
    }
    most = max(coverage["options"]["draws"])
    shares = {
        "intercepts": f"planted; default priors; {most}; intercepts",
        "intercepts-planted": f"planted; planted priors; {most}; intercepts",
    }
    found |= {
        f"covariates-{key}": f"{_percent(summary[name], '95%')} %"
        for key, name in shares.items()
    }
    planted = summary[shares["intercepts-planted"]]["corpora"]
    found["covariates-corpora-planted"] = f"{planted}"
    length = heldout["tokens"] / heldout["documents"]
    return found | {"covariates-length": f"{length:.0f}"}


def _percent(found: dict, level: str) -> str:
    share, error = found[level], found[f"{level}, standard error"]
    return f"{100 * share:.1f}\u00a0±\u00a0{100 * error:.1f}"  # on one line


def coverage_rows(report: dict) -> list[list[str]]:
    """Return how often intervals hold planted values, and their standard errors."""
    summary = report["summary"]

    def percent(name: str, level: str) -> str:
        return _percent(summary[name], level) if name in summary else "–"

    rows = [["intervals of", "kept samples", "80 %", "95 %"]]
    rows[0] += ["95 %, true priors", "95 %, no effect"]
    for quantity in QUANTITIES:
        for draws in report["options"]["draws"]:
            default, planted = (
                f"{priors} priors; {draws}; {quantity}"
                for priors in ("default", "planted")
            )
            shares = [percent(f"planted; {default}", level) for level in ("80%", "95%")]
            shares.append(percent(f"planted; {planted}", "95%"))
            shares.append(percent(f"none; {default}", "95%"))
            rows.append([quantity, f"{draws:,}", *shares])
        if quantity == "differences":
            name = "regression; differences"
            shares = [percent(f"planted; {name}", level) for level in ("80%", "95%")]
            shares += ["–", percent(f"none; {name}", "95%")]
            rows.append(["differences, ``estimate_effect``", "25", *shares])
    return rows


def heldout_rows(report: dict) -> list[list[str]]:
    """Return the scores of each start, for each model and number of topics."""
    rows = [["K", *MODELS.values()]]
    for row in report["rows"]:
        scores = (row["score"][name] for name in MODELS)
        texts = (", ".join(f"{score:.3f}" for score in some) for some in scores)
        rows.append([f"{row['n_topics']}", *texts])
    return rows


def peers_rows(report: dict) -> list[list[str]]:
    """Return the score, the seconds and the agreement of each program."""
    rows = [["program", "seconds", "score", "topics", "correlation", "slope"]]
    rows[0].append("same sign")
    for name, found in report["summary"].items():
        texts = [
            _range(found[key], digits)
            for key, digits in (("seconds", 1), ("score", 3), ("matched", 0))
        ]
        texts += [_range(found[key], 2) for key in ("correlation", "slope")]
        texts.append(_range(found["same_sign"], 2))
        rows.append([name, *texts])
    return rows


def _range(found: dict, digits: int) -> str:
    """Return the least and the greatest of several starts."""
    ends = [f"{value:.{digits}f}" for value in found["range"]]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
