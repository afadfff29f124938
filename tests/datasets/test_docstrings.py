"""load_docstrings, on the installed libraries and on a library made for the test."""

import importlib
import sys
import textwrap

import numpy as np
import pytest

from sklda.datasets import _docstrings, load_docstrings
from tests.helpers.interpreter import run_python


@pytest.fixture(scope="module")
def corpus():
    return load_docstrings()


def test_texts_are_long_and_distinct(corpus):
    # 3,153 texts with NumPy 2.4, SciPy 1.17 and scikit-learn 1.9.
    assert 2500 < len(corpus.data) < 4500
    assert min(map(len, corpus.data)) >= 300
    assert len(set(corpus.data)) == len(corpus.data)
    assert all(text == text.strip() for text in corpus.data)


def test_names_are_sorted_and_public(corpus):
    assert corpus.names == sorted(set(corpus.names))
    parts = {part for name in corpus.names for part in name.split(".")}
    assert not [part for part in parts if part.startswith("_")]
    assert parts.isdisjoint({"tests", "conftest", "setup", "f2py", "experimental"})


def test_labels_are_subpackages(corpus):
    assert corpus.target.dtype == np.int64
    assert corpus.target_names == sorted(set(corpus.target_names))
    assert set(corpus.target) == set(range(len(corpus.target_names)))
    for name, _, target in zip(corpus.names, corpus.data, corpus.target, strict=True):
        label = corpus.target_names[target]
        assert f"{name}.".startswith(f"{label}.")
        assert label.count(".") <= 1


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("numpy.sin", "numpy"),
        ("numpy.linalg.svd", "numpy.linalg"),
        ("numpy.random.beta", "numpy.random"),
        ("scipy.stats", "scipy.stats"),
        ("scipy.stats.norm", "scipy.stats"),
        ("scipy.sparse.linalg.gmres", "scipy.sparse"),
        ("sklearn.decomposition.LatentDirichletAllocation", "sklearn.decomposition"),
    ],
)
def test_known_texts(corpus, name, label):
    i = corpus.names.index(name)
    assert corpus.target_names[corpus.target[i]] == label
    module, _, attribute = name.rpartition(".")
    item = getattr(importlib.import_module(module), attribute)
    middle = item.__doc__.splitlines()[len(item.__doc__.splitlines()) // 2].strip()
    assert middle in corpus.data[i]


def test_min_length(corpus):
    long = load_docstrings(min_length=5000)
    pairs = zip(corpus.names, corpus.data, strict=True)
    assert long.names == [name for name, text in pairs if len(text) >= 5000]
    assert 0 < len(long.names) < len(corpus.names)
    assert set(long.target) == set(range(len(long.target_names)))


FINGERPRINT = """
import hashlib, sys
{before}
from sklda.datasets import load_docstrings
known = set(sys.modules)
corpus = load_docstrings()
content = repr((corpus.names, corpus.data, corpus.target.tolist()))
print(hashlib.sha256(content.encode()).hexdigest())
new = {{part for name in set(sys.modules) - known for part in name.split(".")}}
print(sorted(part for part in new if part.startswith(("test", "conftest", "setup"))))
"""

# Modules which change what the libraries offer, or fill lazy attributes.
MEDDLE = """
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import numpy.f2py, numpy.testing, scipy.stats, sklearn.utils.estimator_checks
    from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer
    import scipy.interpolate.dfitpack
    scipy.interpolate.dfitpack.splev
"""


@pytest.mark.slow
def test_same_in_every_process_and_without_a_sound():
    printed = []
    for seed, before in (("1", ""), ("2", MEDDLE)):
        code = FINGERPRINT.format(before=before)
        printed.append(
            run_python(code, "-W", "error", PYTHONHASHSEED=seed).splitlines()
        )
    assert printed[0][0] == printed[1][0]
    # The fingerprint and the list of test modules are all that was printed.
    assert printed[0][1:] == printed[1][1:] == ["[]"]


# Files of a library with everything in it that is difficult.
ZOO = {
    "__init__.py": '''
        """The zoo."""
        import sys
        import collections
        __version__ = "The version is no text of the zoo."
        def feed(): "Feed the animals."
        def _hide(): "Hide the animals."
        feeding_times = [8, 18]
        from collections import Counter
        def homeless(): "Without a module and not vouched for."
        homeless.__module__ = None
        ''',
    "unlisted.py": "import zoo_was_tested",
    "broken.py": 'def bark(): "Bark at the moon."\nimport no_such_module',
    "old.py": """
        import warnings
        warnings.warn("noise")
        warnings.warn("noise", DeprecationWarning)
        def roar(): "Roar aloud."
        """,
    "lazy/__init__.py": """
        __all__ = ["absent", "mole", "old", "sloth", "snake", "statue", "fails", "walk"]
        import warnings
        def _sloth(): "Sleep all day."
        def walk(): "Walk around."
        def mole(): "Like a ufunc, without a module."
        mole.__module__ = None
        class _Statue:
            "A statue of anything."
            def __call__(self): pass
            def __init__(self, text):
                if text: self.__doc__ = text
        statue = _Statue("A statue of a bear.")
        snake = _Statue(None)
        def __getattr__(name):
            if name == "sloth": return _sloth
            if name == "fails": raise ImportError
            if name == "old":
                warnings.warn("do not look", DeprecationWarning)
                def old(): "Old and deprecated."
                return old
            raise AttributeError(name)
        """,
    "lazy/deep.py": '''
        from zoo import feed
        from zoo.lazy import walk, statue
        def climb():
            """
            Climb a tree.

                With care.
            """
        class Monkey:
            "A monkey."
            def swing(self): "Swing."
        climb_again = climb
        ''',
}


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    for name, source in ZOO.items():
        path = tmp_path / "zoo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
    (tmp_path / "zoo_was_tested.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"zoo": "broken lazy lazy.deep old no_such_module"}
    for name in [name for name in sys.modules if name.partition(".")[0] == "zoo"]:
        del sys.modules[name]


def test_difficult_library(zoo):
    entries = _docstrings._collect_texts(zoo, 1)
    assert entries == [
        ("zoo", "zoo", "The zoo."),
        ("zoo.feed", "zoo", "Feed the animals."),
        ("zoo.lazy.deep.Monkey", "zoo.lazy", "A monkey."),
        ("zoo.lazy.deep.climb", "zoo.lazy", "Climb a tree.\n\n    With care."),
        ("zoo.lazy.mole", "zoo.lazy", "Like a ufunc, without a module."),
        ("zoo.lazy.sloth", "zoo.lazy", "Sleep all day."),
        ("zoo.lazy.statue", "zoo.lazy", "A statue of a bear."),
        ("zoo.lazy.walk", "zoo.lazy", "Walk around."),
        ("zoo.old.roar", "zoo.old", "Roar aloud."),
    ]
    assert "zoo_was_tested" not in sys.modules
    assert _docstrings._collect_texts(zoo | {"no_such_library": ""}, 1) == entries


def test_texts_that_scipy_writes_at_import():
    doc = """Draw.

    Use of argument(s) ``{'size', 'loc', 'a'}`` by position; {'C', 'B'} stays.

    >>> X.sample(shape=(2,))
    array([0.25,
           0.75])  # may vary
    >>> X.mean()
    0.5
    """
    assert _docstrings._normalise(doc) == (
        "Draw.\n\n"
        "Use of argument(s) ``{'a', 'loc', 'size'}`` by position; {'C', 'B'} stays."
        "\n\n>>> X.sample(shape=(2,))\n>>> X.mean()\n0.5"
    )
