"""What our extensions of Sphinx do: output of code, links, llms.txt, the site."""

import html
import importlib
import json
import re
from io import StringIO
from pathlib import Path

import pytest

from sklda import metrics

sphinx = pytest.importorskip("sphinx.application")
docutils = pytest.importorskip("sphinx.util.docutils")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of Sphinx and its parts
EXTENSIONS = Path(__file__).resolve().parents[1] / "doc" / "_ext"
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


@pytest.fixture(autouse=True)
def extensions(monkeypatch, tmp_path):
    """Let Sphinx find our extensions, which store what they store in a new folder."""
    monkeypatch.syspath_prepend(EXTENSIONS)
    stored = importlib.import_module("stored_output")
    monkeypatch.setattr(stored, "STORE", tmp_path / "stored_output")


@pytest.fixture
def build(tmp_path, pyplot):
    """Return a function that builds pages, and returns the first and all warnings."""

    def build_pages(pages, *, tags=(), extensions=("page_output",), **settings):
        for name, text in pages.items():
            path = tmp_path / "source" / f"{name}.rst"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        settings |= {"extensions": [*extensions], "project": "sklda"}
        folders = tmp_path / "source", None, tmp_path / "html", tmp_path / "doctrees"
        told = {"status": None, "warning": StringIO(), "freshenv": True, "tags": tags}
        with docutils.docutils_namespace():
            sphinx.Sphinx(*folders, "html", settings, **told).build()
        page = (tmp_path / "html" / "index.html").read_text("utf-8")
        return page, told["warning"].getvalue()

    return build_pages


def test_page_shows_what_its_code_prints_and_draws(build, tmp_path):
    page, warnings = build({"index": PAGE}, page_output_live=["index/made.html"])
    assert "x is 42" in page
    (picture,) = re.findall(r'alt="([^"]*)" src="([^"]*)"', page)
    assert picture[0].endswith("a line")
    assert (tmp_path / "html" / picture[1]).is_file()
    assert (tmp_path / "html" / "live" / "made.html").is_file()
    assert warnings == ""
    page, _ = build({"index": PAGE}, page_output_exclude=["ind*"])
    assert "x is 42" not in page


def test_code_that_fails_is_a_warning(build):
    page, warnings = build({"index": PAGE.replace("7 * x", "7 / 0")})
    assert "ZeroDivisionError" in warnings
    assert '"x is"' in (text := html.unescape(re.sub(r"<[^>]+>", "", page)))
    assert "x is" not in text.replace('"x is"', "")


def test_page_shows_a_warning_once_for_each_kind(build):
    lines = "import warnings", "warnings.simplefilter('always')", "for x in (1, 2, 6):"
    code = "\n   ".join([*lines, "    warnings.warn(f'no. {x}')"])
    page, warnings = build({"index": PAGE.replace("x = 6", code)})
    assert "UserWarning: no. 1 (2 more of this kind.)" in page
    assert "no. 2" not in page
    assert warnings == ""


def test_page_says_what_is_missing_and_shows_what_is_stored(build, monkeypatch):
    needs = importlib.import_module("needs")
    monkeypatch.setattr(needs, "missing", lambda code: "no_such_package is missing.")
    page, warnings = build({"index": PAGE})
    assert "no_such_package is missing." in page
    assert "x is 42" not in page
    monkeypatch.setattr(needs, "missing", lambda code: None)
    stored = {"tags": ["store"], "page_output_stored": ["index"]}
    build({"index": PAGE}, **stored, page_output_only=["in*"])
    build({"index": PAGE.replace("is", "was")}, page_output_only=["guide/*"])
    monkeypatch.setattr(needs, "missing", lambda code: "The corpus is missing.")
    page, more = build({"index": PAGE})
    assert "The corpus is missing. The output is that of an earlier build." in page
    assert "x is 42" in page
    assert 'a line" src="' in page
    assert warnings + more == ""


# --- when all pages are there ----------------------------------------------------

PAGES = {
    "index": "Title\n=====\n\n.. toctree::\n\n   guide/topics\n",
    "guide/topics": "Topics\n======\n\nChains are thinned here.\n",
}


def test_links_that_lead_nowhere_are_warnings(build):
    raw = ".. raw:: html\n\n   <a href='{}'>x</a>\n\n"
    links = ["guide/topics.html#topics", "guide/gone.html", "#gone", "https://x.org/y"]
    front = PAGES["index"] + "\n" + "".join(map(raw.format, links))
    _, warnings = build(PAGES | {"index": front}, extensions=["links_inside"])
    found = [line for line in warnings.splitlines() if "leads nowhere" in line]
    assert ["guide/gone.html" in line for line in found] == [False, True]
    assert "#gone" in found[0]


def test_a_program_finds_the_pages_and_what_a_name_does(build, tmp_path):
    name = "sklda.metrics.topic_diversity"
    listed = PAGES["index"] + f"   generated/{name}\n"
    title = "topic_diversity\n===============\n"
    pages = PAGES | {"index": listed, f"generated/{name}": title}
    build(pages, extensions=["llms"], llms_summary="Topics of counts.")
    text = (tmp_path / "html" / "llms.txt").read_text("utf-8")
    assert text.startswith("# sklda\n\n> Topics of counts.\n\n## Reference\n\n")
    about = metrics.topic_diversity.__doc__.partition("\n")[0]
    assert f"- [{name}](generated/{name}.html): {about}\n" in text
    assert "- [Topics](guide/topics.html)\n" in text


def test_site_has_a_folder_for_each_version(tmp_path):
    deploy, listed = importlib.import_module("deploy"), []
    pages, site = tmp_path / "pages", tmp_path / "site"
    (pages / "_static").mkdir(parents=True)
    options = pages / "_static" / "documentation_options.js"
    for version in ("0.1.0.dev0", "0.9.0", "0.10.1", "0.9.1", "0.11.0.dev0"):
        if listed:
            (site / "dev" / "old.html").touch()
        (pages / "index.html").write_text(f"{deploy.LIST} {version}")
        options.write_text(f"DOCUMENTATION_OPTIONS = {{ VERSION: '{version}' }}")
        deploy.main([str(pages), str(site)])
        found = json.loads((site / deploy.LIST).read_text())
        listed.append([entry["version"] for entry in found])
    assert not (site / "dev" / "old.html").exists()
    assert listed[0] == ["dev"]
    assert listed[-1] == ["dev", "0.10", "0.9"]
    assert found[1]["url"] == f"{deploy.path_of_site()}/stable/"
    for folder, version in (("stable", "0.10.1"), ("0.9", "0.9.1")):
        assert version in (site / folder / "index.html").read_text()
    assert 'url=stable/"' in (site / "index.html").read_text()
    assert "(stable/llms.txt)" in (site / "llms.txt").read_text()
