"""Configuration of Sphinx; `make -C doc html` builds the pages."""

import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

import measured  # noqa: E402

import sklda  # noqa: E402

# --- what is built -----------------------------------------------------------

project = "sklda"
author = "The sklda developers"
copyright = author
version = release = sklda.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "measured",
    "mathml",
]
exclude_patterns = ["_build", "_templates", "_backreferences"]
templates_path = ["_templates"]
default_role = "code"
rst_epilog = measured.substitutions()

# --- the reference -----------------------------------------------------------

# The page of a class lists its own methods, see _templates/autosummary/class.rst.
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say more
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"


def skip_what_is_not_ours(app, what, name, member, skip, options):
    """Leave methods out that scikit-learn defines: their texts link to its pages."""
    module = getattr(member, "__module__", None)
    return skip or (module is not None and module.split(".")[0] != "sklda")


def keep_underscores(app, what, name, obj, options, lines):
    """Escape names like n_features_in_ in shapes, or docutils takes them for links."""
    lines[:] = [re.sub(r"(?<!`)\b(n_\w+)_(?=[,)])", r"\1\\_", line) for line in lines]


# --- the gallery -------------------------------------------------------------

# `make html-examples` runs the examples, `make html` shows them as they are.
run_examples = "run_examples" in tags  # noqa: F821, which Sphinx provides
sphinx_gallery_conf = {
    "remove_config_comments": True,
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "plot_gallery": run_examples,
    "within_subsection_order": "gallery_order.Key",
    "min_reported_time": 1,
    "show_memory": False,
    "capture_repr": (),  # pictures and what is printed, no addresses of objects
    "show_signature": False,
    "download_all_examples": False,
    "backreferences_dir": "_backreferences",
    "doc_module": ("sklda",),
}
# What a script tells its user at the end, and no reader of the page.
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

# --- how it looks ------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "sklda"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["sklda.css"]
html_show_sourcelink = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 60
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
}
# Pages without pages below them need no list of these.
html_sidebars = {path.stem: [] for path in HERE.glob("*.rst")}
html_sidebars["reference"] = ["sidebar-nav-bs"]

# --- links to other projects -------------------------------------------------

# The build needs no network unless it is asked to: make html OPTIONS="-t online".
if "online" in tags:  # noqa: F821
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "numpy": ("https://numpy.org/doc/stable/", None),
        "sklearn": ("https://scikit-learn.org/stable/", None),
    }


def setup(app):
    """Connect what stands in this file."""
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
    # Before numpydoc, whose priority is the usual 500.
    app.connect("autodoc-process-docstring", keep_underscores, priority=400)
