"""The page of a model in a real browser: mouse, keyboard, address, and silence."""

import json

import numpy as np
import pytest

from sklda.inspection import name_topics, save_explorer, top_documents, top_words
from tests.helpers.explorer_page import EVIL, N_DOCUMENTS, N_TOPICS, chromium, explored

sync_api = pytest.importorskip("playwright.sync_api")
# On a busy machine Chromium is at times without a new frame for ten seconds.
sync_api.expect.set_options(timeout=30_000)

pytestmark = [
    pytest.mark.slow,
    # One of them has no names of words.
    pytest.mark.filterwarnings("ignore:Words are shown as column numbers"),
]


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    model, X, names, texts = explored()
    path = tmp_path_factory.mktemp("explorer") / "some model.html"
    groups = [EVIL[d % len(EVIL)] for d in range(N_DOCUMENTS)]
    save_explorer(path, model, X, feature_names=names, texts=texts, groups=groups)
    return path.as_uri()


@pytest.fixture
def open_page(browser, address):
    """Return a function that opens a page; it must have been silent at the end."""
    wrong, asked, contexts = [], [], []

    def open_page(fragment="", width=1280, address=address, **options):
        viewport = {"width": width, "height": 900}
        contexts.append(browser.new_context(viewport=viewport, **options))
        contexts[-1].set_offline(True)
        page = contexts[-1].new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.append(request.url.split("#")[0]))
        page.goto(address + fragment)
        return page

    yield open_page
    ran = [context.pages[0].evaluate("window.ran") for context in contexts]
    for context in contexts:
        context.close()
    assert wrong == []
    assert all(url.startswith("file:") and url.endswith(".html") for url in asked)
    assert set(ran) == {None}, "a text was run"


def chosen_topic(page):
    """Return the topic that all views agree on."""
    topic = page.locator("#topic-number").inner_text()
    selected = '[aria-selected="true"]'
    assert page.locator(f"#topics {selected} .number").inner_text() == topic
    assert page.locator(f"#map {selected}").get_attribute("data-topic") == topic
    return int(topic)


def texts_of(page, selector):
    return [text.strip() for text in page.locator(selector).all_text_contents()]


def expect_topic(page, topic):
    sync_api.expect(page.locator("#topic-number")).to_have_text(str(topic))
    assert chosen_topic(page) == topic


# --- mouse and address -------------------------------------------------------


def test_click_and_back(open_page):
    page = open_page("#topic=3")
    page.locator('#map [data-topic="1"]').click()
    expect_topic(page, 1)
    page.locator("#topics [role=option]").nth(4).click()
    expect_topic(page, 4)
    page.locator("#words [role=option]").first.click()
    word = page.locator("#words [role=option] .label").first.inner_text()
    page.locator("#documents [role=option]").nth(2).click()
    title = page.locator("#detail-title")
    sync_api.expect(title).to_contain_text("Document")
    page.go_back()
    sync_api.expect(title).to_have_text(word)
    for topic in (4, 1, 3):
        page.go_back()
        expect_topic(page, topic)
    assert page.locator("#detail").is_hidden()


def test_content_of_a_topic(open_page):
    model, X, names, texts = explored()
    page = open_page("#topic=2")
    words = top_words(model, names, 30, "relevance")[2]
    assert texts_of(page, "#words .label") == [word.strip() for word in words]
    documents, _ = top_documents(model, X, 10)
    expected = [f"Document\N{NO-BREAK SPACE}{d}" for d in documents[2]]
    found = [text.split(EVIL[0][0])[0] for text in texts_of(page, "#documents .label")]
    assert all(map(str.startswith, found, expected))
    shown = page.locator("#documents .text").first.text_content()
    assert shown == " ".join(texts[documents[2][0]].split())
    marked = set(map(str.lower, texts_of(page, "#documents mark")))
    assert marked
    assert marked <= {word.lower() for word in words}


@pytest.mark.parametrize(
    "fragment", ["#topic=99", "#topic=-1&word=none&document=1e9&relevance=7", "#%&=x"]
)
def test_wrong_address_shows_the_largest_topic(open_page, fragment):
    model, X, _, _ = explored()
    shares = X.sum(axis=1) @ model.theta
    page = open_page(fragment)
    assert chosen_topic(page) == shares.argmax()
    assert page.locator("#groups-title").inner_text() == "Share by group"


def test_a_view_can_be_sent(open_page):
    page = open_page("#topic=2&relevance=0.3")
    page.locator("#label").fill("A & B = <i>'#1'</i>")
    page.locator("#label").press("Enter")
    page.locator("#words [role=option]").nth(5).click()
    sync_api.expect(page.locator("#detail")).to_be_visible()
    copy = open_page(page.evaluate("location.hash"))
    for part in ("words .label", "topics .label", "detail-title", "detail-note"):
        selector = f"#{part}"
        assert texts_of(copy, selector) == texts_of(page, selector)
    assert "A & B = <i>'#1'</i>" in texts_of(copy, "#topics .label")


def test_labels_are_saved_and_reset(open_page, tmp_path, address):
    page = open_page("#topic=1")
    labels, field = page.locator("#topics .label"), page.locator("#label")
    before = labels.nth(1).inner_text()
    field.fill("mine")
    field.press("Enter")
    sync_api.expect(labels.nth(1)).to_have_text("mine")
    with page.expect_download() as download:
        page.locator("#save-labels").click()
    download.value.save_as(tmp_path / "labels.json")
    saved = json.loads((tmp_path / "labels.json").read_text("utf-8"))
    assert saved == [None, "mine"] + [None] * (N_TOPICS - 2)
    assert name_topics(explored()[0], saved).topic_names_[1] == "mine"
    page.goto("about:blank")
    page.goto(f"{address}#topic=1")  # the browser remembers them
    sync_api.expect(labels.nth(1)).to_have_text("mine")
    field.fill("")
    field.press("Enter")
    sync_api.expect(labels.nth(1)).to_have_text(before)


# --- slider, search, keyboard ------------------------------------------------


def test_slider(open_page):
    model, _, names, _ = explored()
    page = open_page("#topic=0&relevance=0.2")
    slider = page.locator("#relevance")
    for key, i in (("ArrowRight", 3), ("ArrowLeft", 2), ("ArrowLeft", 1)):
        slider.press(key)
        sync_api.expect(page.locator("#relevance-value")).to_have_text(f"λ = {i / 10}")
        expected = top_words(model, names, 30, "relevance", weight=i / 10)[0]
        assert texts_of(page, "#words .label") == [word.strip() for word in expected]
    assert "relevance=0.1" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == open_page().evaluate("history.length")


def test_search(open_page):
    page = open_page("#topic=0")
    field, detail = page.locator("#search"), page.locator("#detail-title")
    for query, title in (("WORD7", "word7"), ("document 17", "Document 17")):
        field.fill(query)
        field.press("Enter")
        sync_api.expect(detail).to_have_text(title)
    field.fill(EVIL[1])
    page.locator("#results [role=option]", has_text="word").first.click()
    sync_api.expect(detail).to_have_text(EVIL[1])
    field.fill("topic 3")
    field.press("ArrowDown")
    field.press("ArrowUp")
    field.press("Enter")
    expect_topic(page, 3)
    field.fill("nowhere to be found")
    sync_api.expect(page.locator("#results")).to_have_text("Nothing found")
    field.press("Escape")
    assert page.locator("#results").is_hidden()


def test_keyboard(open_page):
    page = open_page("#topic=2")
    page.locator("#topics").focus()
    visited = page.evaluate("history.length")
    for key, topic in (("ArrowDown", 3), ("End", N_TOPICS - 1), ("Home", 0)):
        page.keyboard.press(key)
        expect_topic(page, topic)
    sync_api.expect(page.locator("#status")).to_contain_text("Topic 0")
    assert page.evaluate("history.length") == visited
    page.locator("#words").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    active = page.locator("#words").get_attribute("aria-activedescendant")
    page.keyboard.press("Enter")
    word = page.locator(f"#{active} .label").inner_text()
    sync_api.expect(page.locator("#detail-title")).to_have_text(word)
    page.keyboard.press("Escape")
    sync_api.expect(page.locator("#detail")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "words"


def test_focus_is_visible_at_each_stop(open_page):
    page = open_page("#topic=2")
    stops = "search save-labels theme map order topics label relevance words groups"
    for stop in (*stops.split(), "documents"):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => {
                const node = document.activeElement;
                const { outlineStyle, outlineWidth } = getComputedStyle(node);
                return [node.closest("[id]").id, outlineStyle, outlineWidth];
            }"""
        )
        assert found == [stop, "solid", "2px"]


def test_arrows_on_the_map(open_page):
    page = open_page("#topic=2")
    page.locator("#map svg").focus()
    reached = {2}
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown") * 4:
        page.keyboard.press(key)
        page.wait_for_timeout(20)
        reached.add(chosen_topic(page))
    assert len(reached) > 3
    assert page.evaluate("history.length") == open_page().evaluate("history.length")


# --- looks -------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_page_in_both_themes(open_page, scheme):
    page = open_page("#topic=1&document=3", width=400, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    opposite = {"light": "dark", "dark": "light"}[scheme]
    brightness = "parseInt(getComputedStyle(document.body).backgroundColor.slice(4))"
    for theme in (scheme, opposite):
        assert page.locator("html").get_attribute("data-theme") == theme
        assert (page.evaluate(brightness) > 128) == (theme == "light")
        page.locator("#theme").click()


def test_a_printed_page_has_all_rows(open_page):
    page = open_page("#topic=1", color_scheme="dark")
    page.emulate_media(media="print")
    for name in ("topics", "words", "documents"):
        held, shown = page.locator(f"#{name}").evaluate(
            "list => [list.scrollHeight, list.clientHeight]"
        )
        assert held <= shown
    assert not page.locator("#search").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(28, 36, 41)"  # as in the light theme


def test_line_over_years_has_gaps_and_counts(open_page, tmp_path):
    model, X, names, _ = explored()
    years = np.array([2001, 2002, 2005, 2007, 2008])[np.arange(N_DOCUMENTS) % 5]
    path = tmp_path / "years.html"
    save_explorer(path, model, X, feature_names=names, groups=years)
    page = open_page(address=path.as_uri())
    assert page.locator("#groups-title").inner_text() == "Share from 2001 to 2008"
    lines = page.locator("#groups polyline")
    n_points = [len(line.get_attribute("points").split()) for line in lines.all()]
    assert n_points == [2, 1, 2]
    assert page.locator("#groups .dot").count() == 5
    bars = page.locator("#groups rect.all")
    heights = [float(bar.get_attribute("height")) > 0 for bar in bars.all()]
    assert heights == [True, True, False, False, True, False, True, True]
    page.locator("#groups summary").click()
    third = page.locator("#groups li").nth(2).inner_text()
    assert third.split() == ["2003", "0", "documents", "–"]
