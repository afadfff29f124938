"""The corpus of docstrings: labelled text from installed libraries."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Literal, overload

import numpy as np
from sklearn.utils import Bunch

from sklda._base.parameters import POSITIVE_INTEGER, validates

_PACKAGES = ("numpy", "scipy", "sklearn")

# Never imported, at any depth: build tools, test support, vendored copies, deprecated
# names of private code, and sklearn.experimental, which enables features.
_SKIPPED_MODULES = frozenset(
    "conftest core distutils estimator_checks experimental externals f2py mypy_plugin "
    "setup".split()
)

# Names that exist only after an import of sklearn.experimental.enable_...
_SKIPPED_NAMES = {
    "sklearn.impute.IterativeImputer",
    "sklearn.model_selection.HalvingGridSearchCV",
    "sklearn.model_selection.HalvingRandomSearchCV",
}

# What varies from run to run in docstrings that SciPy generates at import: random
# numbers, as the output of an example, and argument names in the order of a set.
_RANDOM_OUTPUT = re.compile(r"^array\([^()]*\) +# may vary$\n?", re.MULTILINE)
_ARGUMENT_SET = re.compile(r"(?<=argument\(s\) ``\{)[^{}]*(?=\}``)")

_DESCR = """\
Docstrings of NumPy, SciPy and scikit-learn
-------------------------------------------

The documentation of the public modules, functions and classes of the three libraries,
as they are installed here. A text that is available under several names occurs once,
under the shortest of them. Its label is the subpackage of that name, such as
"scipy.stats", or the library itself for names at its top level.

The corpus depends on the installed versions: report them with any result. The texts
are part of the libraries, each of which is under the BSD 3-Clause licence.
"""


@overload
def load_docstrings(
    *, return_X_y: Literal[False] = False, min_length: int = 300
) -> Bunch: ...


@overload
def load_docstrings(
    *, return_X_y: Literal[True], min_length: int = 300
) -> tuple[list[str], np.ndarray]: ...


@overload
def load_docstrings(
    *, return_X_y: bool, min_length: int = 300
) -> Bunch | tuple[list[str], np.ndarray]: ...


@validates(return_X_y=["boolean"], min_length=POSITIVE_INTEGER)
def load_docstrings(
    *, return_X_y: bool = False, min_length: int = 300
) -> Bunch | tuple[list[str], np.ndarray]:
    """Load the public docstrings of NumPy, SciPy and scikit-learn as a corpus.

    The corpus is labelled English text and needs neither a network nor a file. It
    depends only on the installed versions of the three libraries.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return ``(data, target)`` instead of a Bunch.
    min_length : int, default=300
        Minimum length of a text in characters, at least 1. Most shorter docstrings are
        one-line summaries, which say too little about a topic.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        - data : list of str of length n_samples, distinct texts without their common
          indentation and without example output that is marked as random.
        - target : ndarray of shape (n_samples,) of int64, the label of each text as an
          index into `target_names`.
        - target_names : list of str, subpackages such as ``"scipy.stats"``, sorted.
        - names : list of str of length n_samples, the qualified name of each documented
          object, such as ``"scipy.stats.norm"``; sorted and distinct.
        - DESCR : str, description of the corpus.

    (data, target) : tuple if `return_X_y` is True
        The texts and their labels.

    Raises
    ------
    ValueError
        If `min_length` is not a positive integer, or `return_X_y` is not a bool.

    See Also
    --------
    fetch_uci_bow : Download larger corpora of word counts, without labels.
    sklearn.datasets.fetch_20newsgroups : Download labelled text.

    Notes
    -----
    Cost: the first call in a process imports every public module of the three
    libraries, which takes a few seconds and a few dozen MB of memory. Later calls take
    a fraction of this time.

    The corpus excludes tests, private modules, and modules whose import fails or has
    side effects. Warnings and output of the imports are suppressed. Python removes most
    docstrings if it runs with ``-OO``.

    Examples
    --------
    >>> from sklda.datasets import load_docstrings
    >>> corpus = load_docstrings()  # doctest: +SKIP
    >>> corpus.names[-1], corpus.target_names[corpus.target[-1]]  # doctest: +SKIP
    ('sklearn.utils.validation.validate_data', 'sklearn.utils')
    """
    entries = _collect_texts(_PACKAGES, min_length)
    target_names, target = np.unique(
        [label for _, label, _ in entries], return_inverse=True
    )
    data = [text for _, _, text in entries]
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        target_names=target_names.tolist(),
        names=[name for name, _, _ in entries],
        DESCR=_DESCR,
    )


def _collect_texts(
    packages: tuple[str, ...], min_length: int
) -> list[tuple[str, str, str]]:
    """Return the distinct texts as (name, label, text), sorted by name."""
    found: dict[str, list[tuple[int, str, str]]] = {}
    for module in (m for package in packages for m in _public_modules(package)):
        label = ".".join(module.__name__.split(".")[:2])
        for name, doc in _documented_names(module):
            found.setdefault(_normalise(doc), []).append((len(name), name, label))
    shortest = {text: min(names) for text, names in found.items()}
    return sorted(
        (name, label, text)
        for text, (_, name, label) in shortest.items()
        if len(text) >= min_length
    )


def _normalise(doc: str) -> str:
    """Return a docstring without indentation and without what differs between runs."""
    text = _RANDOM_OUTPUT.sub("", inspect.cleandoc(doc))
    text = _ARGUMENT_SET.sub(lambda m: ", ".join(sorted(m[0].split(", "))), text)
    return text.strip()


def _call_safely(function: Callable[..., Any], *args: Any) -> Any:
    """Call code of other libraries, which may call sys.exit; return None on failure."""
    try:
        return function(*args)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None


def _public_modules(name: str) -> Iterator[ModuleType]:
    """Import a module and its public submodules quietly; yield them in sorted order."""
    silence = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
    ):
        warnings.simplefilter("ignore")
        module: ModuleType | None = _call_safely(importlib.import_module, name)
    if module is None:
        return
    yield module
    path = _call_safely(getattr, module, "__path__")
    for child in sorted(info.name for info in pkgutil.iter_modules(path or ())):
        if not child.startswith(("_", "test")) and child not in _SKIPPED_MODULES:
            yield from _public_modules(f"{name}.{child}")


def _documented_names(module: ModuleType) -> list[tuple[str, str]]:
    """Return (qualified name, raw docstring) of a module and its public names."""
    package = _top_level(module.__name__)
    exported = _call_safely(getattr, module, "__all__")
    names = vars(module) if exported is None else exported
    found = [(module.__name__, module.__doc__)] if module.__doc__ else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Deprecated names are not public: access to them raises, and they are skipped.
        warnings.simplefilter("error", DeprecationWarning)
        for name in {name for name in names if not name.startswith("_")}:
            qualified = f"{module.__name__}.{name}"
            item = _call_safely(getattr, module, name)
            if qualified in _SKIPPED_NAMES or not callable(item):
                continue
            origin = _top_level(_call_safely(getattr, item, "__module__"))
            # A ufunc has no __module__; it is public if __all__ lists it.
            if origin != package and (origin is not None or exported is None):
                continue
            doc = _call_safely(getattr, item, "__doc__")
            # An instance without a docstring of its own has that of its class.
            if isinstance(doc, str) and doc != type(item).__doc__:
                found.append((qualified, doc))
    return found


def _top_level(name: Any) -> str | None:
    """Return the top-level package of a module name, None if it is not a string."""
    return name.partition(".")[0] if isinstance(name, str) else None
