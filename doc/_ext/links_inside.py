"""Warn of each link inside the pages that leads nowhere, so that the build fails.

Sphinx checks the references that it resolves. This reads the written pages, with links
of the theme, raw addresses and pages that Sphinx has not written.
"""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
IGNORED = {"#", "#top"}  # which mean the page itself


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep what leads somewhere, and what can be led to."""
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.links.add(value)
            elif name in {"id", "name"} and value:
                self.anchors.add(value)


def broken(folder: Path) -> list[tuple[str, str]]:
    """Return the pages, relative to the folder, and their links that lead nowhere."""
    pages = {
        path.resolve(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.parts  # where the theme has a template
    }
    found = []
    for path, page in pages.items():
        for link in sorted(page.links - IGNORED):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve()
            target = path if not parts.path else target
            anchors = pages[target].anchors if target in pages else {parts.fragment}
            if not target.is_file() or unquote(parts.fragment) not in {"", *anchors}:
                found.append((path.relative_to(folder.resolve()).as_posix(), link))
    return found


def check(app, error) -> None:
    """Warn when all pages are there."""
    # A build that runs the code of chosen pages lacks what the others write.
    chosen = getattr(app.config, "page_output_only", [])
    if error is None and app.builder.name == "html" and not chosen:
        for page, link in broken(Path(app.outdir)):
            LOGGER.warning("%s: the link %s leads nowhere", page, link)


def setup(app):
    """Check the pages after everything else has written its files."""
    app.connect("build-finished", check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
