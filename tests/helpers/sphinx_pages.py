"""Pages that Sphinx builds from a few texts."""

import runpy
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

DOC = Path(__file__).resolve().parents[2] / "doc"


def configured(*names: str) -> dict[str, Any]:
    """Return settings of the documentation by their names."""
    settings = runpy.run_path(str(DOC / "conf.py"), {"tags": set()})
    return {name: settings[name] for name in names}


def write(folder: Path, pages: dict[str, str]) -> None:
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def build(
    source: Path, html: Path, settings: dict[str, Any], tags: Iterable[str] = ()
) -> str:
    """Build pages; return the warnings."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    warnings = StringIO()
    told = {"status": None, "warning": warnings, "freshenv": True, "tags": tags}
    doctrees = html.with_name(f"{html.name}-doctrees")
    with docutils_namespace():
        Sphinx(source, None, html, doctrees, "html", settings, **told).build()
    return warnings.getvalue()
