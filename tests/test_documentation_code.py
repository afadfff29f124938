"""The code on the pages: each page runs from its first block to its last."""

import importlib
import json
import re
import textwrap
from pathlib import Path

import pytest

import sklda
from sklda import datasets

DOC = Path(__file__).resolve().parents[1] / "doc"
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?: +.*\n|\n)+)", re.MULTILINE)
STORED = sorted(DOC.glob("stored_output/**/output.json"))
FRAGMENTS = {"add_a_sampler.rst"}  # what is written for another file
SWEEPS, TEXTS = 11, 600  # the first entry of a trace is after 10


def code_of(page: Path) -> str:
    """Return all Python code of a page."""
    return "\n".join(map(textwrap.dedent, BLOCK.findall(page.read_text("utf-8"))))


def code_of_example(script: Path) -> str:
    """Return the code of an example, without its docstring and the texts of cells."""
    _, _, code = script.read_text("utf-8").split('"""', 2)
    return re.sub(r"^# %%.*\n(#.*\n)*", "", code, flags=re.MULTILINE)


PAGES = {
    page.relative_to(DOC).as_posix(): code
    for page in (*DOC.glob("*.rst"), *DOC.glob("user_guide/*.rst"))
    if (code := code_of(page)) and page.name not in FRAGMENTS
}


@pytest.fixture
def hurry(monkeypatch):
    """Let estimators sweep a few times, and load some of the texts only."""
    for name in sklda.__all__:
        defaults = getattr(getattr(sklda, name).__init__, "__kwdefaults__", None)
        if defaults and "max_iter" in defaults:
            monkeypatch.setitem(defaults, "max_iter", SWEEPS)
    corpus = datasets.load_state_of_the_union()
    step = len(corpus.data) // TEXTS
    for name in corpus.keys() - {"DESCR", "target_names"}:
        corpus[name] = corpus[name][::step]
    monkeypatch.setattr(datasets, "load_state_of_the_union", lambda: corpus)


@pytest.mark.slow
@pytest.mark.usefixtures("hurry", "pyplot")
@pytest.mark.filterwarnings("ignore:After max_iter=", "ignore:learn_priors=")
@pytest.mark.filterwarnings("ignore:.* drift from", "ignore:.* draws are too few")
@pytest.mark.filterwarnings("ignore:The documents are short")  # and few
@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")  # of a dashboard
@pytest.mark.filterwarnings("ignore:The estimator CountVectorizer does not support")
@pytest.mark.parametrize("page", PAGES)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(DOC / "_ext")
    if reason := importlib.import_module("needs").missing(PAGES[page]):
        pytest.skip(reason)
    monkeypatch.chdir(tmp_path)  # where it may write files
    exec(PAGES[page].replace("max_iter=100", f"max_iter={SWEEPS}"), {})


@pytest.mark.parametrize(
    "stored", STORED, ids=lambda path: path.parent.relative_to(DOC).as_posix()
)
def test_stored_output_is_that_of_the_code(stored):
    page = stored.parent.relative_to(DOC / "stored_output")
    shown = PAGES.get(f"{page.as_posix()}.rst")
    if page.parent.name == "auto_examples":
        shown = code_of_example(DOC.parent / "examples" / f"{page.name}.py")
    blocks = json.loads(stored.read_text("utf-8"))
    code = "\n\n".join(block["code"] for block in blocks)
    assert code.split() == shown.split(), "run make -C doc store"


def test_pages_with_code_are_found():
    assert {"quick_start.rst", "user_guide/evaluation.rst"} <= set(PAGES)
