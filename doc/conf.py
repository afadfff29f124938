"""Configuration of Sphinx; `make -C doc html` builds the pages."""

import re
import sys
import tomllib
import warnings
from dataclasses import is_dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

import deploy  # noqa: E402
import exactness_figure  # noqa: E402
import front_figure  # noqa: E402
import measured  # noqa: E402
import needs  # noqa: E402

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
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "exactness_figure",
    "front_figure",
    "gallery",
    "line_breaks",
    "links_inside",
    "llms",
    "mathml",
    "measured",
    "offline_search",
    "page_output",
    "stacked_tables",
]
# benchmarks.rst, written by `python -m benchmarks pages`, is part of another page.
exclude_patterns = ["_build", "_templates", "_backreferences", "benchmarks.rst"]
templates_path = ["_templates"]
default_role = "code"
rst_epilog = "".join(
    f".. |{name}| replace:: {text}\n"
    for module in (measured, front_figure, exactness_figure)
    for name, text in module.figures().items()
)

# --- the reference -----------------------------------------------------------

# The page of a class lists its own methods, see _templates/autosummary/class.rst.
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say more
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"


# What scikit-learn defines and users call.
SHOWN = {"fit_transform", "get_feature_names_out", "get_params", "set_params"}
SHOWN |= {"set_callbacks", "set_output"}


def skip_what_is_not_ours(app, what, name, member, skip, options):
    """Leave methods out that scikit-learn defines, but for those in `SHOWN`."""
    module = getattr(member, "__module__", None)
    ours = module is None or module.split(".")[0] == "sklda"
    return skip or not (ours or name in SHOWN)


def unlink_what_is_not_ours(app, what, name, obj, options, lines):
    """Turn links to labels of scikit-learn's own pages into plain text."""
    if name.rpartition(".")[2] in SHOWN:
        text = "\n".join(lines)
        text = re.sub(r":ref:`([^`<]+?)\s*<[^`>]+>`", r"\1", text)
        lines[:] = re.sub(r"(?s)\s+and\s+:ref:`sphx_glr\S+`.*?\.\n", ".\n", text).split(
            "\n"
        )


def keep_underscores(app, what, name, obj, options, lines):
    """Escape names like n_features_in_ in shapes, or docutils takes them for links."""
    lines[:] = [re.sub(r"(?<!`)\b(n_\w+)_(?=[,)])", r"\1\\_", line) for line in lines]


# --- code on the pages -------------------------------------------------------

# All runs, but for what is written for another file, is part of a script, or is for the
# texts of the reader.
page_output_exclude = ["add_a_sampler", "developing/architecture", "index"]
page_output_live = ["user_guide/explorer/addresses.html"]
# What takes long, and runs with `make html-examples` only.
page_output_asked = ["auto_examples/*"]
needs.download = "run_examples" in tags  # noqa: F821, which Sphinx provides
# What not every build can run; `make store` stores their output.
page_output_stored = [
    "auto_examples/*",
    "user_guide/groups_and_time",
    "user_guide/preprocessing",
    "user_guide/pyldavis",
]

# --- the gallery -------------------------------------------------------------

sphinx_gallery_conf = {
    "remove_config_comments": True,
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "copyfile_regex": r"index\.rst",  # which has the sections and the order
    "minigallery_sort_order": "gallery.place",
    "plot_gallery": False,  # page_output.py runs the scripts
    "write_computation_times": False,  # a page with scripts from elsewhere
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "backreferences_dir": "_backreferences",
    "doc_module": ("sklda",),
}
# What a script tells its user at the end, and no reader of the page.
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

# --- how it looks ------------------------------------------------------------

PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
html_theme = "pydata_sphinx_theme"
llms_summary = f"{PROJECT['description']}."
html_title = "sklda"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["sklda.css"]
html_favicon = "_static/logo.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 60
html_theme_options = {
    "logo": {
        "text": "sklda",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "alt_text": "",  # the name stands beside it
    },
    "icon_links": [
        {
            "name": "Repository (the address follows with the first release)"
            if "example.org" in REPOSITORY
            else "Repository",
            "url": REPOSITORY,
            "icon": "fa-solid fa-code-branch",
        },
    ],
    "external_links": [{"name": "scikit-learn", "url": "https://scikit-learn.org"}],
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
}
# Of a server only: a page that is opened as a file cannot read the list of versions.
if "deployed" in tags:  # noqa: F821
    html_theme_options |= deploy.theme_options(version)
# Pages that belong to no section need no list of its pages.
html_sidebars = {name: [] for name in ("index", "benchmark_pictures", "citing")}

# --- links to other projects -------------------------------------------------

# The build needs no network unless it is asked to: make html OPTIONS="-t online".
if "online" in tags:  # noqa: F821
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "numpy": ("https://numpy.org/doc/stable/", None),
        "sklearn": ("https://scikit-learn.org/stable/", None),
    }


def hide_constructors_of_results(app, what, name, obj, options, signature, result):
    """Show no parameters of a dataclass, which a function returns and no user makes."""
    is_result = is_dataclass(obj) and not hasattr(obj, "fit")
    return ("", None) if is_result else None


def setup(app):
    """Connect what stands in this file."""
    app.connect("autodoc-process-signature", hide_constructors_of_results, priority=400)
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
    # Before numpydoc, whose priority is the usual 500.
    app.connect("autodoc-process-docstring", keep_underscores, priority=400)
    app.connect("autodoc-process-docstring", unlink_what_is_not_ours, priority=400)
