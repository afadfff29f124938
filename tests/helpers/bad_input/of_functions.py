"""Bad and good arguments of the functions and displays of sklda."""

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, partial
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline

import sklda
from sklda import (
    CVBLDA,
    DMRLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    datasets,
    diagnostics,
    inspection,
    metrics,
)
from sklda._base.parameters import CONSTRAINTS
from sklda._base.sklearn_private import Interval
from sklda._core.problem import MAX_TOPICS
from tests.helpers.bad_input.of_estimators import (
    LABELS,
    N_DOCS,
    N_TOPICS,
    N_WORDS,
    X,
    covariates,
    fitted,
)
from tests.helpers.bad_input.of_model_selection import model_selection_doors
from tests.helpers.bad_input.values import (
    NAME,
    SEEDS,
    Bad,
    Door,
    Spec,
    accepted,
    choice,
    counts,
    door,
    flag,
    indices,
    integer,
    names,
    numbers_per_item,
    of_constraints,
    only_bad,
    path,
    real,
    refused,
    rows,
    weights,
)
from tests.helpers.known_topics import KnownTopics
from tests.helpers.public_names import parameters

HAS_ARVIZ = find_spec("arviz_stats") is not None
NO_MODELS = ("model", None, 5, CollapsedGibbsLDA, {1})
COMPONENTS = np.arange(N_TOPICS * N_WORDS).reshape(N_TOPICS, N_WORDS) % 5


def metric_doors() -> Iterator[tuple[str, Door]]:
    of_model = weights(N_TOPICS, N_WORDS) + no_estimators()
    in_texts = ("c_v", "c_uci", "c_npmi")
    # Any documents with the words of the model are valid.
    of_documents = weights(3, N_WORDS) + refused(None, words="X must be given")
    of_documents += refused(-COMPONENTS, words="X contains negative")
    of_documents += refused(np.ones((3, 6)), words="7 columns, but X has 6")
    yield door(
        metrics.topic_coherence,
        {"model": COMPONENTS, "X": X, "n_words": 3},
        model=of_model + refused(COMPONENTS[:, :6], words="6.*7"),
        X=of_documents,
        measure=choice("u_mass", "npmi") + only_bad(choice(*in_texts)),
        n_words=integer(2, N_WORDS, typical=3),
        smoothing=real(0, None, closed="neither", typical=0.5),
    )
    yield "topic_coherence", coherence_in_texts()
    of_words = integer(1, N_WORDS, typical=3)
    at = {"model": COMPONENTS, "n_words": 3}
    of_lists = of_model + lists_of_words()
    yield door(metrics.topic_diversity, at, model=of_lists, n_words=of_words)
    yield door(
        metrics.topic_exclusivity,
        at | {"measure": "frex"},
        model=of_model + not_distributed(),
        measure=only_bad(choice("exclusivity", "frex")) + accepted("frex"),
        n_words=of_words,
        weight=real(0, 1, closed="both", typical=0.5) + accepted(None),
    )
    yield from alignment_doors()
    yield "document_completion_score", completion_door()
    yield "vocabulary_score", vocabulary_door()
    factors = KnownTopics(COMPONENTS)
    no_prior = refused(factors, words="no doc_topic_prior_", error=TypeError)
    yield door(
        metrics.left_to_right_log_likelihood,
        {"estimator": fitted(CollapsedGibbsLDA), "X": X, "random_state": 0},
        estimator=topic_model() + no_prior,
        X=counts(N_DOCS, N_WORDS, whole=True, fitted=True),
        n_particles=integer(1, typical=3),
        random_state=SEEDS,
    )


def completion_door() -> Door:
    sound = {"estimator": fitted(CollapsedGibbsLDA), "X": X}
    of_model = topic_model().bad
    of_model = [one for one in of_model if not isinstance(one.value, Pipeline)]
    specs = {
        "estimator": Spec(of_model, []),
        "X": counts(N_DOCS, N_WORDS, whole=False, fitted=True),
        "smoothing": real(0, 1, closed="both", typical=0.5) + accepted(None),
    }
    return Door(metrics.document_completion_score, sound, specs)


def vocabulary_door() -> Door:
    columns = list(range(N_WORDS))
    of_columns = indices(N_WORDS)
    return Door(
        metrics.vocabulary_score,
        {"estimator": fitted(CollapsedGibbsLDA), "X": X, "columns": columns}
        | {"X_train": X},
        {
            "estimator": topic_model(),
            "X": Spec(weights(N_DOCS, N_WORDS).bad, []) + refused(-X),
            "columns": Spec(of_columns.bad, [[columns, np.arange(N_WORDS)]])
            + refused(columns[1:], [0, *columns[:-1]], words="each of the"),
            "X_train": Spec(weights(N_DOCS, N_WORDS).bad, [])
            + refused(-X)
            + refused(X[:, 1:], words="X_train has .* columns, but X"),
        },
    )


def seed_word_door() -> Door:
    names_of = ["tea", "teapot", "rum"]
    prior = real(1e-10, 1e10, closed="both", typical=0.5)
    no_mapping = refused(["tea"], None, "tea", 3, words="seeds must map numbers of t")
    no_words = refused({0: "tea"}, {0: 3}, {0: {"tea"}}, words="seeds of topic 0 must")
    no_topic = refused(
        *({k: ["tea"]} for k in (-1, 2, 0.0, "0", True)), words="a topic of seeds"
    )
    nothing = refused({}, {0: []}, {0: ["gin", "g*"]}, words="no word of feature_names")
    of_names = refused("tea", None, 3, {*names_of}, words="feature_names must list")
    of_names += Spec([], [[names_of, tuple(names_of), np.array(names_of)]])
    _, of_function = door(
        sklda.seed_word_prior,
        {"feature_names": names_of, "seeds": {0: ["tea"]}, "n_components": 2},
        feature_names=of_names,
        seeds=no_mapping + no_words + no_topic + nothing,
        n_components=integer(1, MAX_TOPICS, typical=3, reach=False),
        weight=prior,
        base=prior + accepted(None),
    )
    return of_function


def no_estimators() -> Spec:
    """Return the Spec of estimators where arrays are taken as well."""
    return Spec(topic_model().bad[: -len(NO_MODELS)], [])


def lists_of_words() -> Spec:
    """Return the Spec of topics that are lists of words, three of which are used."""
    spec = refused([["a", "b", "a"]], words="{name} lists the word 'a'.*distinct")
    spec += refused([["a", "b", "c"], ["a"]], words="n_words=3.*topic 1, 1")
    spec += refused([["a", "b", 1]], ["a b c"], words="{name}")
    lists = [["a", "b", "c"], ["a", "d", "c"]]
    same = [lists, tuple(map(tuple, lists)), np.array(lists), np.array(lists, object)]
    return spec + Spec([], [[*same, pandas.DataFrame(lists)]])


def coherence_in_texts() -> Door:
    texts = [["a", "b"], ["c", "a", "b"], ["d", "e"], ["f", "g"]]
    no_texts = ("abc", b"abc", 5, {"a": "b"}, np.array(texts[:1]), COMPONENTS, X)
    text = r"{name} must contain strings or lists of tokens.* text 1 is of type"
    none = r"{name} contain none of the top words"
    given = refused(None, words="{name} must be given")
    given += refused(
        *no_texts, words="{name} must be a list of strings", error=TypeError
    )
    for one in (None, 5, {"a"}, {"a": 1}):
        given += refused(["a", one], words=text, error=TypeError)
    given += refused([], [""], [["x"]], [[("a", 1)]], words=none, error=ValueError)
    same = [texts, tuple(texts), iter(texts), [tuple(one) for one in texts]]
    of_names = names(N_WORDS, "words")
    of_names = Spec(of_names.bad, [])
    of_names += refused(None, words="{name} must be given")
    of_names += refused(["a"] * N_WORDS, words="{name} must be distinct")
    return Door(
        metrics.topic_coherence,
        {"model": COMPONENTS, "measure": "c_v", "n_words": 3}
        | {"texts": texts, "feature_names": list("abcdefg")},
        {
            "model": lists_of_words()
            + refused([["a", "b", "x"]], words="feature_names must .*no 'x'"),
            "X": refused(X, words="X has no effect") + accepted(None),
            "texts": given + Spec([], [same]),
            "feature_names": of_names,
            "window": integer(1, typical=3)
            + Spec([], [[None], [3, 10**6, 2**63 - 1, 10**30]]),
        },
    )


def not_distributed() -> Spec:
    """Return the Spec of weights that make no distributions."""
    empty = COMPONENTS.copy()
    empty[1] = 0
    words = "all weights of topic 1 are 0"
    return refused(-COMPONENTS, words="contains negative") + refused(empty, words=words)


def alignment_doors() -> Iterator[tuple[str, Door]]:
    shared = {
        "distance": only_bad(choice("hellinger", "jensen-shannon", "top-words"))
        + accepted("top-words"),
        "n_words": integer(1, N_WORDS, typical=3) + accepted(None),
    }
    at = {"distance": "top-words", "n_words": 3}
    of_reference = weights(N_TOPICS, N_WORDS) + no_estimators() + not_distributed()
    of_reference += refused(COMPONENTS[:, :6], words="reference has 6.*has 7")
    yield door(
        metrics.align_topics,
        at | {"reference": COMPONENTS, "others": [COMPONENTS + 1]},
        reference=of_reference,
        others=several_models(COMPONENTS + 1, minimum=1),
        **shared,
    )
    models, at["models"] = several_models(COMPONENTS + 1), [COMPONENTS, COMPONENTS + 1]
    for function in (metrics.topic_stability, metrics.consensus_topics):
        yield door(function, at, models=models, **shared)


# --- inspection ------------------------------------------------------------------


@cache
def topic_model() -> Spec:
    """Return the Spec of a fitted topic model."""
    pipeline = make_pipeline("passthrough", CollapsedGibbsLDA(2, max_iter=2)).fit(X)
    svd = TruncatedSVD(2).fit(X.toarray() - 1.5)
    unfitted = CollapsedGibbsLDA(), make_pipeline("passthrough", CollapsedGibbsLDA())
    bad = [
        *(Bad(one, "not fitted", NotFittedError) for one in unfitted),
        Bad(pipeline, r"Pipeline has no components_.*pipeline\[-1\]", TypeError),
        Bad(svd, "components_ of TruncatedSVD contains negative"),
        Bad(KnownTopics([[1, 2, math.nan]]), "components_ contains NaN"),
        *(Bad(one, "not an estimator|is a class", TypeError) for one in NO_MODELS),
    ]
    return Spec(bad, [])


def labels() -> dict[str, Spec]:
    """Return the Specs of the parameters that all labels of topics share."""
    return {
        "estimator": topic_model(),
        "feature_names": names(N_WORDS, "words"),
        "n_words": integer(0, N_WORDS, typical=3),
    }


def ranking() -> dict[str, Spec]:
    """Return the Specs of the parameters that all rankings of words share."""
    return labels() | {
        "n_words": integer(1, N_WORDS, typical=3),
        "metric": choice("probability", "relevance", "lift", "frex"),
        "weight": real(0, 1, closed="both", typical=0.5) + accepted(None),
    }


def groups() -> Spec:
    """Return the Spec of the groups of documents."""
    return (
        names(N_DOCS, "documents")
        + refused([None] * N_DOCS, [math.nan] * N_DOCS, words="row 0")
        + refused(
            *([(d, item) for d in range(N_DOCS)] for item in (1, "a", None)),
            [[d] for d in range(N_DOCS)],
            [(d,) * (d + 1) for d in range(N_DOCS)],
            [1, *LABELS[1:].astype(str)],
            words="{name} must contain only .*Convert them",
        )
    )


def explorer_door(folder: Path) -> Door:
    absent = refused(folder / "absent" / "page.html", words="no such folder")
    not_a_path = [one for one in path().bad if one.error is TypeError]
    specs = {
        "path": Spec(not_a_path, [])
        + Spec([absent.bad[0]._replace(error=OSError)], []),
        "estimator": topic_model(),
        "X": counts(N_DOCS, N_WORDS, whole=True, fitted=True)
        + refused(X * 0, words="X contains no token"),
        "feature_names": names(N_WORDS, "words"),
        "texts": names(N_DOCS, "documents"),
        "labels": names(N_TOPICS, "topics"),
        "groups": groups(),
        "max_text_length": integer(1, typical=9),
    }
    sound = {"path": folder / "page.html", "estimator": fitted(CollapsedGibbsLDA)}
    sound |= {"X": X, "feature_names": None}

    def save(**given: Any) -> bytes:
        return inspection.save_explorer(**given).read_bytes()

    return Door(save, sound, specs)


def inspection_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    at_model = {"estimator": fitted(CollapsedGibbsLDA)}
    documents = counts(N_DOCS, N_WORDS, whole=True, fitted=True)
    at_words = at_model | {"n_words": 3, "metric": "frex"}
    top_words = ranking() | {"as_frame": flag()}
    yield door(inspection.top_words, at_words, **top_words)
    no_effect = rows((0.5, "no effect for metric='lift'"))
    yield door(inspection.top_words, at_words | {"metric": "lift"}, weight=no_effect)
    yield door(
        inspection.top_documents,
        at_model | {"X": X, "n_documents": 3},
        estimator=topic_model(),
        X=documents,
        n_documents=integer(1, N_DOCS, typical=3),
    )
    yield door(
        inspection.pyldavis_data,
        at_model | {"X": X},
        estimator=topic_model(),
        X=documents + refused(X * 0, words="X contains no token"),
        feature_names=names(N_WORDS, "words"),
    )
    yield "save_explorer", explorer_door(folder)
    # Displays.
    of_words = ranking() | {"topics": indices(N_TOPICS)}
    at = at_words | {"estimator": with_draws()}
    level = LEVEL.bad[1:], [*LEVEL.good, [None]]  # None is the default
    at["confidence_level"], of_words["confidence_level"] = 0.9, Spec(*level)
    yield from display_doors(inspection.TopWordsDisplay, at, of_words)
    if_any = Spec([one for one in documents.bad if one.value is not None], [])
    at_labels = at_model | {"n_words": 3}
    of_map = labels() | {"X": if_any + accepted(None, X)}
    yield from display_doors(inspection.TopicMapDisplay, at_labels, of_map)
    of_documents = labels() | {
        "X": documents,
        "documents": indices(N_DOCS),
        "document_names": names(10, "documents"),
        "n_topics": integer(1, typical=2),
    }
    at = at_labels | {"X": X}
    yield from display_doors(inspection.DocumentTopicsDisplay, at, of_documents)
    of_fits = {"estimator": fits()}
    yield from display_doors(inspection.ConvergenceDisplay, at_model, of_fits)
    of_flow = of_map | {"estimators": several_models(fitted(CollapsedGibbsLDA))}
    del of_flow["estimator"]
    at_flow = {"n_words": 3}
    at_flow["estimators"] = [fitted(CollapsedGibbsLDA), fitted(CVBLDA)]
    yield from display_doors(
        inspection.TopicFlowDisplay, at_flow, of_flow, "from_estimators"
    )


def display_of_chains() -> Iterator[tuple[str, Door]]:
    model = CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1)
    chains = diagnostics.sample_chains(model, X, n_chains=2, random_state=0)
    specs = {"chains": several()}
    yield from display_doors(
        inspection.ConvergenceDisplay, {"chains": chains}, specs, "from_chains"
    )


def several_models(model: Any, *, minimum: int = 2) -> Spec:
    """Return the Spec of a list of models, of which `model` is one."""
    no_list = (model, COMPONENTS, "ab", None, 5, {1, 2})
    spec = refused(*no_list, {"a": model}, words="{name} must be a list of models")
    few = ([], [model][: minimum - 1], (), iter(()))
    spec += refused(*few, words=f"{NAME} must contain at least {minimum} models")
    for bad in topic_model().bad[:2]:
        spec += refused([model, bad.value], words=bad.words, error=bad.error)
    weights = np.ones((2, N_WORDS))
    for row, words in ((math.nan, "NaN"), (-1, "negative"), (0, "of topic 1 are 0")):
        bad = weights.copy()
        bad[1] = row
        words = rf"{NAME}\[1\].*{words}|components_.*{words}"
        spec += refused([model, KnownTopics(bad)], words=words, error=ValueError)
    other = KnownTopics(np.ones((2, N_WORDS + 1)))
    spec += refused([model, other], words=rf"has {N_WORDS} words.* has {N_WORDS + 1}")
    same = [model] * max(minimum, 2)
    return spec + Spec([], [[same, tuple(same)]])


# --- draws -----------------------------------------------------------------------

LEVEL = refused(None) + real(0, 1, closed="neither", typical=0.5)


@cache
def with_draws() -> Any:
    model = CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1, keep_draws=4)
    return model.set_params(random_state=0).fit(X)


def fits() -> Spec:
    """Return the Spec of fits whose traces are plotted."""
    fit = fitted(CollapsedGibbsLDA)
    params = {"evaluate_every": 0, "max_iter": 2}
    silent = CollapsedGibbsLDA(2, **params).fit(X)
    bound = CVBLDA(2, **(params | {"evaluate_every": 1, "tol": 0})).fit(X)
    bad = [
        Bad(CollapsedGibbsLDA(), "not fitted", NotFittedError),
        Bad([fit, CollapsedGibbsLDA()], "not fitted", NotFittedError),
        Bad({"a": fit, "b": silent}, "b was fitted without a trace: set evaluate"),
        Bad([fit, bound], r"bound \(nats per token\) and log joint"),
        *(Bad(empty, "no fit to plot") for empty in ([], {}, ())),
        Bad(KnownTopics([[1, 2]]), "KnownTopics records no trace", TypeError),
        *(Bad(one, "not an estimator", TypeError) for one in ("fit", None, 5, {1})),
    ]
    return Spec(bad, [[fit], [[fit, fit], (fit, fit)], [{"a": fit, "b": fit}]])


def display_doors(
    cls: type,
    sound: dict[str, Any],
    specs: dict[str, Spec],
    factory: str = "from_estimator",
    made_of: dict[str, Spec] | None = None,
) -> Iterator[tuple[str, Door]]:
    """Yield the doors of a display; `factory` is the method that makes it.

    `made_of` has the Specs of its constructor, if these are no arrays or lists.
    """
    # Only bad arguments of drawing need a picture.
    undrawn = type(cls.__name__, (cls,), {"plot": lambda self, ax=None: self})
    unknown = (AttributeError, TypeError)  # of matplotlib, or with what sklda adds
    of_ax = refused(5, "here", {1}, object()) + accepted(None)
    of_style = refused({"nonsense": 1}, words="nonsense", error=unknown)
    drawing = {"ax": of_ax, "style": of_style}

    def call(method: Callable, **given: Any) -> Any:
        return method(**given.pop("style", {}), **given)

    def make(**given: Any) -> Any:
        drawn = given.keys() & drawing.keys()
        return call(getattr(cls if drawn else undrawn, factory), **given)

    def construct(**given: Any) -> Any:
        from matplotlib import pyplot

        display = cls(**given).plot()
        pyplot.close(display.figure_)
        return display

    shown = getattr(undrawn, factory)(**sound)
    given = {one.name: getattr(shown, one.name) for one in parameters(cls)}
    specs_of = as_drawn(given) if made_of is None else made_of
    yield cls.__name__, Door(construct, given, specs_of)
    yield f"{cls.__name__}.{factory}", Door(make, sound, specs | drawing)
    yield f"{cls.__name__}.plot", Door(partial(call, cls(**given).plot), {}, drawing)


# What is not an array, a list or a size from 1.
SIZES = {
    "burn_in": integer(0, typical=3),
    "r_hat": real(0, None, closed="neither", typical=1.5) + accepted(None),
}


def as_drawn(given: dict[str, Any]) -> dict[str, Spec]:
    """Return the Specs of what a display is made of: arrays, lists and sizes."""
    specs = {}
    for name, value in given.items():
        if name in SIZES:
            specs[name] = SIZES[name]
        elif isinstance(value, int):
            specs[name] = integer(1, typical=value)
        elif not isinstance(value, str):
            # The message may name any of the parameters whose sizes differ.
            shorter = refused(value[:-1], words="|".join(given))
            specs[name] = refused(5, {1}, "text", object()) + shorter
            if name != "intervals":  # None draws none
                specs[name] += refused(None)
        if isinstance(value, np.ndarray):
            no_numbers = np.full(value.shape, math.nan), value.astype(str)
            specs[name] += refused(*no_numbers, [[1], [2, 3]])
    return specs


# --- diagnostics -----------------------------------------------------------------


def diagnostics_doors() -> Iterator[tuple[str, Door]]:
    model = CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1)
    at = {"estimator": model, "X": X, "n_chains": 2, "random_state": 0}
    no_model = ("model", None, 5, CollapsedGibbsLDA, {1}, TruncatedSVD(2))
    pipeline = make_pipeline("passthrough", CollapsedGibbsLDA())
    bad = refused(*no_model, pipeline, words="estimator of sklda", error=TypeError)
    bad += refused(CollapsedGibbsLDA(0), words="n_components")
    documents = counts(N_DOCS, N_WORDS, whole=True, fitted=False)
    tested = counts(N_DOCS, N_WORDS, whole=True, fitted=True)
    if_any = Spec([one for one in tested.bad if one.value is not None], tested.good)
    specs = {
        "estimator": bad,
        "X": only_bad(documents) + refused(X * 0, words="X has no tokens"),
        "X_test": if_any + refused(X * 0, words="X_test has no tokens"),
        "n_chains": of_constraints([Interval(Integral, 2, 10_000, closed="both")], 2),
        "n_jobs": of_constraints(CONSTRAINTS["n_jobs"], 2),
        "random_state": SEEDS,
    }
    specs["n_chains"] = only_bad(specs["n_chains"]) + Spec([], [[2, np.int8(2)]])
    yield "sample_chains", Door(diagnostics.sample_chains, at, specs)
    y = refused(LABELS[1:], words="inconsistent numbers of samples")
    y += refused(None, words="requires y to be passed") + accepted(LABELS)
    at |= {"estimator": MedLDAClassifier(N_TOPICS, max_iter=4, thin=1), "y": LABELS}
    yield "sample_chains", Door(diagnostics.sample_chains, at, {"y": y})
    at = at | {"estimator": DMRLDA(N_TOPICS, max_iter=4, thin=1), "y": None}
    of_documents = {"covariates": covariates(fitted=False)}
    yield "sample_chains", Door(diagnostics.sample_chains, at, of_documents)

    chains = diagnostics.sample_chains(model, X, n_chains=2, random_state=0)
    more = {"n_sweeps": integer(1, typical=3)}

    def go_on(**given: Any) -> Any:
        return deepcopy(chains).more(**given)

    yield "SampledChains.more", Door(go_on, {"n_sweeps": 1}, more)
    yield "SampledChains.summary", Door(chains.summary, {}, {"as_frame": flag()})


def several() -> Spec:
    """Return the Spec of chains."""
    return refused(5, None, "chains", [1], words="SampledChains", error=TypeError)


# --- data sets -------------------------------------------------------------------


def dataset_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    """Yield the doors of sklda.datasets, with files in a folder."""
    docword, vocab = folder / "docword.txt", folder / "vocab.txt"
    docword.write_text("2\n3\n2\n1 1 2\n2 3 1\n")
    (folder / "corpus.ldac").write_text("1 0:2\n1 0:1\n")
    vocab.write_text("a\nb\nc\n")
    (folder / "short.txt").write_text("a\nb\n")
    short = refused(folder / "short.txt", words="contains 2 words")
    words = path(optional=True) + accepted(vocab)
    priors = numbers_per_item(3, low=1e-200, high=1e200)
    size = integer(1, 2**31 - 1, typical=3, reach=False)
    sizes = {
        "n_samples": size,
        "document_length": numbers_per_item(3, low=0, high=2**31 - 1),
        "random_state": SEEDS,
    }
    lda = sizes | {
        "n_features": size,
        "n_components": size,
        "doc_topic_prior": priors + accepted(None),
        "topic_word_prior": priors + accepted(None),
    }
    bars = sizes | {
        "side": integer(2, 46_340, typical=3, reach=False),
        "doc_topic_prior": numbers_per_item(4, low=1e-200, high=1e200) + refused(None),
    }
    three = dict.fromkeys(("n_samples", "n_features", "n_components"), 3)
    yield door(datasets.make_lda_corpus, three | {"random_state": 0}, **lda)
    at = {"n_samples": 3, "side": 2, "random_state": 0}
    yield door(datasets.make_bars, at, **bars)
    # Valid values take seconds, see tests/datasets/test_docstrings.py.
    of_length = only_bad(integer(1, typical=9))
    yield door(datasets.load_docstrings, {}, min_length=of_length)
    at, of_words = {"docword_path": docword}, words + short
    yield door(datasets.load_uci_bow, at, docword_path=path(), vocab_path=of_words)
    yield door(
        datasets.load_ldac,
        {"path": folder / "corpus.ldac"},
        path=path(),
        n_features=size + accepted(None),
        vocab_path=words,
    )
    yield "fetch_uci_bow", fetch_door(folder / "absent")


def fetch_door(folder: Path) -> Door:
    def fetch(**given: Any) -> str:
        try:
            return datasets.fetch_uci_bow(**given)
        except FileNotFoundError as error:  # what comes after all checks
            assert not folder.exists()
            return str(error)

    names_of = ("kos", "nips", "enron", "nytimes", "pubmed")
    return Door(
        fetch,
        {"name": "kos", "data_home": folder, "download_if_missing": False},
        {
            "name": choice(*names_of),
            "data_home": refused(5, {1}, [folder], error=TypeError)
            + Spec([], [[folder, str(folder)]]),
            "download_if_missing": only_bad(flag()),
            "n_retries": integer(0, typical=3),
        },
    )


def function_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    """Yield the doors of all functions and displays by their full names."""
    yield "sklda.seed_word_prior", seed_word_door()
    for module, doors in (
        ("metrics", metric_doors()),
        ("model_selection", model_selection_doors()),
        ("inspection", inspection_doors(folder)),
        ("inspection", display_of_chains() if HAS_ARVIZ else ()),
        ("diagnostics", diagnostics_doors() if HAS_ARVIZ else ()),
        ("datasets", dataset_doors(folder)),
    ):
        yield from ((f"sklda.{module}.{name}", door) for name, door in doors)
