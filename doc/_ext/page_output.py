"""Run the Python code of the pages, and show below each block what it gives.

The blocks of a page run in one namespace, in a folder of their own, while the page is
read: what they print and draw is that of this build. Code that fails is a warning. A
page whose data or packages are not there says so, and shows what an earlier build has
stored, if any; so do the examples, unless the build is asked to run them.
"""

import contextlib
import io
import os
import shutil
import time
import traceback
import warnings
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path
from textwrap import fill

import needs
import stored_output
from docutils import nodes
from PIL import Image
from sphinx.util import logging

logger = logging.getLogger(__name__)
WIDTH_OF_ONE = 1010  # pixels; a wider picture has several panels
WIDTH_OF_TEXT = 88  # characters
FOLDER = "page_output"  # beside the doctrees that point to its pictures


def add_output(app, doctree):
    """Run the code of a page, or look up what it gave, and insert that."""
    page = app.env.docname
    blocks = [
        node
        for node in doctree.findall(nodes.literal_block)
        if node.get("language", "").lower() == "python"
    ]
    if not blocks or among(page, app.config.page_output_exclude):
        return
    codes = [block.astext() for block in blocks]
    only = app.config.page_output_only
    if only and not among(page, only):
        outputs = stored_output.load(page)
    elif reason := needs.missing("\n".join(codes)):
        outputs = stored_output.load(page)
        logger.info("%s is not run: %s", page, reason)
        earlier = "The output is that of an earlier build." if outputs else ""
        text = f"This build did not run the code of this page: {reason} {earlier}"
        note = nodes.note("", nodes.paragraph("", text.strip()))
        blocks[0].parent.insert(blocks[0].parent.index(blocks[0]), note)
    elif among(page, app.config.page_output_asked) and not app.tags.has("run_examples"):
        outputs = stored_output.load(page)
    else:
        outputs = run_all(app, blocks)
        chosen = app.tags.has("store") and among(page, app.config.page_output_stored)
        if chosen and len(outputs) == len(blocks):
            stored_output.store(page, codes, outputs)
    for block, output in zip(blocks, outputs or [], strict=False):
        show(block, *output, start=Path(app.srcdir, page).parent)


def among(page, patterns):
    """Return whether a page is one of those that a setting names."""
    return any(fnmatch(page, pattern) for pattern in patterns)


def run_all(app, blocks):
    """Return what each block prints and draws, up to the one that fails."""
    page, began = app.env.docname, time.process_time()
    folder = Path(app.doctreedir, FOLDER, page)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    namespace, outputs = {"__name__": "__main__"}, []
    for number, block in enumerate(blocks):
        try:
            outputs.append(run(block.astext(), namespace, folder, number))
        except Exception:
            last = traceback.format_exc().splitlines()[-1]
            logger.warning("The code on this page fails: %s", last, location=block)
            break
    logger.info("%s: code of %.0f s", page, time.process_time() - began)
    return outputs


def show(block, printed, pictures, start):
    """Insert below a block what it prints and draws."""
    shown = [
        nodes.container("", nodes.image(uri=os.path.relpath(path, start), alt=alt))
        for path, alt in pictures
    ]
    for picture, (path, _) in zip(shown, pictures, strict=True):
        picture["classes"].append("picture")
        with Image.open(path) as image:
            if image.width > WIDTH_OF_ONE:
                picture["classes"].append("panels")
    if printed:
        shown.insert(0, nodes.literal_block(printed, printed, language="none"))
    place = block.parent.index(block) + 1
    for node in reversed(shown):
        node["classes"].append("output")
        block.parent.insert(place, node)


def run(code, namespace, folder, number):
    """Run one block; return what it prints, its warnings and its pictures."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    pyplot.close("all")
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        with warnings.catch_warnings(record=True) as warned:
            exec(compile(code, f"{folder.name}.rst", "exec"), namespace)
    for category, messages in groupby(warned, lambda warning: warning.category):
        first, *others = (str(warning.message) for warning in messages)
        more = f" ({len(others)} more of this kind.)" if others else ""
        text = f"{category.__name__}: {first}{more}"
        printed.write(f"\n{fill(text, WIDTH_OF_TEXT, break_on_hyphens=False)}\n")
    pictures = []
    for figure in map(pyplot.figure, pyplot.get_fignums()):
        path = folder / f"{number}-{figure.number}.png"
        figure.savefig(path, dpi=110, bbox_inches="tight")
        titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
        about = "; ".join(title for title in titles if title)
        pictures.append((path, f"Plot by the code above. {about}".strip()))
    pyplot.close("all")
    return printed.getvalue().rstrip(), pictures


def copy_live_pages(app, error):
    """Put the pages that the code has written where the links to them point."""
    if error or app.builder.format != "html":
        return
    for written in app.config.page_output_live:
        path = Path(app.doctreedir, FOLDER, written)
        if path.is_file():
            (app.outdir / "live").mkdir(exist_ok=True)
            shutil.copy(path, app.outdir / "live" / path.name)


def setup(app):
    """Run before Sphinx collects the pictures of a page, at the priority of 500."""
    os.environ["COLUMNS"] = "76"  # of progress bars
    app.add_config_value("page_output_asked", [], "env")
    app.add_config_value("page_output_exclude", [], "env")
    app.add_config_value("page_output_live", [], "html")
    app.add_config_value("page_output_only", [], "env")
    app.add_config_value("page_output_stored", [], "html")
    app.connect("doctree-read", add_output, priority=100)
    app.connect("build-finished", copy_live_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
