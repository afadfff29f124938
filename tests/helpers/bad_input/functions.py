"""Bad and good arguments of the functions and displays of sklda."""

from collections.abc import Iterator
from copy import copy, deepcopy
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import Pipeline, make_pipeline

import sklda
from sklda import (
    DMRLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    datasets,
    diagnostics,
    inspection,
    metrics,
)
from tests.helpers.bad_input.doors import (
    common,
    display_doors,
    door,
    fits,
    only_fitted,
    result_of,
    several_models,
    topic_model,
)
from tests.helpers.bad_input.estimators import (
    LABELS,
    MORE,
    N_DOCS,
    N_TOPICS,
    N_WORDS,
    X,
    covariates,
    fitted,
    groups,
)
from tests.helpers.bad_input.model_selection import model_selection_doors
from tests.helpers.bad_input.values import (
    Bad,
    Door,
    Spec,
    accepted,
    counts,
    indices,
    names,
    numbers_per_item,
    only_bad,
    path,
    refused,
    rows,
    weights,
)
from tests.helpers.known_topics import KnownTopics

HAS_ARVIZ = find_spec("arviz_stats") is not None
COMPONENTS = np.arange(N_TOPICS * N_WORDS).reshape(N_TOPICS, N_WORDS) % 5
NAMES = np.array(list("abcdefg"), dtype=object)


def metric_doors() -> Iterator[tuple[str, Door]]:
    model = weights(N_TOPICS, N_WORDS) + only_fitted()
    # Any documents with the words of the model are valid.
    documents = weights(3, N_WORDS) + refused(None, words="X must be given")
    documents += refused(-COMPONENTS, words="X contains negative")
    documents += refused(np.ones((3, 6)), words="7 columns, but X has 6")
    documents += refused([X, X], words="must be one matrix of counts here")
    yield door(
        metrics.topic_coherence,
        {"model": COMPONENTS, "X": X, "n_words": 3, "smoothing": 0.5},
        model=model + refused(COMPONENTS[:, :6], words="6.*7"),
        X=documents,
        measure=[["u_mass"], ["npmi"]],
        feature_names=Spec([], []),
        window=[],
    )
    yield coherence_in_texts()
    at = {"model": COMPONENTS, "n_words": 3}
    yield door(metrics.topic_diversity, at, model=model + lists_of_words())
    yield door(
        metrics.topic_exclusivity,
        at | {"measure": "frex"},
        model=model + not_distributed(),
        measure=[["frex"]],
    )
    yield from alignment_doors()
    no_models = topic_model().bad
    for_each = MedLDAClassifier(2, multi_class="ovr", max_iter=2).fit(X, LABELS)
    several = Bad(for_each, "contains 3 models, one for each class", TypeError)
    no_models = [bad for bad in no_models if not isinstance(bad.value, Pipeline)]
    no_models.append(several)
    sound = {"estimator": fitted(CollapsedGibbsLDA), "X": X}
    yield door(
        metrics.document_completion_score,
        sound,
        estimator=Spec(no_models, []),
        X=counts(N_DOCS, N_WORDS, whole=False, fitted=True),
    )
    columns, matrix = list(range(N_WORDS)), only_bad(weights(N_DOCS, N_WORDS))
    yield door(
        metrics.vocabulary_score,
        sound | {"columns": columns, "X_train": X},
        X=matrix + refused(-X),
        columns=Spec(indices(N_WORDS).bad, [[columns, np.arange(N_WORDS)]])
        + refused(columns[1:], [0, *columns[:-1]], words="each of the"),
        X_train=matrix
        + refused(-X)
        + refused(X[:, 1:], words="X_train has .* columns, but X"),
    )
    factors = KnownTopics(COMPONENTS)
    no_prior = refused(factors, words="no doc_topic_prior_", error=TypeError)
    assigned = CollapsedGibbsLDA(2, max_iter=2).fit(X)
    assigned.doc_topic_prior_ = np.array([np.nan, 1.0])
    yield door(
        metrics.left_to_right_log_likelihood,
        sound | {"n_particles": 3, "random_state": 0},
        estimator=topic_model() + no_prior + refused(assigned, words="must be finite"),
    )


def top_level_doors() -> Iterator[tuple[str, Door]]:
    vocabulary = ["tea", "teapot", "rum"]
    seeds = refused(["tea"], None, "tea", 3, words="seeds must map numbers of t")
    no_lists = {0: "tea"}, {0: 3}, {0: {"tea"}}
    seeds += refused(*no_lists, words="seeds of topic 0 must")
    no_topics = ({k: ["tea"]} for k in (-1, 2, 0.0, "0", True))
    seeds += refused(*no_topics, words="a topic of seeds")
    nothing = {}, {0: []}, {0: ["gin", "g*"]}
    seeds += refused(*nothing, words="no word of feature_names")
    no_list = refused("tea", None, 3, {*vocabulary}, words="feature_names must list")
    same = [vocabulary, tuple(vocabulary), np.array(vocabulary)]
    yield door(
        sklda.seed_word_prior,
        {"feature_names": vocabulary, "seeds": {0: ["tea"]}, "n_components": 2},
        feature_names=no_list + Spec([], [same]),
        seeds=seeds,
    )
    unusable = refused([[1, 0], [0, 0]], words="{name}: all weights of topic 1 are 0")
    unusable += refused([[1, 0], [2, 0]], words="{name} has only zeros for word 1")
    yield door(
        sklda.lda_from_components,
        {"components": 1e10 * (1 + COMPONENTS)},  # above every prior
        components=weights(*COMPONENTS.shape) + unusable + refused(-COMPONENTS),
        doc_topic_prior=MORE["doc_topic_prior"],
        topic_word_prior=MORE["topic_word_prior"],
    )


def lists_of_words() -> Spec:
    """Return the Spec of topics that are lists of words, three of which are used."""
    spec = refused([["a", "b", "a"]], words="{name} lists the word 'a'.*distinct")
    spec += refused([["a", "b", "c"], ["a"]], words="n_words=3.*topic 1, 1")
    spec += refused([["a", "b", 1]], ["a b c"], words="{name}")
    lists = [["a", "b", "c"], ["a", "d", "c"]]
    same = [lists, tuple(map(tuple, lists)), np.array(lists), np.array(lists, object)]
    return spec + Spec([], [[*same, pandas.DataFrame(lists)]])


def coherence_in_texts() -> tuple[str, Door]:
    lists = [["a", "b"], ["c", "a", "b"], ["d", "e"], ["f", "g"]]
    no_texts = ("abc", b"abc", 5, {"a": "b"}, np.array(lists[:1]), COMPONENTS, X)
    texts = refused(None, words="{name} must be given")
    words = "{name} must be a list of strings"
    texts += refused(*no_texts, words=words, error=TypeError)
    no_items = (["a", item] for item in (None, 5, {"a"}, {"a": 1}))
    words = r"{name} must contain strings or lists of tokens.* text 1 is of type"
    texts += refused(*no_items, words=words, error=TypeError)
    words = r"{name} contain none of the top"
    texts += refused([], [""], [["x"]], words=words, error=ValueError)
    texts += refused([["a b"]], words="{name} must contain single words")
    same = [lists, tuple(lists), iter(lists), list(map(tuple, lists))]
    feature_names = only_bad(names(N_WORDS, "words"))
    feature_names += refused(None, words="{name} must be given")
    feature_names += refused(["a"] * N_WORDS, words="{name} must be distinct")
    words = "feature_names must .*no 'x'"
    return door(
        metrics.topic_coherence,
        {"model": COMPONENTS, "measure": "c_v", "n_words": 3}
        | {"texts": lists, "feature_names": list("abcdefg")},
        model=lists_of_words() + refused([["a", "b", "x"]], words=words),
        X=refused(X, words="X has no effect") + accepted(None),
        measure=[],
        smoothing=[],
        texts=texts + Spec([], [same]),
        feature_names=feature_names,
        window=[[None], [3, 10**6, 2**63 - 1, 10**30]],
    )


def not_distributed() -> Spec:
    """Return the Spec of weights that make no distributions."""
    empty = COMPONENTS.copy()
    empty[1] = 0
    words = "all weights of topic 1 are 0"
    spec = refused(-COMPONENTS, words="contains negative") + refused(empty, words=words)
    words = "lists of words, .* no weights"
    return spec + refused([["a", "b"]], words=words, error=TypeError)


def alignment_doors() -> Iterator[tuple[str, Door]]:
    sound = {"distance": "top-words", "n_words": 3}
    reference = weights(N_TOPICS, N_WORDS) + only_fitted() + not_distributed()
    reference += refused(COMPONENTS[:, :6], words="reference has 6.*has 7")
    yield door(
        metrics.align_topics,
        sound | {"reference": COMPONENTS, "others": [COMPONENTS + 1]},
        reference=reference,
        others=several_models(COMPONENTS + 1, COMPONENTS, minimum=1),
        distance=[["top-words"]],
    )
    models = several_models(COMPONENTS + 1, COMPONENTS)
    orders = [KnownTopics(COMPONENTS + 1, feature_names_in_=NAMES)]
    orders.append(KnownTopics(COMPONENTS + 1, feature_names_in_=NAMES[::-1]))
    models += refused(orders, words="have different vocabularies")
    sound["models"] = [COMPONENTS, COMPONENTS + 1]
    for function in (metrics.topic_stability, metrics.consensus_topics):
        yield door(function, sound, models=models, distance=[["top-words"]])


# --- inspection ------------------------------------------------------------------


def explorer_door(folder: Path) -> Door:
    def save(**arguments: Any) -> bytes:
        return inspection.save_explorer(**arguments).read_bytes()

    absent = folder / "absent" / "page.html"
    not_a_path = [bad for bad in path().bad if bad.error is TypeError]
    sound = {"path": folder / "page.html", "estimator": fitted(CollapsedGibbsLDA)}
    _, described = door(
        inspection.save_explorer,
        sound | {"X": X, "feature_names": None},
        path=Spec(not_a_path, [])
        + refused(absent, folder, words="file in a folder that exists", error=OSError),
        X=common()["X"] + refused(X * 0, words="X contains no token"),
        texts=names(N_DOCS, "documents"),
        groups=groups(),
    )
    return described._replace(call=save)


def names_door() -> tuple[str, Door]:
    def name(estimator: Any, **arguments: Any) -> list[str]:
        return inspection.name_topics(copy(estimator), **arguments).topic_names_

    def function(words: list[str], documents: np.ndarray) -> str:
        return f"{words} {documents}"

    sound = {"estimator": fitted(CollapsedGibbsLDA), "names": function, "X": X}
    no_list = refused(5, None, "a", {"a"}, words="names must list", error=TypeError)
    no_topics = refused({N_TOPICS: "a"}, {-1: "a"}, {"0": "a"}, words="names has the k")
    no_names = [5, *"bc"], ["a", "a", "b"], ["", "b", "c"], {1: 5}
    given = {0: "a", 1: "b", 2: "c"}
    same = [given, [*given.values()], np.array([*given.values()])]
    documents = common()["X"]
    _, described = door(
        inspection.name_topics,
        sound | {"n_words": 3, "n_documents": 3},
        names=no_list
        + no_topics
        + refused(*no_names, words="[Tt]he name of topic|names must differ")
        + refused(["a"], words="names has 1 names for 3 topics")
        + Spec([], [same, [function]]),
        X=Spec([bad for bad in documents.bad if bad.value is not None], documents.good),
    )
    return "name_topics", described._replace(call=name)


def inspection_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    model = {"estimator": fitted(CollapsedGibbsLDA)}
    words = model | {"n_words": 3, "metric": "frex"}
    yield door(inspection.top_words, words)
    no_effect = rows((0.5, "no effect for metric='lift'"))
    yield door(inspection.top_words, words | {"metric": "lift"}, weight=no_effect)
    yield door(inspection.top_documents, model | {"X": X, "n_documents": 3})
    documents = common()["X"] + refused(X * 0, words="X contains no token")
    yield door(inspection.pyldavis_data, model | {"X": X}, X=documents)
    yield "save_explorer", explorer_door(folder)
    yield names_door()
    # Displays.
    yield from display_doors(inspection.TopWordsDisplay, words)
    labels = model | {"n_words": 3}
    if_any = [bad for bad in common()["X"].bad if bad.value is not None]
    if_any = Spec(if_any, [[None], [X]])
    yield from display_doors(inspection.TopicMapDisplay, labels, X=if_any)
    yield from display_doors(
        inspection.DocumentTopicsDisplay,
        labels | {"X": X},
        document_names=names(10, "documents"),
    )
    yield from display_doors(inspection.ConvergenceDisplay, model, estimator=fits())


# --- diagnostics -----------------------------------------------------------------


def diagnostics_doors() -> Iterator[tuple[str, Door]]:
    model = CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1)
    sound = {"estimator": model, "X": X, "n_chains": 2, "random_state": 0}
    no_model = ("model", None, 5, CollapsedGibbsLDA, {1}, TruncatedSVD(2))
    pipeline = make_pipeline("passthrough", CollapsedGibbsLDA())
    bad = refused(*no_model, pipeline, words="estimator of sklda", error=TypeError)
    bad += refused(CollapsedGibbsLDA(0), words="n_components")
    documents = only_bad(counts(N_DOCS, N_WORDS, whole=True, fitted=False))
    tested = common()["X"]
    if_any = Spec([bad for bad in tested.bad if bad.value is not None], tested.good)
    labels = refused(LABELS[1:], words="inconsistent numbers of samples")
    labels += refused(None, words="requires y to be passed") + accepted(LABELS)
    name, whole = door(
        diagnostics.sample_chains,
        sound,
        estimator=bad,
        X=documents + refused(X * 0, words="X has no tokens"),
        X_test=if_any + refused(X * 0, words="X_test has no tokens"),
        n_chains=[[2, np.int8(2)]],
    )
    yield name, whole
    classes = MedLDAClassifier(N_TOPICS, max_iter=4, thin=1)
    at = sound | {"estimator": classes, "y": LABELS}
    yield name, Door(diagnostics.sample_chains, at, {"y": labels})
    at = sound | {"estimator": DMRLDA(N_TOPICS, max_iter=4, thin=1)}
    specs = {"covariates": covariates(fitted=False)}
    yield name, Door(diagnostics.sample_chains, at, specs)

    chains = diagnostics.sample_chains(model, X, n_chains=2, random_state=0)

    def go_on(**arguments: Any) -> Any:
        return deepcopy(chains).more(**arguments)

    name, more = door(chains.more, {"n_sweeps": 1})
    yield name, more._replace(call=go_on)
    yield door(chains.summary, {})


def display_of_chains() -> Iterator[tuple[str, Door]]:
    model = CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1)
    chains = diagnostics.sample_chains(model, X, n_chains=2, random_state=0)
    yield from display_doors(
        inspection.ConvergenceDisplay,
        {"chains": chains},
        "from_chains",
        chains=result_of("SampledChains", "chains", [1]),
    )


# --- data sets -------------------------------------------------------------------


def dataset_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    """Yield the doors of sklda.datasets, with files in a folder."""
    docword, vocab = folder / "docword.txt", folder / "vocab.txt"
    docword.write_text("2\n3\n2\n1 1 2\n2 3 1\n")
    (folder / "corpus.ldac").write_text("1 0:2\n1 0:1\n")
    vocab.write_text("a\nb\nc\n")
    (folder / "short.txt").write_text("a\nb\n")
    words = path(optional=True) + accepted(vocab)
    short = refused(folder / "short.txt", words="contains 2 words")
    lengths = numbers_per_item(3, low=0, high=2**31 - 1)
    priors = numbers_per_item(3, low=1e-200, high=1e200)
    three = dict.fromkeys(("n_samples", "n_features", "n_components"), 3)
    yield door(
        datasets.make_lda_corpus,
        three | {"random_state": 0},
        document_length=lengths,
        doc_topic_prior=priors + accepted(None),
        topic_word_prior=priors + accepted(None),
    )
    yield door(
        datasets.make_bars,
        {"n_samples": 3, "side": 2, "random_state": 0},
        document_length=lengths,
        doc_topic_prior=numbers_per_item(4, low=1e-200, high=1e200) + refused(None),
    )
    sound = {"docword_path": docword}
    yield door(datasets.load_uci_bow, sound, vocab_path=words + short)
    sound = {"path": folder / "corpus.ldac"}
    yield door(datasets.load_ldac, sound, vocab_path=words)
    yield "fetch_uci_bow", fetch_door(folder / "absent")


def fetch_door(folder: Path) -> Door:
    def fetch(**arguments: Any) -> str:
        try:
            return datasets.fetch_uci_bow(**arguments)
        except FileNotFoundError as error:  # what comes after all checks
            assert not folder.exists()
            return str(error)

    _, described = door(
        datasets.fetch_uci_bow,
        {"name": "kos", "data_home": folder, "download_if_missing": False},
        data_home=refused(5, {1}, [folder], error=TypeError)
        + Spec([], [[folder, str(folder)]]),
        download_if_missing=[],
    )
    return described._replace(call=fetch)


def function_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    """Yield the doors of all functions and displays by their full names."""
    yield from ((f"sklda.{name}", door) for name, door in top_level_doors())
    for module, doors in (
        ("metrics", metric_doors()),
        ("model_selection", model_selection_doors()),
        ("inspection", inspection_doors(folder)),
        ("inspection", display_of_chains() if HAS_ARVIZ else ()),
        ("diagnostics", diagnostics_doors() if HAS_ARVIZ else ()),
        ("datasets", dataset_doors(folder)),
    ):
        yield from ((f"sklda.{module}.{name}", door) for name, door in doors)
