"""The extensions of the pages, with Sphinx: output of code, breaks in long names."""

import html
import importlib
import re

import pytest

from tests.helpers import sphinx_pages

pytest.importorskip("sphinx")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of Sphinx and its parts
EXTENSIONS = sphinx_pages.DOC / "_ext"
PAGE = """
Title
=====

.. code-block:: python

   x = 6

.. code-block:: python

   import matplotlib.pyplot as plt

   print("x is", 7 * x)
   plt.plot([1, 2])
   plt.title("a line")
   open("made.html", "w").write("<p>made</p>")
"""


@pytest.fixture
def build(tmp_path, monkeypatch, pyplot):
    """Build one page; return its HTML and the warnings."""
    monkeypatch.syspath_prepend(EXTENSIONS)

    def build_page(text, tags=(), **settings):
        sphinx_pages.write(tmp_path, {"index": text})
        options = {"extensions": ["page_output", "line_breaks"], **settings}
        warnings = sphinx_pages.build(tmp_path, tmp_path / "html", options, tags)
        return (tmp_path / "html" / "index.html").read_text("utf-8"), warnings

    return build_page


def test_page_shows_what_its_code_prints_and_draws(build, tmp_path):
    page, warnings = build(PAGE, page_output_live=["index/made.html"])
    assert "x is 42" in page
    (picture,) = re.findall(r'alt="([^"]*)" src="([^"]*)"', page)
    assert picture[0].endswith("a line")
    assert (tmp_path / "html" / picture[1]).is_file()
    assert (tmp_path / "html" / "live" / "made.html").is_file()
    assert not (tmp_path / "made.html").exists()
    assert warnings == ""


def test_code_that_fails_is_a_warning(build):
    page, warnings = build(PAGE.replace("7 * x", "7 / 0"))
    assert "ZeroDivisionError" in warnings
    assert "x is" not in html.unescape(re.sub(r"<[^>]+>", "", page)).replace(
        '"x is"', ""
    )


def test_page_says_what_is_missing(build, monkeypatch):
    needs = importlib.import_module("needs")
    monkeypatch.setattr(needs, "OPTIONAL_PACKAGES", ("no_such_package",))
    page, warnings = build(PAGE.replace("x = 6", "import no_such_package"))
    assert "no_such_package is not installed." in page
    assert "x is 42" not in page
    assert warnings == ""


def test_page_shows_stored_output_where_data_are_missing(build, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(EXTENSIONS)
    needs, stored = map(importlib.import_module, ("needs", "stored_output"))
    monkeypatch.setattr(stored, "STORE", tmp_path / "stored_output")
    build(PAGE, ["store"], page_output_stored=["index"])
    monkeypatch.setattr(needs, "missing", lambda code: "The corpus is missing.")
    page, warnings = build(PAGE)
    assert "The corpus is missing. The output is that of an earlier build." in page
    assert "x is 42" in page
    (picture,) = re.findall(r'a line" src="([^"]*)"', page)
    assert (tmp_path / "html" / picture).is_file()
    assert warnings == ""


def test_some_pages_alone_are_run_and_stored(build, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(EXTENSIONS)
    stored = importlib.import_module("stored_output")
    monkeypatch.setattr(stored, "STORE", tmp_path / "stored_output")
    options = {"tags": ["store"], "page_output_stored": ["index"]}
    page, _ = build(PAGE, **options, page_output_only=["guide/*"])
    assert "x is 42" not in page
    assert not stored.STORE.exists()
    page, _ = build(PAGE, **options, page_output_only=["guide/*", "in*"])
    assert "x is 42" in page
    assert (stored.STORE / "index" / "output.json").is_file()
    page, _ = build(PAGE.replace("is", "was"), page_output_only=["guide/*"])
    assert "x is 42" in page, "what is stored is shown"


def test_excluded_page_is_not_run(build):
    page, _ = build(PAGE, page_output_exclude=["ind*"])
    assert "x is 42" not in page


def test_long_names_break_between_words(build):
    page, _ = build(
        "Title\n=====\n\n``CollapsedGibbsLDA`` and ``fit``, ``top_words``, "
        "``sklda.__version__``, ``estimate_effect``, ``MedLDARegressor``"
    )
    assert "Collapsed<wbr>GibbsLDA" in page
    assert "MedLDA<wbr>Regressor" in page
    assert "top_words" in page
    assert "sklda.<wbr>__version__" in page
    assert "estimate_<wbr>effect" in page


def test_class_shows_the_parameters_of_its_constructor(build):
    page, _ = build(
        "Title\n=====\n\n.. autoclass:: sklda.CVBLDA",
        extensions=["sphinx.ext.autodoc"],
        autodoc_typehints="none",
    )
    signature = re.sub(r"<[^>]+>", "", re.search(r"<dt.*?</dt>", page, re.DOTALL)[0])
    assert "CVBLDA(n_components=10, *" in signature
    assert "kwargs" not in signature
