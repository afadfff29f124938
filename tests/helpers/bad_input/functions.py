"""Bad arguments of the functions and displays of sklda."""

from collections.abc import Iterator
from copy import copy, deepcopy
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import Bunch

import sklda
from sklda import (
    DMRLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    datasets,
    diagnostics,
    inspection,
    metrics,
    model_selection,
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
from tests.helpers.bad_input.values import (
    NAME,
    Bad,
    Door,
    counts,
    indices,
    names,
    numbers_per_item,
    refused,
    rows,
    weights,
)
from tests.helpers.known_topics import KnownTopics

HAS_ARVIZ = find_spec("arviz_stats") is not None
COMPONENTS = np.arange(N_TOPICS * N_WORDS).reshape(N_TOPICS, N_WORDS) % 5
TEXTS = [["a", "b"], ["c", "a", "b"], ["d", "e"], ["f", "g"]]
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
        feature_names=[],
    )
    yield coherence_in_texts()
    at = {"model": COMPONENTS, "n_words": 3}
    yield door(metrics.topic_diversity, at, model=model + lists_of_words())
    yield door(
        metrics.topic_exclusivity,
        at | {"measure": "frex"},
        model=model + not_distributed(),
    )
    yield from alignment_doors()
    not_models = topic_model()
    not_models = [bad for bad in not_models if not isinstance(bad.value, Pipeline)]
    sound = {"estimator": fitted(CollapsedGibbsLDA), "X": X}
    yield door(
        metrics.document_completion_score,
        sound,
        estimator=not_models,
        X=counts(N_DOCS, N_WORDS, whole=False, fitted=True),
    )
    columns, matrix = list(range(N_WORDS)), weights(N_DOCS, N_WORDS)
    columns_wrong = columns[1:], [0, *columns[:-1]]
    yield door(
        metrics.vocabulary_score,
        sound | {"columns": columns, "X_train": X},
        X=matrix + refused(-X),
        columns=indices(N_WORDS) + refused(*columns_wrong, words="each of"),
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
    not_lists = {0: "tea"}, {0: 3}, {0: {"tea"}}
    seeds += refused(*not_lists, words="seeds of topic 0 must")
    not_topics = ({k: ["tea"]} for k in (-1, 2, 0.0, "0", True))
    seeds += refused(*not_topics, words="a topic of seeds")
    nothing = {}, {0: []}, {0: ["gin", "g*"]}
    seeds += refused(*nothing, words="no word of feature_names")
    not_list = refused("tea", None, {*vocabulary}, words="feature_names must list")
    yield door(
        sklda.seed_word_prior,
        {"feature_names": vocabulary, "seeds": {0: ["tea"]}, "n_components": 2},
        feature_names=not_list,
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


def lists_of_words() -> list[Bad]:
    """Return what is refused as lists of words, three of which are used."""
    spec = refused([["a", "b", "a"]], words="{name} lists the word 'a'.*distinct")
    spec += refused([["a", "b", "c"], ["a"]], words="n_words=3.*topic 1, 1")
    spec += refused([["a", "b", 1]], ["a b c"], words="{name}")
    return spec


def coherence_in_texts() -> tuple[str, Door]:
    texts = refused(None, words="{name} must be given")
    for words, wrong in (
        ("must be a list of strings", ("abc", 5, {"a": "b"}, COMPONENTS, X)),
        ("must contain strings.* text 1 is of type", (["a", None], ["a", {"a"}])),
        ("contain none of the top", ([], [""], [["x"]])),
    ):
        texts += refused(*wrong, words=f"{NAME} {words}")
    texts += refused([["a b"]], words=f"{NAME} must contain single words")
    feature_names = names(N_WORDS, "words")
    feature_names += refused(None, words="{name} must be given")
    feature_names += refused(["a"] * N_WORDS, words="{name} must be distinct")
    words = "feature_names must .*no 'x'"
    return door(
        metrics.topic_coherence,
        {"model": COMPONENTS, "measure": "c_v", "n_words": 3}
        | {"texts": TEXTS, "feature_names": list("abcdefg")},
        model=lists_of_words() + refused([["a", "b", "x"]], words=words),
        X=refused(X, words="X has no effect"),
        texts=texts,
        feature_names=feature_names,
    )


def not_distributed() -> list[Bad]:
    """Return what is refused as weights that make no distributions."""
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
    )
    models = several_models(COMPONENTS + 1, COMPONENTS)
    orders = [KnownTopics(COMPONENTS + 1, feature_names_in_=NAMES)]
    orders.append(KnownTopics(COMPONENTS + 1, feature_names_in_=NAMES[::-1]))
    models += refused(orders, words="have different vocabularies")
    sound["models"] = [COMPONENTS, COMPONENTS + 1]
    yield door(metrics.topic_stability, sound, models=models)


# --- inspection ------------------------------------------------------------------


def if_any(every: list[Bad]) -> list[Bad]:
    """Return the bad values of an argument that may be missing."""
    return [bad for bad in every if bad.value is not None]


def explorer_door(folder: Path) -> tuple[str, Door]:
    absent = folder / "absent" / "page.html"
    sound = {"path": folder / "page.html", "estimator": fitted(CollapsedGibbsLDA)}
    # Fitted pipelines are accepted.
    not_models = [bad for bad in topic_model() if "Pipeline" not in bad.words]
    return door(
        inspection.save_explorer,
        sound | {"X": X, "feature_names": None},
        estimator=not_models,
        path=refused(None, 5, {1}, error=TypeError)
        + refused(absent, folder, words="file in a folder that exists", error=OSError),
        X=common()["X"] + refused(X * 0, words="X contains no token"),
        texts=names(N_DOCS, "documents"),
        groups=groups(),
    )


def names_door() -> tuple[str, Door]:
    sound = {"estimator": copy(fitted(CollapsedGibbsLDA)), "names": "{} {}".format}
    not_list = refused(5, None, "a", {"a"}, words="names must list", error=TypeError)
    not_topics = refused({N_TOPICS: "a"}, {-1: "a"}, {"0": "a"}, words="keys of names")
    not_names = [5, *"bc"], ["a", "a", "b"], ["", "b", "c"], {1: 5}
    return door(
        inspection.name_topics,
        sound | {"X": X, "n_words": 3, "n_documents": 3},
        names=not_list
        + not_topics
        + refused(*not_names, words="[Tt]he name of topic|names must differ")
        + refused(["a"], words="names has 1 entries for 3 topics"),
        X=if_any(common()["X"]),
    )


def inspection_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    model = {"estimator": fitted(CollapsedGibbsLDA)}
    words = model | {"n_words": 3, "metric": "frex"}
    yield door(inspection.top_words, words)
    no_effect = rows((0.5, "no effect for metric='lift'"))
    yield door(inspection.top_words, words | {"metric": "lift"}, weight=no_effect)
    yield door(inspection.top_documents, model | {"X": X, "n_documents": 3})
    documents = common()["X"] + refused(X * 0, words="X contains no token")
    yield door(inspection.pyldavis_data, model | {"X": X}, X=documents)
    yield explorer_door(folder)
    yield names_door()
    # Displays.
    yield from display_doors(inspection.TopWordsDisplay, words)
    labels = model | {"n_words": 3}
    yield from display_doors(
        inspection.TopicMapDisplay, labels, X=if_any(common()["X"])
    )
    yield from display_doors(
        inspection.DocumentTopicsDisplay,
        labels | {"X": X},
        document_names=names(10, "documents"),
    )
    yield from display_doors(inspection.ConvergenceDisplay, model, estimator=fits())
    if HAS_ARVIZ:
        yield from display_doors(
            inspection.ConvergenceDisplay,
            {"chains": sampled_chains()},
            "from_chains",
            chains=result_of("SampledChains", "chains", [1]),
        )


# --- diagnostics -----------------------------------------------------------------


CHAINS = {"estimator": CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1), "X": X}
CHAINS |= {"n_chains": 2, "random_state": 0}


@cache
def sampled_chains() -> diagnostics.SampledChains:
    return diagnostics.sample_chains(**CHAINS)


def diagnostics_doors() -> Iterator[tuple[str, Door]]:
    not_models = ("model", None, 5, CollapsedGibbsLDA, {1}, TruncatedSVD(2))
    pipeline = make_pipeline("passthrough", CollapsedGibbsLDA())
    bad = refused(*not_models, pipeline, words="sampler of sklda", error=TypeError)
    bad += refused(CollapsedGibbsLDA(0), words="n_components")
    documents = counts(N_DOCS, N_WORDS, whole=True, fitted=False)
    labels = refused(LABELS[1:], words="inconsistent numbers of samples")
    labels += refused(None, words="requires y to be passed")
    name, whole = door(
        diagnostics.sample_chains,
        CHAINS,
        estimator=bad,
        X=documents + refused(X * 0, words="X has no tokens"),
        X_test=if_any(common()["X"]) + refused(X * 0, words="X_test has no tokens"),
    )
    yield name, whole
    classes = MedLDAClassifier(N_TOPICS, max_iter=4, thin=1)
    at = CHAINS | {"estimator": classes, "y": LABELS}
    yield name, Door(diagnostics.sample_chains, at, {"y": labels})
    at = CHAINS | {"estimator": DMRLDA(N_TOPICS, max_iter=4, thin=1)}
    specs = {"covariates": covariates(fitted=False)}
    yield name, Door(diagnostics.sample_chains, at, specs)

    yield door(deepcopy(sampled_chains()).more, {"n_sweeps": 1})
    yield door(sampled_chains().summary, {})


# --- data sets -------------------------------------------------------------------


def dataset_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    """Yield the doors of sklda.datasets, with files in a folder."""
    docword, vocab = folder / "docword.txt", folder / "vocab.txt"
    docword.write_text("2\n3\n2\n1 1 2\n2 3 1\n")
    (folder / "corpus.ldac").write_text("1 0:2\n1 0:1\n")
    vocab.write_text("a\nb\nc\n")
    (folder / "short.txt").write_text("a\nb\n")
    wrong = refused(5, True, {1}, error=TypeError)
    wrong += refused("absent.txt", words="absent.txt", error=FileNotFoundError)
    short = refused(folder / "short.txt", words="contains 2 words")
    lengths = numbers_per_item(3, low=0, high=2**31 - 1)
    priors = numbers_per_item(3, low=1e-200, high=1e200)
    three = dict.fromkeys(("n_samples", "n_features", "n_components"), 3)
    yield door(
        datasets.make_lda_corpus,
        three | {"random_state": 0},
        document_length=lengths,
        doc_topic_prior=priors,
        topic_word_prior=priors,
    )
    yield door(
        datasets.make_bars,
        {"n_samples": 3, "side": 2, "random_state": 0},
        document_length=lengths,
        doc_topic_prior=numbers_per_item(4, low=1e-200, high=1e200) + refused(None),
    )
    sound = {"docword_path": docword}
    yield door(datasets.load_uci_bow, sound, vocab_path=wrong + short)
    sound = {"path": folder / "corpus.ldac"}
    yield door(datasets.load_ldac, sound, vocab_path=wrong)
    for name in ("docword.kos.txt.gz", "vocab.kos.txt"):
        copyfile(docword if "docword" in name else vocab, folder / name)
    yield door(
        datasets.fetch_uci_bow,
        {"name": "kos", "data_home": folder},
        data_home=refused(5, {1}, [folder], error=TypeError),
    )


# --- model selection -------------------------------------------------------------


def curve_doors() -> Iterator[tuple[str, Door]]:
    lda, counts = CollapsedGibbsLDA(max_iter=2), X.toarray()
    sound = {"estimator": lda, "X": counts, "param_range": [2, 3], "n_words": 3}
    sound |= {"cv": 2, "random_state": 0, "measures": ["score"], "n_repeats": 1}
    splits = list(KFold(2).split(counts))
    not_models = (Ridge(), make_pipeline(lda), MedLDAClassifier(), None, 5, {1})
    numbers = refused(5, None, [2], [2, 2], [2.0, 3], [True, False], ["2"], {2, 3})
    numbers += refused([0, 2], [-1, 2], [2, N_WORDS + 1], [[2, 3]], [[2], [2, 3]])
    kinds = refused("score", None, 5, error=TypeError)
    kinds += refused([], ["scores"], [5], ["score", "Score"], ["stability"], ["c_v"])
    folds = refused("2", 2.5, object(), error=TypeError) + refused(1, 0, -1, True)
    curve = model_selection.topic_number_curve
    yield door(
        curve,
        sound,
        estimator=refused(*not_models, type(lda), error=TypeError),
        X=weights(3, N_WORDS) + refused(-counts, words="X contains negative"),
        param_range=numbers,
        cv=folds + refused(N_DOCS + 1, splits[:1], []),
        measures=kinds,
        feature_names=[],
        memory=refused(5, {1}, ["x"], error=TypeError),
    )
    texts = refused("ab", 5, words="texts must be a list", error=TypeError)
    texts += refused(None, words="texts must be given")
    given = names(N_WORDS, "words")
    given += refused(None, words="feature_names must be given")
    in_texts = sound | {"measures": ["c_v"], "texts": TEXTS}
    in_texts["feature_names"] = list("abcdefg")
    wrong = {"feature_names": given, "texts": texts}
    yield "topic_number_curve", Door(curve, in_texts, wrong)
    display, measured = model_selection.TopicNumberDisplay, curve(**sound)
    not_curves = refused(5, None, {"a": 1}, [], Bunch(), error=TypeError)
    yield (
        "TopicNumberDisplay",
        Door(display, {"curve": measured}, {"curve": not_curves}),
    )

    def plot(**arguments: Any) -> Any:
        return display(curve=measured).plot(**arguments.pop("style", {}), **arguments)

    drawn = {"ax": common()["ax"], "style": common()["style"]}
    yield "TopicNumberDisplay.plot", Door(plot, {}, drawn)


def function_doors(folder: Path) -> Iterator[tuple[str, Door]]:
    """Yield the doors of all functions and displays by their full names."""
    yield from ((f"sklda.{name}", door) for name, door in top_level_doors())
    for module, doors in (
        ("metrics", metric_doors()),
        ("model_selection", curve_doors()),
        ("inspection", inspection_doors(folder)),
        ("diagnostics", diagnostics_doors() if HAS_ARVIZ else ()),
        ("datasets", dataset_doors(folder)),
    ):
        yield from ((f"sklda.{module}.{name}", door) for name, door in doors)
