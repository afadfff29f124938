"""What was measured of supervised topics, as figures and as rows of a table."""

CORPORA = {
    "newsgroups": "20 Newsgroups, all words",
    "content-words": "20 Newsgroups, no stop words",
    "pair": "two of its classes",
    "blogs": "political blogs, two ratings",
    "reuters": "Reuters-21578, 90 labels",
}
METHODS = {
    "MedLDA": "``MedLDAClassifier``",
    "MedLDA, many labels": "``MedLDAClassifier``, other priors",
    "MedLDA, many labels, SVM": "the same topics, SVM",
    "LDA, logistic": "``CollapsedGibbsLDA``, logistic regression",
    "tf-idf, SVM": "tf-idf, SVM",
}


def figures(newsgroups: dict) -> dict[str, str]:
    """Return how well classes are told apart, by topics and by words."""
    of = {row["method"]: row for row in newsgroups["rows"]}
    names = {
        "medlda": "MedLDA",
        "unsupervised": "LDA, logistic",
        "tfidf": "tf-idf, SVM",
    }
    found = {"medlda-seconds": f"{of[names['medlda']]['seconds']:.0f}"}
    for name, method in names.items():
        found[f"{name}-accuracy"] = f"{of[method]['test']['accuracy']:.2f}"
    return found


def machine(reports: dict[str, dict]) -> str:
    """Return the processor and the versions of the measurements."""
    found, *_ = (report["machine"] for report in reports.values())
    versions = ", ".join(f"{name} {text}" for name, text in found["versions"].items())
    return f"{found['cpu']}, {found['system']}; {versions}"


def rows(reports: dict[str, dict]) -> list[list[str]]:
    """Return a row for each corpus, method and number of topics."""
    head = ["corpus", "method", "topics", "accuracy or micro F1", "CPU seconds"]
    found = [[*head, "coherence"]]
    for corpus, title in CORPORA.items():
        begin = title
        for row in sorted(reports[corpus]["rows"], key=_place):
            score = next(iter(row["test"].values()))
            texts = [f"{row['n_topics'] or '–'}", f"{score:.3f}"]
            texts.append(f"{row['seconds']:.2g}")
            coherence = row["coherence"]
            texts.append("–" if coherence is None else f"{coherence:.2f}")
            found.append([begin, METHODS[row["method"]], *texts])
            begin = ""
    return found


def _place(row: dict) -> tuple:
    return row["n_topics"] or float("inf"), list(METHODS).index(row["method"])
