"""Download of the bag-of-words corpora of the UCI Machine Learning Repository."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from sklearn.utils import Bunch

from sklda._base.parameters import NATURAL_NUMBER, PATH, validates
from sklda._base.sklearn_private import StrOptions
from sklda._core.extras import import_extra
from sklda._core.types import PathLike
from sklda.datasets._text_files import as_bunch, open_bytes, read_vocabulary
from sklda.datasets._uci_bow import read_docword

Content = TypeVar("Content")

_BASE_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/bag-of-words/"

_TITLES = {
    "kos": "KOS blog entries",
    "nips": "NIPS full papers",
    "enron": "Enron e-mails",
    "nytimes": "New York Times news articles",
    "pubmed": "PubMed abstracts",
}

# Checksums of decompressed text, unlike those of pooch: proxies may compress it anew.
_SHA256 = {
    "docword.kos.txt.gz": "0913cf084375360ce32c497dc2f8eafc"
    "4cf24a231f3d39bdbf8c41de29797cb4",
    "vocab.kos.txt": "623b7b969793b32c4ea7d1ae8cd2e9ed99038bf51628f33f52349f9485aeab8e",
    "docword.nips.txt.gz": "0415ee0bd4c965d8c044ea83ab62d03f"
    "007d4cb9651e3daa5cdb7356682b571f",
    "vocab.nips.txt": "be3f6337e3406ddc24837118e203da57"
    "c4c898ad5f6c9280908cd08a2609cf91",
}

_DESCR = """\
{title}
{underline}

A corpus of the data set "Bag of Words" in the UCI Machine Learning Repository, without
labels, stop words, rare words and the order of the words in a document.

Newman, D. (2008). Bag of Words. UCI Machine Learning Repository.
https://doi.org/10.24432/C5ZG6P
"""


@validates(
    name=[StrOptions({*_TITLES})],
    data_home=[None, *PATH],
    download_if_missing=["boolean"],
    n_retries=NATURAL_NUMBER,
)
def fetch_uci_bow(
    name: Literal["kos", "nips", "enron", "nytimes", "pubmed"],
    *,
    data_home: PathLike | None = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
) -> Bunch:
    """Load a bag-of-words corpus from the UCI repository; download it if necessary.

    Sizes of the corpora; a row is a document-word pair with its count:

    =============  =========  =======  ===========
    `name`         documents    words         rows
    =============  =========  =======  ===========
    ``"kos"``          3,430    6,906      353,160
    ``"nips"``         1,500   12,419      746,316
    ``"enron"``       39,861   28,102    3,710,420
    ``"nytimes"``    300,000  102,660   69,679,427
    ``"pubmed"``   8,200,000  141,043  483,450,157
    =============  =========  =======  ===========

    Parameters
    ----------
    name : {"kos", "nips", "enron", "nytimes", "pubmed"}
        Name of the corpus.
    data_home : str or path-like, default=None
        Folder of the two files ``docword.NAME.txt.gz`` and ``vocab.NAME.txt``; ``~``
        is the home folder of the user. The default is the subfolder ``uci_bow`` of
        scikit-learn's data folder, see :func:`sklearn.datasets.get_data_home`.
    download_if_missing : bool, default=True
        If False, raise OSError instead of downloading a missing file.
    n_retries : int, default=3
        Number of times that a download is repeated after a network error, at least 0.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        - data : csr_matrix of shape (n_samples, n_features) of int64, the counts in
          canonical format. Empty documents and words that never occur are kept.
        - feature_names : ndarray of shape (n_features,) of object, the words.
        - DESCR : str, description of the corpus with its sizes.

    Raises
    ------
    ValueError
        If a parameter other than `data_home` is out of range, or `data_home` starts
        with ``~`` and there is no such home folder.
    TypeError
        If `data_home` is neither a str nor path-like.
    ImportError
        If a file is missing and pooch, which downloads it, is not installed.
    OSError
        If a file is missing and cannot be downloaded or written, or is broken: it
        violates the format or, for ``"kos"`` and ``"nips"``, its checksum is wrong. A
        broken file is deleted, even if it was in `data_home` before, so that the next
        call can download it.

    See Also
    --------
    load_uci_bow : Load your own files in this format, without deleting any.

    Notes
    -----
    An interrupted download leaves no partial file, and several processes may download
    the same corpus. Files are checked on each call. Memory and speed are those of
    :func:`load_uci_bow`: up to 9 GB for ``"pubmed"``.

    References
    ----------
    .. [1] Newman, D. (2008). Bag of Words. UCI Machine Learning Repository.
       https://doi.org/10.24432/C5ZG6P

    Examples
    --------
    >>> from sklda.datasets import fetch_uci_bow
    >>> corpus = fetch_uci_bow("kos")  # doctest: +SKIP
    >>> corpus.data.shape  # doctest: +SKIP
    (3430, 6906)
    """
    folder = _data_folder(data_home)
    n_attempts = n_retries + 1 if download_if_missing else 0
    X = _obtain(folder / f"docword.{name}.txt.gz", read_docword, n_attempts)
    read_words = partial(read_vocabulary, n_features=X.shape[1])
    words = _obtain(folder / f"vocab.{name}.txt", read_words, n_attempts)
    title = _TITLES[name]
    text = _DESCR.format(title=title, underline="-" * len(title))
    return as_bunch(X, words, text)


def _data_folder(data_home: PathLike | None) -> Path:
    """Return the folder of the files; by default one in scikit-learn's data folder."""
    if data_home is not None:
        try:
            return Path(data_home).expanduser()
        except RuntimeError as error:
            raise ValueError(f"data_home={data_home!r}: {error}") from error
    # Imported here: sklearn.datasets takes 6 MB of memory that few programs need.
    from sklearn.datasets import get_data_home

    return Path(get_data_home(), "uci_bow")


def _obtain(path: Path, read: Callable[[Path], Content], n_attempts: int) -> Content:
    """Read a file; download it if it is missing, delete it if it is broken."""
    if not path.exists():
        if n_attempts == 0:
            raise FileNotFoundError(
                f"{path} not found, and download_if_missing is False. Allow the "
                f"download, or put the file there yourself; its address is "
                f"{_BASE_URL}{path.name}"
            )
        _download(path, n_attempts)
    try:
        _check_sha256(path)
        return read(path)
    except ValueError as error:
        raise OSError(f"{path} is broken: {error} {_delete(path)}") from error


def _download(path: Path, n_attempts: int) -> None:
    """Download the file of this name to `path`; OSError if all attempts fail."""
    caller = f"To download {path.name}, fetch_uci_bow"
    pooch = import_extra("pooch", "datasets", caller)
    options = {"registry": {path.name: None}, "retry_if_failed": n_attempts - 1}
    files = pooch.create(path.parent, _BASE_URL, **options)
    try:
        files.fetch(path.name)
    except OSError as error:  # the errors of requests are OSErrors without a number
        if error.errno is not None:
            raise OSError(
                f"{path} could not be written ({error.strerror}). Make room in its "
                "folder, or pass another one as data_home."
            ) from error
        raise OSError(
            f"{_BASE_URL}{path.name} could not be downloaded ({error!r}). Try again "
            "later, or obtain the file in a different way and pass its folder as "
            "data_home."
        ) from error


def _delete(path: Path) -> str:
    """Delete a broken file; return what the error message says about that."""
    try:
        path.unlink()
    except OSError as error:
        return (
            f"It could not be deleted ({error.strerror}): delete it yourself or pass "
            "another folder as data_home."
        )
    return (
        "It was deleted; call fetch_uci_bow again, with download_if_missing=True, to "
        "download it. To load your own files in this format, use load_uci_bow."
    )


def _check_sha256(path: Path) -> None:
    """Raise ValueError if the decompressed contents do not have the known checksum."""
    if path.name not in _SHA256:
        return
    with open_bytes(path) as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != _SHA256[path.name]:
        raise ValueError(f"Its SHA-256 checksum is {digest}, not {_SHA256[path.name]}.")
