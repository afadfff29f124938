"""Write llms.txt, which leads a program to the reference and the other pages.

It has the form of https://llmstxt.org; its addresses are relative to it.
"""

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path

NAME = "llms.txt"
# In the order of the file; whatever begins with none of these is in the third.
SECTIONS = {
    "Reference": ("generated/",),
    "Guide": ("user_guide/",),
    "More": (),
    "Optional": ("auto_examples/", "developing/"),  # what a short context leaves out
}


def section(page: str) -> str:
    """Return the section of a page."""
    for name, folders in SECTIONS.items():
        if page.startswith(folders):
            return name
    return "More"


def about(page: str) -> str:
    """Return the first line of the docstring that a page of the reference shows."""
    module, _, name = page.partition("/")[2].rpartition(".")
    member = getattr(importlib.import_module(module), name)
    first = inspect.getdoc(member).partition("\n")[0]
    return re.sub(r":\w+:`[~.]*([^`]+)`", r"\1", first)  # roles are for Sphinx


def entry(page: str, title: str, address: str) -> str:
    """Return the line of a page; names of the reference have a description."""
    if section(page) == "Reference":
        return f"- [{page.partition('/')[2]}]({address}): {about(page)}"
    return f"- [{title}]({address})"


def text(summary: str, titles: dict[str, str], address: Callable[[str], str]) -> str:
    """Return the file for pages and their titles."""
    lines = ["# sklda", "", f"> {summary}"]
    for name in SECTIONS:
        pages = [page for page in sorted(titles) if section(page) == name]
        lines += ["", f"## {name}", ""]
        lines += [entry(page, titles[page], address(page)) for page in pages]
    return "\n".join([*lines, ""])


def write(app, error) -> None:
    """Write the file beside the front page."""
    if error is None and app.builder.format == "html":
        titles = {page: title.astext() for page, title in app.env.titles.items()}
        found = text(app.config.llms_summary, titles, app.builder.get_target_uri)
        Path(app.outdir, NAME).write_text(found, encoding="utf-8")


def setup(app):
    """Write the file when all pages are there."""
    app.add_config_value("llms_summary", "", "html")
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
