"""The page of a model in a real browser: mouse, keyboard, address, and silence."""

import numpy as np
import pytest

from sklda.inspection import save_explorer, top_words
from tests.helpers.explorer_page import EVIL, N_DOCUMENTS, N_TOPICS, chromium, explored
from tests.helpers.known_topics import KnownTopics

sync_api = pytest.importorskip("playwright.sync_api")
# On a busy machine Chromium is at times without a new frame for ten seconds.
sync_api.expect.set_options(timeout=30_000)

pytestmark = pytest.mark.slow

HUE = "node => node.style.getPropertyValue('--hue')"


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

    def open_page(fragment="", width=1280, **options):
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


def texts_of(page, selector):
    return [text.strip() for text in page.locator(selector).all_text_contents()]


def expect_topic(page, topic):
    """Wait for a topic, and assert that all views agree on it."""
    sync_api.expect(page.locator("#topic-number")).to_have_text(str(topic))
    selected = '[aria-selected="true"]'
    assert page.locator(f"#topics {selected} .number").inner_text() == str(topic)
    shown = page.locator(f"#map {selected}").get_attribute("data-topic")
    assert shown == str(topic)


def test_selection_and_back(open_page):
    page = open_page("#topic=3&relevance=0.2")
    model, _, names, _ = explored()
    expected = top_words(model, names, 30, "relevance", weight=0.2)[3]
    assert texts_of(page, "#words .label") == [word.strip() for word in expected]
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


def test_a_view_with_a_label_can_be_sent(open_page):
    page = open_page("#topic=2&relevance=0.3")
    page.locator("#label").fill(f"A & B = {EVIL[0]}")
    page.locator("#label").press("Enter")
    page.locator("#words [role=option]").nth(5).click()
    sync_api.expect(page.locator("#detail")).to_be_visible()
    copy = open_page(page.evaluate("location.hash"))
    for part in ("words .label", "topics .label", "detail-title", "detail-note"):
        assert texts_of(copy, f"#{part}") == texts_of(page, f"#{part}")
    assert f"A & B = {EVIL[0]}" in texts_of(copy, "#topics .label")


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
    field.fill("nowhere to be found")
    sync_api.expect(page.locator("#results")).to_have_text("Nothing found")
    field.press("Escape")
    assert page.locator("#results").is_hidden()


def test_keyboard(open_page):
    page = open_page("#topic=2")
    page.locator("#topics").focus()
    for key, topic in (("ArrowDown", 3), ("End", N_TOPICS - 1), ("Home", 0)):
        page.keyboard.press(key)
        expect_topic(page, topic)
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


def test_words_have_the_colours_of_their_topics(open_page):
    document = 3
    page = open_page(f"#topic=1&document={document}")
    plain = page.locator("#detail-text").inner_text()
    page.locator("#colours").check()
    model, _, names, _ = explored()
    phi = model.components_ / model.components_.sum(axis=1, keepdims=True)
    badges = {}
    for option in page.locator("#detail-topics [role=option]").all():
        badge = option.locator(".number")
        badges[badge.inner_text()] = badge.evaluate(HUE)
    marks = page.locator("#detail-text mark").all()
    assert [mark.inner_text() for mark in marks] == ["Word3", "word4"]
    for mark, word in zip(marks, ("word3", "word4"), strict=True):
        topic = (model.theta[document] * phi[:, names.index(word)]).argmax()
        assert mark.get_attribute("title").startswith(f"Topic {topic}:")
        assert mark.evaluate(HUE) == badges[str(topic)] != ""
    assert page.locator("#detail-text").inner_text() == plain
    page.locator("#documents [role=option]", has_text="Document 42").click()
    sync_api.expect(page.locator("#detail-text mark.coloured").first).to_be_visible()
    page.locator("#words [role=option]").first.click()
    sync_api.expect(page.locator("#colours")).to_be_hidden()


def test_a_narrow_page_scrolls_to_the_chosen_topic(open_page):
    page = open_page("#topic=1", width=400)
    heading = page.locator("#topic-number")
    sync_api.expect(heading).not_to_be_in_viewport()
    page.locator("#topics").focus()
    page.keyboard.press("ArrowDown")
    expect_topic(page, 2)
    sync_api.expect(heading).not_to_be_in_viewport()
    page.locator("#topics [role=option]").nth(4).click()
    sync_api.expect(heading).to_be_in_viewport()
    expect_topic(page, 4)


def test_numbers_on_the_map_do_not_overlap(browser, tmp_path):
    n_topics, rng = 120, np.random.default_rng(0)
    model = KnownTopics(
        rng.gamma(0.3, 20, (n_topics, 30)) + 0.1,
        rng.dirichlet(np.full(n_topics, 0.3), 40),
    )
    path, X = tmp_path / "map.html", np.ones((40, 30))
    save_explorer(path, model, X, feature_names=[f"w{w}" for w in range(30)])
    page = browser.new_page(viewport={"width": 400, "height": 900})
    for topic in range(0, n_topics, 6):
        page.goto(f"{path.as_uri()}#topic={topic}")
        expect_topic(page, topic)
        assert page.locator(f"#number-{topic}").is_visible()
        boxes = page.locator("#map text:visible").evaluate_all(
            "nodes => nodes.map(n => n.getBoundingClientRect()).map("
            "b => [b.left, b.right, b.top, b.bottom])"
        )
        left, right, top, bottom = np.array(boxes).T[:, :, np.newaxis]
        # Boxes are taller than their digits, by an eighth above and below.
        trim = (bottom - top) / 8
        overlap = (left < right.T) & (left.T < right)
        overlap &= (top + trim < (bottom - trim).T) & ((top + trim).T < bottom - trim)
        assert overlap.sum() == len(boxes) > 20, "only each with itself"
    page.close()


def test_a_narrow_dark_page_and_its_print(open_page):
    page = open_page("#topic=1&document=3", width=400, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.emulate_media(media="print")
    for name in ("topics", "words", "documents"):
        held, shown = page.locator(f"#{name}").evaluate(
            "list => [list.scrollHeight, list.clientHeight]"
        )
        assert held <= shown
    assert not page.locator("#search").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(28, 36, 41)"  # as in the light theme
