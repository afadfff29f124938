"""Every sampler meets the protocol of `sklda._sampling.sampler`; options lead to one.

Samplers are found by what they define: one that is new and not in `WALKED` fails here.
"""

import importlib
import inspect
import pkgutil
import re
from copy import deepcopy
from importlib.util import find_spec
from types import ModuleType
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import sklda
from sklda._data import corpus
from sklda._data.corpus import Part, ranges
from sklda._data.sklearn_private import StrOptions
from sklda._engine.chain import Chain
from sklda._engine.sharded import Sharded
from sklda._medlda.sampler import EpsilonInsensitive, Hinge, MaxMargin, Tasks
from sklda._sampling import problem as problems
from sklda._sampling.problem import Problem, WordPrior, count_type
from sklda._sampling.random_streams import random_topics
from sklda._sampling.threads import Threads
from tests.gibbs import test_blocked_exactness as blocked
from tests.gibbs import test_exactness as single_site
from tests.gibbs import test_phi_first_exactness as phi_first
from tests.helpers.corpora import random_corpus, words_of
from tests.helpers.enumeration import faults, tables_of
from tests.helpers.mutants import mutants_of, streams
from tests.helpers.public_names import estimators
from tests.helpers.samplers import SAMPLERS, SHARDABLE
from tests.medlda import test_exactness as medlda

CORPUS = random_corpus(1, 25, 9, mean=2)
N_TOKENS, N_DOCS = CORPUS.token_ptr[-1], CORPUS.doc_ptr.size - 1
TARGETS = np.random.default_rng(0).choice([-1.0, 1.0], (N_DOCS, 2))

COMPILED = {name: known.compiled() for name, known in SAMPLERS.items()}
WALKED = {
    **COMPILED,
    **{f"{n}, 3 shards": Sharded(COMPILED[n], 3, Threads()) for n in SHARDABLE},
    "gibbs": MaxMargin(1.0, None, None, Hinge(1.0), TARGETS),
    "gibbs, weights one by one": MaxMargin(1.0, 2, None, Hinge(1.0), TARGETS),
    "light": MaxMargin(1.0, None, 2, EpsilonInsensitive(1.0, 0.1), TARGETS),
    "light, shards": MaxMargin(1.0, 2, 2, Hinge(1.0), TARGETS, 3),
}
each = pytest.mark.parametrize("name", WALKED)


def problem_of(n_topics=4):
    return Problem(CORPUS, 9, np.linspace(0.1, 0.5, n_topics), 0.1)


def other_priors(problem, i):
    """Return the problem with priors that differ; but an array of beta remains."""
    alpha = np.roll(problem.doc_topic_prior, i) * (1 + i)
    beta = problem.topic_word_prior if problem.has_word_prior else 0.1 + 0.05 * i
    return problem._replace(doc_topic_prior=alpha, topic_word_prior=beta)


def assert_counted(sampler, problem, state):
    """Assert that all counts are those of the topics, and no token is lost."""
    n_topics = problem.n_topics
    assert state.z.dtype == np.uint16
    assert state.z.max() < n_topics
    kind = count_type(state.z.size)
    expected = np.zeros((problem.n_words, problem.n_lanes), kind)
    np.add.at(expected, (words_of(problem.corpus), state.z), 1)
    counts = sampler.counts(problem, state)
    np.testing.assert_array_equal(counts.word_topic, expected, strict=True)
    np.testing.assert_array_equal(counts.topic, expected.sum(axis=0))
    np.testing.assert_array_equal(state.topic, counts.topic, strict=True)
    assert counts.topic.sum() == problem.corpus.token_ptr[-1]
    assert counts.topic.dtype == kind


def walk(sampler, problem, z, seed, n_sweeps=6):
    """Return the topics after each sweep, all of them checked."""
    state, rng, path = sampler.from_topics(problem, z), streams(seed), []
    assert state.z is z
    assert_counted(sampler, problem, state)
    for i in range(n_sweeps):
        sampler.sweep(other_priors(problem, i), state, rng)
        assert state.z is z
        assert_counted(sampler, problem, state)
        info = sampler.info(problem, state)
        assert 0 < info.n_draws <= z.size
        assert 0 <= info.n_accepted <= info.n_proposed
        path.append(z.copy())
    return np.array(path)


def first_topics(n_topics=4, seed=0):
    return random_topics(N_TOKENS, n_topics, streams(seed).kernel)


# --- the walk --------------------------------------------------------------------


def random_beta(n_topics):
    """Return beta whose least is that of one topic, or that of many."""
    beta = np.random.default_rng(0).gamma(0.5, 1, (n_topics, 9)) + 1e-3
    beta[:, 3:] = np.where(beta[:, 3:] > 0.5, 20 * beta[:, 3:], 0.07)
    return WordPrior(beta)


@pytest.mark.parametrize("beta", [lambda _: 0.1, random_beta], ids=["number", "array"])
@pytest.mark.parametrize("n_topics", [1, 4, 20])
@each
def test_walk(name, n_topics, beta):
    sampler, first = WALKED[name], first_topics(n_topics)
    problem = problem_of(n_topics)._replace(topic_word_prior=beta(n_topics))
    path = walk(sampler, problem, first.copy(), seed=1)
    again = walk(sampler, problem, first.copy(), seed=1)
    np.testing.assert_array_equal(path, again)
    if n_topics > 1:
        steps = np.vstack([first, path])
        assert (steps[1:] != steps[:-1]).any(axis=1).all()  # no sweep is idle
        other = walk(sampler, problem, first.copy(), seed=2)
        assert (other != path).any()
    state = sampler.from_topics(problem, path[-1].copy())
    for i in range(20):
        sampler.sweep(problem, state, streams(i))
    assert faults(state, words_of(CORPUS), n_topics, problem.beta) == []
    by_word = getattr(tables_of(state), "z_by_word", None)
    anew = tables_of(sampler.from_topics(problem, state.z))
    np.testing.assert_array_equal(by_word, getattr(anew, "z_by_word", None))


@pytest.mark.slow
@each
def test_counts_in_64_bits_change_no_sample(name, monkeypatch):
    sampler, problem, first = WALKED[name], problem_of(4), first_topics()
    expected = walk(sampler, problem, first.copy(), seed=1)
    monkeypatch.setattr(problems, "MAX_32_BITS", N_TOKENS - 1)
    found = walk(sampler, problem, first.copy(), seed=1)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", sorted({*WALKED} - {"partially collapsed"}))
def test_an_array_of_equal_numbers_is_that_number(name):
    # All sums of 0.125 are exact in float32.
    first, paths = first_topics(20), []
    for beta in (0.125, WordPrior(np.full((20, 9), 0.125))):
        problem = problem_of(20)._replace(topic_word_prior=beta)
        state, rng = WALKED[name].from_topics(problem, first.copy()), streams(1)
        for _ in range(5):
            WALKED[name].sweep(problem, state, rng)
        paths.append(state.z)
    if "light" in name or name == "uncollapsed":  # they draw from beta in another way
        assert (paths[0] == paths[1]).mean() > 0.3
    else:
        np.testing.assert_array_equal(*paths)


@pytest.mark.parametrize("n_topics", [4, 130])
@each
def test_ctrl_c_is_heard_between_documents(name, n_topics, monkeypatch):
    problem, first = problem_of(n_topics), first_topics(n_topics)
    expected = walk(WALKED[name], problem, first.copy(), seed=1)
    calls = []
    monkeypatch.setattr(corpus, "MOST_STEPS", 1)
    monkeypatch.setattr(corpus, "ranges", lambda *a: (calls.append(a), ranges(*a))[1])
    path = walk(WALKED[name], problem, first.copy(), seed=1)
    if name != "uncollapsed":  # whose kernels take few documents at a time anyway
        assert any(n > N_DOCS for _, n in calls)  # a range for each document
    if "light" not in name:  # which looks at the topics anew with each range
        np.testing.assert_array_equal(path, expected)


@each
def test_a_sampler_goes_on_where_another_stopped(name):
    names, problem = list(WALKED), problem_of()
    z = first_topics()
    for walked in (name, names[names.index(name) - 1], name):
        before = z.copy()
        state = WALKED[walked].from_topics(problem, z)
        np.testing.assert_array_equal(state.z, before)
        walk(WALKED[walked], problem, z, seed=3, n_sweeps=2)
        assert (z != before).any()


@pytest.mark.parametrize("name", SHARDABLE)
def test_parts(name):
    """The functions of `Shardable`, on one part of the cells after the other."""
    sampler, problem, z = COMPILED[name], problem_of(), first_topics()
    tables, rng = sampler.tables(problem, z), streams(5)
    doc_ptr, word, token_ptr = CORPUS
    middle = (CORPUS.begin + CORPUS.end) // 2
    bounds = [(CORPUS.begin, middle), (middle, middle), (middle, CORPUS.end)]
    parts = [Part(doc_ptr, *cells, word, token_ptr) for cells in bounds]
    parts = [problem._replace(corpus=part) for part in parts]
    states = [sampler.over(tables, part) for part in parts]
    for _ in range(3):
        for i, part in enumerate(parts):
            assert states[i].z is z
            before = z.copy()
            sampler.sweep(part, states[i], rng)
            cell = np.repeat(np.arange(word.size), np.diff(token_ptr))
            document = np.repeat(np.arange(N_DOCS), np.diff(doc_ptr))[cell]
            begin, end = part.corpus.begin[document], part.corpus.end[document]
            inside = (begin <= cell) & (cell < end)
            np.testing.assert_array_equal(z[~inside], before[~inside])
            assert (z[inside] != before[inside]).any() == inside.any()
            assert_counted(sampler, problem, states[i])
            assert faults(states[i], words_of(CORPUS), 4) == []


# --- no sampler is left out ------------------------------------------------------


def modules():
    for info in pkgutil.walk_packages(sklda.__path__, "sklda."):
        if not info.name.startswith("sklda.dask") or find_spec("distributed"):
            yield importlib.import_module(info.name)


def is_sampler(thing):
    return hasattr(thing, "from_topics") and hasattr(thing, "sweep")


def found_samplers():
    """Return each module and class that has what a sampler has, by its full name."""
    found = {}
    for module in modules():
        if is_sampler(module):
            found[module.__name__] = module
        for cls in vars(module).values():
            if inspect.isclass(cls) and cls.__module__ == module.__name__:
                if is_sampler(cls) and not getattr(cls, "_is_protocol", False):
                    found[f"{module.__name__}.{cls.__name__}"] = cls
    return found


def test_all_samplers_are_walked():
    walked = [s if isinstance(s, ModuleType) else type(s) for s in WALKED.values()]
    found = found_samplers()
    assert len(found) >= 7
    assert [name for name, sampler in found.items() if sampler not in walked] == []


# --- every option leads to a sampler that is walked and exact --------------------

EXACT = {
    *single_site.SAMPLERS,
    *blocked.SIMULATIONS,
    *phi_first.SAMPLERS,
    *medlda.KERNELS,
    "shortcut",
    "dynamic",
}
# What stands behind an option's values; None: it chooses no sampler.
BEHIND = {
    ("CollapsedGibbsLDA", "blocking"): {"nested": "nested", "backward": "backward"},
    ("ECGSLDA", "strategy"): {
        "standard": "lists",
        "shortcut": "shortcut",
        "dynamic": "dynamic",
    },
    ("MedLDAClassifier", "sampler"): {"light": "light", "gibbs": "gibbs"},
    ("MedLDAClassifier", "class_weight"): None,  # a factor of C, as in test_draws
    ("MedLDARegressor", "sampler"): {"light": "light", "gibbs": "gibbs"},
}
# Of engines that are no samplers: the kernels that have mutants.
ENGINES = {
    ("CVBLDA", "approximation"): {
        mutant.sampler
        for family in ("cvb", "cvb_exact")
        for mutant in mutants_of(family)
    }
}
CLASSES = list(estimators().values())


def options():
    """Yield every class, parameter and value of an option that is a string."""
    for cls in CLASSES:
        for param, constraints in cls._parameter_constraints.items():
            for constraint in constraints:
                if isinstance(constraint, StrOptions):
                    for value in sorted(constraint.options):
                        yield cls, param, value


OPTIONS = list(options())
each_option = pytest.mark.parametrize(
    ("cls", "param", "value"),
    OPTIONS,
    ids=[f"{cls.__name__}-{param}-{value}" for cls, param, value in OPTIONS],
)


@each_option
def test_the_docstring_and_the_hint_name_the_value(cls, param, value):
    entry = re.search(rf"^{param} : .*$", inspect.getdoc(cls), re.M)
    assert f'"{value}"' in entry.group(), "in the type of the parameter"
    hint = get_type_hints(cls.__init__)[param]
    literals = [h for h in (hint, *get_args(hint)) if get_origin(h) is Literal]
    assert value in [text for literal in literals for text in get_args(literal)]


@each_option
def test_behind_the_value_is_a_sampler_that_is_walked_and_exact(cls, param, value):
    if param in ("learn_priors", "init"):  # they come before and between sweeps
        return
    option = (cls.__name__, param)
    if option in ENGINES:
        assert value in ENGINES[option]
        return
    if BEHIND[option] is None:
        return
    name = BEHIND[option][value]
    assert name in WALKED
    assert name in EXACT
    n_topics = 150 if name == "lists" else 4
    params = {"max_block_size": None} if param == "blocking" else {}
    model = cls(n_topics, **{param: value}, **params)
    if cls.__name__.startswith("MedLDA"):
        made = model._make_sampler(Tasks(Hinge(1.0), TARGETS, {}), Threads())
        assert (made.n_mh_steps is None) == (WALKED[name].n_mh_steps is None)
    else:
        assert model._make_sampler(problem_of(n_topics), Threads()) == COMPILED[name]


# --- copies ----------------------------------------------------------------------


@each
def test_a_copied_chain_goes_on_with_the_same_samples(name):
    # The state of a sampler over shards holds views of its own tables.
    chain = Chain(WALKED[name], problem_of(), streams(0))
    for _ in range(2):
        chain.sweep()
    twin, before = deepcopy(chain), chain.z.copy()
    for _ in range(3):
        twin.sweep()
    np.testing.assert_array_equal(chain.z, before)
    for _ in range(3):
        chain.sweep()
    np.testing.assert_array_equal(chain.z, twin.z)
    assert_counted(twin.sampler, twin.problem, twin.state)
