"""Real labelled text without a download: the docstrings installed beside us."""

import contextlib
import importlib
import inspect
import io
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ._checks import check_integer

_PACKAGES = ("numpy", "scipy", "sklearn")

# Module names that are never imported, at any depth: build tools, what serves
# tests only, copies of other projects, old names of private code, and modules whose
# import changes the library (sklearn.experimental switches features on).
_SKIPPED_MODULES = frozenset(
    {
        "conftest",
        "core",
        "distutils",
        "estimator_checks",
        "experimental",
        "externals",
        "f2py",
        "mypy_plugin",
        "setup",
    }
)

# These exist only after someone has imported sklearn.experimental.enable_...; the
# corpus must not depend on that.
_SKIPPED_NAMES = frozenset(
    {
        "sklearn.impute.IterativeImputer",
        "sklearn.model_selection.HalvingGridSearchCV",
        "sklearn.model_selection.HalvingRandomSearchCV",
    }
)

# SciPy writes some texts at import: with random numbers as the output of an example,
# and with argument names in the order of a set, which changes from run to run.
_RANDOM_OUTPUT = re.compile(r"^array\([^()]*\) +# may vary$\n?", re.MULTILINE)
_ARGUMENT_SET = re.compile(r"(?<=argument\(s\) ``\{)[^{}]*(?=\}``)")

_DESCR = """\
Docstrings of NumPy, SciPy and scikit-learn
-------------------------------------------

English technical prose: the documentation of the public modules, functions and
classes of the three libraries as they are installed in this environment. A text
that is reachable under several names occurs once, under the shortest of them. The
label is the subpackage of that name, such as "scipy.stats"; what sits directly in a
library is labelled with the library.

The corpus changes with the installed versions: report them beside any result.
The texts are part of the libraries, under the BSD 3-Clause licence of each.
"""


def load_docstrings(
    *, return_X_y: bool = False, min_length: int = 300
) -> Bunch | tuple[list[str], np.ndarray]:
    """Load the public docstrings of NumPy, SciPy and scikit-learn as a corpus.

    Real text with labels that needs no network and no file: whoever can import
    this library has it. The result depends on the installed versions of the three
    libraries and on nothing else; in particular not on what was imported before.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    min_length : int, default=300
        Shortest text that is kept, in characters, at least 1. Short docstrings
        are mostly one-line summaries from which no topic can be learnt.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        data : list of str, of length n_samples
            The texts, all different, without their common indentation and without
            example output that is marked as random.
        target : ndarray of shape (n_samples,) of int64
            Index into `target_names`.
        target_names : list of str
            Subpackages such as ``"scipy.stats"``, sorted.
        names : list of str, of length n_samples
            Qualified name of each text's object, such as
            ``"scipy.stats.norm"``; sorted, all different.
        DESCR : str
            Description of the corpus.

    (data, target) : tuple if `return_X_y` is True
        The texts and their labels, as above.

    Raises
    ------
    ValueError
        If `min_length` is not a positive integer.

    See Also
    --------
    fetch_uci_bow : Larger corpora, already counted, without labels.
    sklearn.datasets.fetch_20newsgroups : Labelled text to download.

    Notes
    -----
    The first call in a process imports every public module of the three libraries,
    which takes a few seconds and a few dozen MB; later calls take a fraction of
    that. Tests, private modules and modules whose import has side effects are left
    out, and so is a module that cannot be imported. Warnings and output of the
    imports are suppressed. Python run with ``-OO`` drops most docstrings.

    Examples
    --------
    >>> from sklda.datasets import load_docstrings
    >>> corpus = load_docstrings()  # doctest: +SKIP
    >>> corpus.names[-1], corpus.target_names[corpus.target[-1]]  # doctest: +SKIP
    ('sklearn.utils.validation.validate_data', 'sklearn.utils')
    """
    min_length = check_integer(min_length, "min_length", 1)
    entries = _collect_texts(_PACKAGES, min_length)
    target_names = sorted({label for _, label, _ in entries})
    index = {label: i for i, label in enumerate(target_names)}
    data = [text for _, _, text in entries]
    target = np.array([index[label] for _, label, _ in entries], dtype=np.int64)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        target_names=target_names,
        names=[name for name, _, _ in entries],
        DESCR=_DESCR,
    )


def _collect_texts(
    packages: tuple[str, ...], min_length: int
) -> list[tuple[str, str, str]]:
    """Distinct texts as (name, label, text), sorted by name."""
    best: dict[str, tuple[str, str]] = {}
    for package in packages:
        for module in _public_modules(package):
            label = ".".join(module.__name__.split(".")[:2])
            for name, doc in _documented_names(module):
                text = _normalise(doc)
                if len(text) < min_length:
                    continue
                rival = best.get(text)
                if rival is None or _rank(name) < _rank(rival[0]):
                    best[text] = (name, label)
    return sorted((name, label, text) for text, (name, label) in best.items())


def _rank(name: str) -> tuple[int, str]:
    """Sort key that puts the best name of a text first: shortest, then alphabet."""
    return len(name), name


def _normalise(doc: str) -> str:
    """Docstring without its indentation and without what differs between runs."""
    text = _RANDOM_OUTPUT.sub("", inspect.cleandoc(doc))
    text = _ARGUMENT_SET.sub(lambda m: ", ".join(sorted(m[0].split(", "))), text)
    return text.strip()


def _attempt(function: Callable[..., Any], *args: Any) -> Any:
    """Result of ``function(*args)``, or None if it raises anything at all.

    Imports and attributes of other libraries run foreign code, which may even call
    ``sys.exit``; one bad module must not cost the corpus. Only the user may stop us.
    """
    try:
        return function(*args)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None


def _import_quietly(name: str) -> ModuleType | None:
    silence = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
    ):
        warnings.simplefilter("ignore")
        return _attempt(importlib.import_module, name)


def _public_modules(name: str) -> Iterator[ModuleType]:
    """Import module `name` and all public modules below it, in sorted order."""
    module = _import_quietly(name)
    if module is None:
        return
    yield module
    path = _attempt(getattr, module, "__path__")
    for child in sorted(info.name for info in pkgutil.iter_modules(path or ())):
        if not child.startswith(("_", "test")) and child not in _SKIPPED_MODULES:
            yield from _public_modules(f"{name}.{child}")


def _documented_names(module: ModuleType) -> list[tuple[str, str]]:
    """(qualified name, raw docstring) of a module and of what it offers."""
    root = _root(module.__name__)
    exported = _attempt(getattr, module, "__all__")
    names = vars(module) if exported is None else exported
    found = [(module.__name__, module.__doc__)] if module.__doc__ else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A name that is deprecated is no longer a public one: refuse to look at it.
        warnings.simplefilter("error", DeprecationWarning)
        for name in {name for name in names if not name.startswith("_")}:
            qualified = f"{module.__name__}.{name}"
            item = _attempt(getattr, module, name)
            if qualified in _SKIPPED_NAMES or not callable(item):
                continue
            home = _root(_attempt(getattr, item, "__module__"))
            # A ufunc has no home; then __all__ vouches for it.
            if home != root and (home is not None or exported is None):
                continue
            doc = _attempt(getattr, item, "__doc__")
            # An instance without a text of its own shows that of its class.
            if isinstance(doc, str) and doc != type(item).__doc__:
                found.append((qualified, doc))
    return found


def _root(name: Any) -> str | None:
    return name.partition(".")[0] if isinstance(name, str) else None
