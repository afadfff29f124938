"""Let long names of code break between their words, and never inside one."""

import re

LONG = 13  # characters; shorter names stay whole
NAME = re.compile(r'(<span class="(?:pre|sig-name descname)">)([^<]+)(</span>)')
TITLE = re.compile(r"(<h[123]>)([^<]+)(<a |</h)")
# Before the capital that begins a word, where LDA is none of its own; after the mark
# that ends a word; not in __name__.
BREAK = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])(?!LDA)|(?<=LDA)(?=[A-Z])"
    r"|(?<=[./=(\[-])(?=\w)|(?<=[^\W_]_)(?=[^\W_])"
)


def add_breaks(app, page, template, context, doctree):
    """Insert <wbr> into the names on a page."""
    for part in {"body", "toc"} & set(context):
        for pattern in (NAME, TITLE):
            context[part] = pattern.sub(_with_breaks, context[part])


def _with_breaks(match):
    before, text, after = match.groups()
    names = (
        BREAK.sub("<wbr>", word) if len(word) >= LONG and "&" not in word else word
        for word in text.split(" ")
    )
    return before + " ".join(names) + after


def setup(app):
    """Change pages after the writer."""
    app.connect("html-page-context", add_breaks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
