"""What pages look like in a browser, on a screen and on a telephone."""

import pytest

from tests.helpers import sphinx_pages
from tests.helpers.browser import chromium

pytest.importorskip("sphinx")
pytest.importorskip("pydata_sphinx_theme")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # those of Sphinx and its parts
]
CODE = "x" * 88  # the longest line of the formatter
INDEX = "Title\n=====\n\n.. toctree::\n\n   guide/index\n"
GUIDE = "Guide\n=====\n\n.. toctree::\n\n   topics\n"
PAGE = f"""
Topics
======

.. code-block:: python

   {CODE}

.. list-table::
   :class: stacked labelled
   :header-rows: 1

   * - Fit
     - Exact?
     - Memory
   * - one
     - yes
     - 2 bytes per token, and 24 bytes per word of the vocabulary and topic

One
---

.. figure:: wide.png
   :figclass: panels
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a page of the guide as conf.py does; return its address."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("looks")
    source, html = folder / "source", folder / "html"
    sphinx_pages.write(
        source, {"index": INDEX, "guide/index": GUIDE, "guide/topics": PAGE}
    )
    Image.new("RGB", (1560, 720)).save(source / "guide" / "wide.png")
    settings = sphinx_pages.configured(
        "html_theme", "html_context", "html_css_files", "html_title"
    )
    settings["html_static_path"] = [str(sphinx_pages.DOC / "_static")]
    settings["html_theme_options"] = {"secondary_sidebar_items": ["page-toc"]}
    settings["extensions"] = ["stacked_tables"]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(sphinx_pages.DOC / "_ext")
        assert sphinx_pages.build(source, html, settings) == ""
    return (html / "guide" / "topics.html").as_uri()


@pytest.fixture
def look(built):
    """Return a function that opens the page in a window of some width."""
    with chromium() as browser:

        def open_page(width):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(built)
            return page

        yield open_page


def widths(page, selector):
    """Return the widths of what an element holds, and of itself."""
    script = "element => [element.scrollWidth, element.clientWidth]"
    return page.locator(selector).first.evaluate(script)


def test_lines_of_code_fit_between_the_sidebars(look):
    page = look(1280)
    assert page.locator(".bd-sidebar-primary").is_visible()
    assert page.locator(".bd-sidebar-secondary").is_visible()
    held, shown = widths(page, "div.highlight pre")
    assert held <= shown
    held, shown = widths(page, "html")
    assert held <= shown


def test_cells_of_a_stacked_table_say_their_columns(look):
    page = look(1280)
    assert page.locator("thead").is_visible()
    assert not page.locator(".column-label").first.is_visible()
    page = look(400)
    assert not page.locator("thead").is_visible()
    cells = page.locator("tbody td").all_inner_texts()
    assert [cell.partition(" ")[0] for cell in cells] == ["one", "Exact?", "Memory:"]
    held, shown = widths(page, "table")
    assert held <= shown


def test_panels_scroll_by_themselves_on_a_telephone(look):
    page = look(400)
    held, shown = widths(page, "figure.panels")
    assert held > 600 > shown
    held, shown = widths(page, "html")
    assert held <= shown
    held, shown = widths(look(1280), "figure.panels")
    assert held <= shown
