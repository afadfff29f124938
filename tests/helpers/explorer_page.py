"""Contents of a page of `save_explorer`, a model to make one of, and a browser."""

import base64
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from tests.helpers.known_topics import KnownTopics

N_TOPICS, N_WORDS, N_DOCUMENTS = 6, 50, 100
EVIL = [
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 2</script>",
    "<!--<script>",
    "]]>\u2028\u2029&amp;",
    "'\"`${window.ran = 3}\\",
    "<img src=x onerror=window.ran=4>",
]


def stored(page):
    """Return the JSON of a page, with its arrays unpacked."""
    text = page.read_text(encoding="utf-8")
    (data,) = re.findall(
        r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL
    )
    return json.loads(data, object_hook=unpack)


def unpack(found):
    if set(found) != {"type", "base64"}:
        return found
    kind = np.dtype(found["type"]).newbyteorder("<")
    return np.frombuffer(base64.b64decode(found["base64"]), kind)


def rows(sparse):
    """Return {topic: part} of each row of a stored sparse matrix."""
    ends = np.cumsum(sparse["n_topics"])
    entries = np.split(np.column_stack([sparse["topics"], sparse["parts"]]), ends[:-1])
    return [{int(k): part / 255 for k, part in entry} for entry in entries]


def explored():
    """Return a model, its documents, and what else `save_explorer` takes."""
    rng = np.random.default_rng(0)
    components = rng.gamma(0.3, 20, (N_TOPICS, N_WORDS)) + 0.1
    theta = rng.dirichlet(np.full(N_TOPICS, 0.3), N_DOCUMENTS)
    X = rng.poisson(2.0, (N_DOCUMENTS, N_WORDS))
    names = [f"word{w}" for w in range(N_WORDS - len(EVIL))] + EVIL
    texts = [
        f"Text {d}: Word{d} word{d + 1}<b>x</b> {' '.join(EVIL)}"
        for d in range(N_DOCUMENTS)
    ]
    return KnownTopics(components, theta), X, names, texts


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator:
    """Start Chromium or Chrome; skip the test where there is none, or no playwright."""
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with sync_api.sync_playwright() as playwright:
        # Without a sandbox, because the root of a container can have none.
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox"]
        )
        yield browser
        browser.close()
