"""The HTML page: template, style, scripts and data in one text."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import Any

# A script may import only from those above it.
SCRIPTS = (
    "dom.js",
    "data.js",
    "state.js",
    "listbox.js",
    "labels.js",
    "topics.js",
    "map.js",
    "words.js",
    "documents.js",
    "groups.js",
    "search.js",
    "main.js",
)
STYLES = ("layout.css", "views.css")

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function) (\w+))", re.MULTILINE)


def build_page(title: str, contents: dict[str, Any]) -> bytes:
    """Return the page in UTF-8.

    Its content security policy names scripts and style by their hashes: the browser
    runs nothing else, and loads nothing.
    """
    script, style = joined_script(), "".join(map(read_asset, STYLES))
    parts = {
        "TITLE": html.escape(title),
        "SCRIPT_HASH": _source_hash(script),
        "STYLE_HASH": _source_hash(style),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": script_json(contents),
    }
    template = read_asset("explorer.html")
    page = re.sub(r"\{\{(\w+)\}\}", lambda field: parts[field[1]], template)
    # Lone surrogates, which only texts in the JSON can hold, become its escapes.
    return page.encode("utf-8", errors="backslashreplace")


def joined_script() -> str:
    """Return all scripts as one.

    A module cannot import from its own page. So each becomes a function that returns
    its exports, and imports become assignments.
    """
    script = "const modules = {};\n"
    for name in SCRIPTS:
        source = read_asset(name)
        exports = ", ".join(_EXPORT.findall(source))
        body = _IMPORT.sub(r'const \1 = modules["\2"];', _EXPORT.sub("", source))
        script += (
            f'modules["{name}"] = (() => {{\n{body}return {{ {exports} }};\n}})();\n'
        )
    return script


def read_asset(name: str) -> str:
    """Return the text of a file of the page."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def script_json(contents: Any) -> str:
    """Return JSON that can stand in a script element, whatever texts it holds."""
    text = json.dumps(
        contents, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
