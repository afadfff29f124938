"""What code on pages and in examples needs, but a machine may lack: data, packages.

Pages and examples are shown without their output where it is missing. Only a build that
runs the examples downloads data; `download` is set by `conf.py`.
"""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sklearn.datasets import fetch_20newsgroups, get_data_home

from sklda.datasets import fetch_uci_bow

OPTIONAL_PACKAGES = (
    "arviz_plots",
    "arviz_stats",
    "pandas",
    "pyLDAvis",
    "rich",
    "sklearn.callback",  # of scikit-learn from 1.9 on
    "skops",
)
NEEDED_BY = {
    "formula=": "formulaic",
    "sklda.dask": "distributed",
    "sklda.diagnostics": "arviz_stats",
}
download = False


def missing(code: str) -> str | None:
    """Return a sentence that says what code needs that is not there, or None."""
    for package in OPTIONAL_PACKAGES:
        if re.search(rf"^\s*(?:import|from) {package}\b", code, re.MULTILINE):
            if find_spec(package) is None:
                return f"{package} is not installed."
    for module, package in NEEDED_BY.items():
        if module in code and find_spec(package) is None:
            return f"{package} is not installed."
    if "fetch_20newsgroups(" in code and not _there("20 Newsgroups", download):
        return "20 Newsgroups is not in the data folder of scikit-learn."
    for name in re.findall(r'get_data_home\(\), "([\w.]+)"', code):
        if not Path(get_data_home(), name).is_file():
            return f"{name} is not in the data folder of scikit-learn."
    for name in re.findall(r'fetch_uci_bow\("(\w+)"', code):
        if not _there(name, download):
            return f"The corpus {name.upper()} is not in the data folder."
    return None


@cache
def _there(corpus: str, download: bool) -> bool:
    try:
        if corpus == "20 Newsgroups":
            fetch_20newsgroups(download_if_missing=download)
        else:
            fetch_uci_bow(corpus, download_if_missing=download)
    except OSError:
        return False
    return True
