"""The built pages in a browser: search without a server, versions with one."""

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sklda import metrics
from tests.helpers import sphinx_pages
from tests.helpers.browser import chromium

pytest.importorskip("sphinx")
pytest.importorskip("pydata_sphinx_theme")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # those of Sphinx and its parts
]
PAGES = {
    "index": "Title\n=====\n\n.. toctree::\n\n   guide/topics\n",
    "guide/topics": "Topics\n======\n\nChains are thinned here.\n",
}
BASE = "/sklda/doc/"


@pytest.fixture
def deploy(monkeypatch):
    """Return the module of the site."""
    monkeypatch.syspath_prepend(sphinx_pages.DOC / "_ext")
    import deploy

    return deploy


@pytest.fixture
def build(tmp_path, deploy):
    """Build two pages as conf.py builds all of them; return their folder."""
    settings = sphinx_pages.configured("html_theme", "html_context", "html_title")
    conf = sphinx_pages.configured("html_theme_options", "html_favicon")
    settings |= {"project": "sklda", "html_sidebars": {"*": []}}
    settings["extensions"] = ["offline_search"]
    settings["html_favicon"] = str(sphinx_pages.DOC / conf["html_favicon"])
    sphinx_pages.write(tmp_path / "source", PAGES)

    def build_pages(version, *, deployed=True):
        theme = deploy.theme_options(version) if deployed else {}
        options = conf["html_theme_options"] | {"logo": {"text": "sklda"}} | theme
        more = {"html_theme_options": options, "version": version, "release": version}
        html = tmp_path / "pages" / version
        assert sphinx_pages.build(tmp_path / "source", html, settings | more) == ""
        return html

    return build_pages


@pytest.fixture
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser):
    """Return a page, and the addresses that it asks for and its errors."""
    page = browser.new_page()
    page.asked, page.wrong = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on(
        "console",
        lambda told: page.wrong.append(told.text) if told.type == "error" else None,
    )
    return page


@pytest.fixture
def serve(tmp_path):
    """Serve the folder of the test; return the address."""
    handler = partial(Silent, directory=tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


class Silent(SimpleHTTPRequestHandler):
    """A handler that prints nothing."""

    def log_message(self, *_):
        pass


def test_search_works_without_a_server_and_a_network(build, page):
    pages = build("0.1.0", deployed=False)
    page.goto((pages / "index.html").as_uri())
    page.locator("button.search-button__button:visible").first.click()
    page.keyboard.type("thinned")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results a")
    (found,) = page.locator("#search-results a").all()
    assert found.inner_text() == "Topics"
    found.click()
    page.wait_for_url("**/guide/topics.html*")
    assert page.wrong == []
    assert {url.partition(":")[0] for url in page.asked} == {"file"}


def test_pages_switch_to_the_same_page_of_another_version(
    build, page, deploy, tmp_path, serve
):
    site = tmp_path / BASE.strip("/")
    for version in ("0.1.0", "0.2.0.dev0"):
        deploy.deploy(build(version), site, BASE)
    page.goto(f"{serve}{BASE}dev/guide/topics.html")
    page.locator("button.version-switcher__button:visible").click()
    listed = page.locator(".version-switcher__menu a:visible")
    assert listed.all_inner_texts() == ["dev", "0.1 (stable)"]
    listed.nth(1).click()
    page.wait_for_url(f"{serve}{BASE}stable/guide/topics.html")
    assert page.wrong == []
    assert all(url.startswith(serve) for url in page.asked)
    page.goto(f"{serve}{BASE}")  # the front page leads to the newest release
    page.wait_for_url(f"{serve}{BASE}stable/")


# --- the folder of the site ------------------------------------------------------


@pytest.fixture
def put(tmp_path, deploy):
    """Put a version without pages into the site; return its list of versions."""

    def put(version, text=""):
        pages = tmp_path / "pages"
        (pages / "_static").mkdir(parents=True, exist_ok=True)
        (pages / "index.html").write_text(f"{deploy.LIST} {text}")
        options = pages / "_static" / "documentation_options.js"
        options.write_text(f"DOCUMENTATION_OPTIONS = {{ VERSION: '{version}' }}")
        deploy.deploy(pages, tmp_path / "site", BASE)
        return json.loads((tmp_path / "site" / deploy.LIST).read_text())

    return put


def test_site_of_a_development_version_leads_to_it(put, tmp_path):
    assert put("0.1.0.dev0") == [
        {"name": "dev", "version": "dev", "url": f"{BASE}dev/"}
    ]
    assert 'url=dev/"' in (tmp_path / "site" / "index.html").read_text()
    assert "(dev/llms.txt)" in (tmp_path / "site" / "llms.txt").read_text()


def test_newest_release_is_stable(put, tmp_path):
    for version in ("0.9.0", "0.10.1", "0.11.0.dev0"):
        put(version, version)
    listed = put("0.9.1", "0.9.1")  # a patch of an old release
    assert [entry["version"] for entry in listed] == ["dev", "0.10", "0.9"]
    preferred = [entry["url"] for entry in listed if entry.get("preferred")]
    assert preferred == [f"{BASE}stable/"]
    site = tmp_path / "site"
    assert "0.10.1" in (site / "stable" / "index.html").read_text()
    assert "0.9.1" in (site / "0.9" / "index.html").read_text()
    assert 'url=stable/"' in (site / "index.html").read_text()


def test_removed_pages_leave_the_site(put, tmp_path):
    put("0.1.0.dev0")
    old = tmp_path / "site" / "dev" / "old.html"
    old.touch()
    put("0.1.0.dev0")
    assert not old.exists()


def test_pages_without_the_switcher_are_refused(put, deploy, tmp_path):
    put("0.1.0")
    (tmp_path / "pages" / "index.html").write_text("no list")
    with pytest.raises(SystemExit, match="-t deployed"):
        deploy.main([str(tmp_path / "pages"), str(tmp_path / "site")])


def test_path_of_the_site_is_that_of_the_project(put, deploy, tmp_path):
    put("0.1.0")
    deploy.main([str(tmp_path / "pages"), str(tmp_path / "site")])
    (listed,) = json.loads((tmp_path / "site" / deploy.LIST).read_text())
    assert listed["url"] == f"{deploy.path_of_site()}/stable/"


# --- what is written when all pages are there -------------------------------------


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Build pages with extensions of the documentation; return folder and warnings."""

    monkeypatch.syspath_prepend(sphinx_pages.DOC / "_ext")

    def write_pages(extension, pages, **settings):
        sphinx_pages.write(tmp_path / "source", pages)
        html = tmp_path / "html"
        settings |= {"extensions": [extension], "project": "sklda"}
        return html, sphinx_pages.build(tmp_path / "source", html, settings)

    return write_pages


def test_links_that_lead_nowhere_are_warnings(write):
    raw = ".. raw:: html\n\n   <a href='{}'>x</a>\n\n"
    links = ["guide/topics.html#topics", "guide/gone.html", "#gone", "https://x.org/y"]
    front = PAGES["index"] + "\n" + "".join(map(raw.format, links))
    _, warnings = write("links_inside", PAGES | {"index": front})
    found = [line for line in warnings.splitlines() if "leads nowhere" in line]
    assert ["guide/gone.html" in line for line in found] == [False, True]
    assert "#gone" in found[0]


def test_a_program_finds_the_pages_and_what_a_name_does(write):
    name = "sklda.metrics.topic_diversity"
    listed = PAGES["index"] + f"   generated/{name}\n"
    title = "topic_diversity\n===============\n"
    pages = PAGES | {"index": listed, f"generated/{name}": title}
    html, warnings = write("llms", pages, llms_summary="Topics of counts.")
    assert warnings == ""
    text = (html / "llms.txt").read_text("utf-8")
    assert text.startswith("# sklda\n\n> Topics of counts.\n\n## Reference\n\n")
    about = metrics.topic_diversity.__doc__.partition("\n")[0]
    assert f"- [{name}](generated/{name}.html): {about}\n" in text
    assert "- [Topics](guide/topics.html)\n" in text


def test_pages_are_readable_without_javascript(build, browser):
    pages = build("0.1.0", deployed=False)
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((pages / "index.html").as_uri())
    page.locator("a:visible", has_text="Topics").first.click()
    assert page.get_by_text("Chains are thinned here.").is_visible()
