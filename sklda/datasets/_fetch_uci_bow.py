"""Download the bag-of-words corpora of the UCI Machine Learning Repository."""

import hashlib
import http.client
import logging
import numbers
import shutil
import tempfile
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from sklearn.utils import Bunch

from ._checks import check_integer
from ._text_files import PathLike, describe, open_bytes, read_vocabulary
from ._uci_bow import read_docword

logger = logging.getLogger(__name__)

Content = TypeVar("Content")

_BASE_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/bag-of-words/"
_TIMEOUT = 60.0  # seconds without a byte


class _Corpus(NamedTuple):
    title: str
    # SHA-256 of the text, so not of the compressed file: the same text compressed
    # anew, by a mirror or a proxy, is as good. None where it is not known.
    docword_sha256: str | None = None
    vocab_sha256: str | None = None


_CORPORA = {
    "kos": _Corpus(
        "KOS blog entries",
        "0913cf084375360ce32c497dc2f8eafc4cf24a231f3d39bdbf8c41de29797cb4",
        "623b7b969793b32c4ea7d1ae8cd2e9ed99038bf51628f33f52349f9485aeab8e",
    ),
    "nips": _Corpus(
        "NIPS full papers",
        "0415ee0bd4c965d8c044ea83ab62d03f007d4cb9651e3daa5cdb7356682b571f",
        "be3f6337e3406ddc24837118e203da57c4c898ad5f6c9280908cd08a2609cf91",
    ),
    "enron": _Corpus("Enron e-mails"),
    "nytimes": _Corpus("New York Times news articles"),
    "pubmed": _Corpus("PubMed abstracts"),
}

_DESCR = """\
{title}
{underline}

One of the five corpora of the data set "Bag of Words" in the UCI Machine Learning
Repository. There are no labels. Stop words and rare words have been removed, and the
order of the words in a document is not known.

Newman, D. (2008). Bag of Words. UCI Machine Learning Repository.
https://doi.org/10.24432/C5ZG6P
"""


def fetch_uci_bow(
    name: str,
    *,
    data_home: PathLike | None = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Bunch:
    """Load a bag-of-words corpus of the UCI repository, downloading it if needed.

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
        The corpus.

    data_home : str or path-like, default=None
        The folder that holds the two files ``docword.NAME.txt.gz`` and
        ``vocab.NAME.txt`` themselves, or into which they are downloaded; ``~`` is
        the user's home. None is the subfolder ``uci_bow`` of scikit-learn's data
        folder, see :func:`sklearn.datasets.get_data_home`. Nothing is written if
        both files are there.

    download_if_missing : bool, default=True
        If False, raise OSError where a file is missing instead of downloading it.

    n_retries : int, default=3
        How often a download is tried again after a network error, at least 0.

    delay : float, default=1.0
        Seconds between two tries.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        data : csr_matrix of shape (n_samples, n_features) of int64
            Counts, in canonical format. Documents without a row and words that
            never occur are kept, as rows and columns of zeros.
        feature_names : ndarray of shape (n_features,) of object
            The words.
        DESCR : str
            Description of the corpus.

    Raises
    ------
    ValueError
        If `name`, `n_retries` or `delay` is not as described.

    OSError
        If a file is missing and may not or cannot be downloaded; or if a file is
        broken, be it just downloaded or found in `data_home`. A broken file is
        deleted, so that the next call can download it: damaged or truncated gzip
        data, a header that does not agree with the rows, ids out of range, a
        vocabulary of the wrong length, or for ``"kos"`` and ``"nips"`` a wrong
        checksum.

    See Also
    --------
    load_uci_bow : Load your own files in this format; it never deletes a file.

    Notes
    -----
    A download goes to a temporary folder inside `data_home`, is checked there by
    reading it, and is then moved into place in one step: whatever interrupts it,
    no half-written file stays, and two processes do not disturb each other.

    Files are checked at each call. Memory is 16 bytes per row while reading (8 GB
    for ``"pubmed"``) and 12 in the result; a core reads about 2 million rows per
    second.

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
    if name not in _CORPORA:
        raise ValueError(f"name must be one of {sorted(_CORPORA)}, got {name!r}.")
    n_retries = check_integer(n_retries, "n_retries", 0)
    if not isinstance(delay, numbers.Real) or not delay >= 0:
        raise ValueError(f"delay must be a number of seconds >= 0, got {delay!r}.")
    corpus = _CORPORA[name]
    if data_home is None:
        # Late, for it loads all of sklearn.datasets: 6 MB that few programs need.
        from sklearn.datasets import get_data_home

        folder = Path(get_data_home(), "uci_bow")
    else:
        folder = Path(data_home).expanduser()
    download = None
    if download_if_missing:
        download = partial(_download, n_retries=n_retries, delay=delay)

    def read_counts(path):
        _check_sha256(path, corpus.docword_sha256)
        return read_docword(path)

    def read_words(path):
        _check_sha256(path, corpus.vocab_sha256)
        return read_vocabulary(path, X.shape[1])

    X = _obtain(folder / f"docword.{name}.txt.gz", read_counts, download)
    words = _obtain(folder / f"vocab.{name}.txt", read_words, download)
    text = _DESCR.format(title=corpus.title, underline="-" * len(corpus.title))
    return Bunch(data=X, feature_names=words, DESCR=describe(text, X))


def _download(path: Path, n_retries: int, delay: float) -> None:
    """Copy the file of the repository that has this name to `path`."""
    url = _BASE_URL + path.name
    for tries_left in range(n_retries, -1, -1):
        try:
            return _copy_url(url, path)
        except (
            urllib.error.URLError,
            http.client.HTTPException,
            ConnectionError,
            TimeoutError,
        ) as error:
            if tries_left == 0:
                raise OSError(
                    f"{url} could not be downloaded ({error!r}). Try again later, or "
                    "get the file in another way and name its folder in data_home."
                ) from error
            warnings.warn(
                f"Download of {url} failed ({error!r}), trying again.", stacklevel=4
            )
            time.sleep(delay)


def _copy_url(url: str, path: Path) -> None:
    logger.info("Downloading %s", url)
    with (
        urllib.request.urlopen(url, timeout=_TIMEOUT) as response,
        open(path, "wb") as file,
    ):
        shutil.copyfileobj(response, file)
        announced = response.headers.get("Content-Length")
        # A connection that is closed too early looks like the end of the file.
        if announced is not None and file.tell() != int(announced):
            raise ConnectionError(f"{file.tell()} of {announced} bytes arrived")


def _obtain(
    path: Path, read: Callable[[Path], Content], download: Callable[[Path], None] | None
) -> Content:
    """Content of a file of the repository, downloaded if it is missing."""
    if path.exists():
        try:
            return read(path)
        except ValueError as error:
            raise OSError(f"{path} is broken: {error} {_discard(path)}") from error
    if download is None:
        raise FileNotFoundError(
            f"{path} not found and download_if_missing is False. Allow the download, "
            f"or put the file there yourself; its address is {_BASE_URL}{path.name}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    # On the same file system as `path`, so that it can be moved in one step.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".download-") as folder:
        temporary = Path(folder, path.name)
        download(temporary)
        try:
            content = read(temporary)
        except ValueError as error:
            raise OSError(
                f"What {_BASE_URL}{path.name} sent is broken and was deleted: {error} "
                "Try again later, or get the file in another way and name its folder "
                "in data_home."
            ) from error
        temporary.replace(path)
    return content


def _discard(path: Path) -> str:
    """Delete a broken file; return a sentence on that and on what to do."""
    try:
        path.unlink()
    except OSError as error:
        return (
            f"It could not be deleted ({error.strerror}): delete it yourself or name "
            "another folder in data_home."
        )
    return (
        "It was deleted: call fetch_uci_bow again, with download_if_missing=True, to "
        "download it. For files of your own in this format there is load_uci_bow."
    )


def _check_sha256(path: Path, expected: str | None) -> None:
    if expected is None:
        return
    with open_bytes(path) as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != expected:
        raise ValueError(
            f"The SHA-256 checksum of its text is {found}, not {expected}."
        )
