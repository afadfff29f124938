"""The corpus of docstrings: labelled text from installed libraries."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from sklda._base.parameters import POSITIVE_INTEGER, validates

# Public modules of each package: those of old or new versions may be absent.
_MODULES = {
    "numpy": """
        char ctypeslib dtypes exceptions fft lib lib.array_utils lib.format
        lib.introspect lib.mixins lib.npyio lib.recfunctions lib.scimath
        lib.stride_tricks lib.user_array linalg ma ma.extras ma.mrecords matlib
        matrixlib polynomial polynomial.chebyshev polynomial.hermite
        polynomial.hermite_e polynomial.laguerre polynomial.legendre
        polynomial.polynomial polynomial.polyutils random random.bit_generator
        random.mtrand rec strings typing version
    """,
    "scipy": """
        cluster cluster.hierarchy cluster.vq constants datasets differentiate fft
        fftpack fftpack.convolve integrate interpolate io io.arff io.matlab io.wavfile
        linalg linalg.blas linalg.cython_blas linalg.cython_lapack
        linalg.interpolative linalg.lapack misc ndimage odr optimize
        optimize.cython_optimize optimize.elementwise signal signal.windows sparse
        sparse.csgraph sparse.linalg spatial spatial.distance spatial.transform
        special special.cython_special stats stats.contingency stats.mstats stats.qmc
        stats.sampling version
    """,
    "sklearn": """
        base calibration callback cluster compose covariance cross_decomposition
        datasets decomposition discriminant_analysis dummy ensemble exceptions
        feature_extraction feature_extraction.image feature_extraction.text
        feature_selection frozen gaussian_process gaussian_process.kernels impute
        inspection isotonic kernel_approximation kernel_ridge linear_model manifold
        metrics metrics.cluster metrics.pairwise mixture model_selection multiclass
        multioutput naive_bayes neighbors neural_network pipeline preprocessing
        random_projection semi_supervised svm tree utils utils.arrayfuncs
        utils.class_weight utils.discovery utils.extmath utils.fixes utils.graph
        utils.metadata_routing utils.metaestimators utils.multiclass utils.murmurhash
        utils.optimize utils.parallel utils.random utils.sparsefuncs
        utils.sparsefuncs_fast utils.validation
    """,
}

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


@validates(min_length=POSITIVE_INTEGER)
def load_docstrings(*, min_length: int = 300) -> Bunch:
    """Load the public docstrings of NumPy, SciPy and scikit-learn as a corpus.

    The corpus is labelled English text and needs neither a network nor a file. It
    depends only on the installed versions of the three libraries.

    Parameters
    ----------
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

    Raises
    ------
    ValueError
        If `min_length` is not a positive integer.

    See Also
    --------
    fetch_uci_bow : Download larger corpora of word counts, without labels.
    sklearn.datasets.fetch_20newsgroups : Download labelled text.

    Notes
    -----
    Cost: the first call in a process imports the public modules of the three
    libraries, which takes a few seconds and a few dozen MB of memory. Later calls take
    a fraction of this time.

    The list of modules is fixed; those that the installed version lacks are left out.
    Warnings of the imports are suppressed. Python removes most docstrings if it runs
    with ``-OO``.

    Examples
    --------
    >>> from sklda.datasets import load_docstrings
    >>> corpus = load_docstrings()  # doctest: +SKIP
    >>> corpus.names[-1], corpus.target_names[corpus.target[-1]]  # doctest: +SKIP
    ('sklearn.utils.validation.validate_data', 'sklearn.utils')
    """
    entries = _collect_texts(_MODULES, min_length)
    target_names, target = np.unique(
        [label for _, label, _ in entries], return_inverse=True
    )
    return Bunch(
        data=[text for _, _, text in entries],
        target=target,
        target_names=target_names.tolist(),
        names=[name for name, _, _ in entries],
        DESCR=_DESCR,
    )


def _collect_texts(
    modules: dict[str, str], min_length: int
) -> list[tuple[str, str, str]]:
    """Return the distinct texts as (name, label, text), sorted by name."""
    names_of_text: dict[str, list[tuple[int, str, str]]] = {}
    for package, submodules in modules.items():
        for name in ["", *submodules.split()]:
            module = f"{package}.{name}".rstrip(".")
            label = ".".join(module.split(".")[:2])
            for qualified, doc in _documented_names(module):
                names = names_of_text.setdefault(_normalise(doc), [])
                names.append((len(qualified), qualified, label))
    shortest = {text: min(names) for text, names in names_of_text.items()}
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


def _documented_names(module_name: str) -> list[tuple[str, str]]:
    """Return (qualified name, raw docstring) of a module and its public names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = importlib.import_module(module_name)
        except Exception:  # the installed version lacks the module or what it needs
            return []
        # Deprecated names are not public: access to them raises, and they are skipped.
        warnings.simplefilter("error", DeprecationWarning)
        exported = getattr(module, "__all__", None)
        documented = [(module_name, module.__doc__)] if module.__doc__ else []
        for name in {*(vars(module) if exported is None else exported)}:
            qualified = f"{module_name}.{name}"
            if name.startswith("_") or qualified in _SKIPPED_NAMES:
                continue
            with suppress(Exception):
                item = getattr(module, name)
                if _is_documented(item, module_name, exported is not None):
                    documented.append((qualified, item.__doc__))
    return documented


def _is_documented(item: Any, module_name: str, is_listed: bool) -> bool:
    """Return whether an object belongs to the package and has a text of its own."""
    origin = getattr(item, "__module__", None)
    if isinstance(origin, str):
        belongs = origin.partition(".")[0] == module_name.partition(".")[0]
    else:  # a ufunc has no __module__; it is public if __all__ lists it
        belongs = is_listed
    # An instance without a docstring of its own has that of its class.
    doc = item.__doc__
    has_text = isinstance(doc, str) and doc != type(item).__doc__
    return callable(item) and belongs and has_text
