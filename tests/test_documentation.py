"""Pages: public names, code and its output, references, figures of stored results."""

import importlib
import json
import re
import textwrap
from pathlib import Path

import pytest

import sklda
from sklda import datasets
from tests.helpers.public_names import optional_modules, public_modules

ROOT = Path(__file__).resolve().parents[1]
DOC = ROOT / "doc"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
OPTIONAL = {"sklda.dask.CollapsedGibbsLDA", "sklda.dask.PartiallyCollapsedGibbsLDA"}


@pytest.fixture
def extension(monkeypatch):
    """Return a function that imports an extension of the documentation."""
    monkeypatch.syspath_prepend(DOC / "_ext")
    pytest.importorskip("docutils")
    return importlib.import_module


def listed(text: str) -> set[str]:
    """Return the full names in the tables of a page of reference."""
    _, *parts = re.split(r"^\.\. currentmodule:: (\S+)\n", text, flags=re.MULTILINE)
    return {
        f"{module}.{name}"
        for module, tables in zip(parts[::2], parts[1::2], strict=True)
        for name in re.findall(r"^ {3}(\w+)$", tables, re.MULTILINE)
    }


def test_reference_lists_all_public_names_and_no_others():
    expected = {
        f"{module.__name__}.{name}"
        for module in (*public_modules(), *optional_modules())
        for name in module.__all__
        if callable(getattr(module, name))
    }
    reference = (DOC / "reference.rst").read_text("utf-8")
    assert listed(reference) - expected <= OPTIONAL
    assert expected <= listed(reference)


def test_gallery_shows_each_example_once():
    index = (ROOT / "examples" / "index.rst").read_text("utf-8")
    names = re.findall(r"^   \.\./examples/(\w+)\.py$", index, re.MULTILINE)
    assert sorted(names) == [path.stem for path in EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_catch_the_error_of_a_corpus_that_is_missing(path):
    text = path.read_text("utf-8")
    assert ("fetch_" in text) == ("\nexcept OSError as " in text)


# --- code ------------------------------------------------------------------------

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
def test_code_runs(page, extension, tmp_path, monkeypatch):
    if reason := extension("needs").missing(PAGES[page]):
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


def test_stored_pictures_are_small():
    sizes = [path.stat().st_size for path in (DOC / "stored_output").rglob("*.png")]
    assert max(sizes) < 100_000
    assert sum(sizes) < 2_000_000


# --- figures of stored results, and references -----------------------------------


def test_figures_of_the_readme_are_those_of_the_results(extension):
    front, exact = extension("front_figure"), extension("exactness_figure").figures()
    readme = " ".join((ROOT / "README.rst").read_text("utf-8").split())
    assert front.sentence() in readme
    for text in (
        "{waits}",
        "to a perplexity of {wait-perplexity} on held-out words",
        "with {wait-other}, the fastest other exact sampler",
        "{exact-mutants} planted faults, all of them found",
    ):
        assert text.format(**front.waits(), **exact) in readme
    assert exact["exact-survivors"] == "0"


PAPER = DOC / "paper"


def entries(path: Path) -> dict[str, str]:
    """Return the entries of a bibliography by their keys."""
    found = re.split(r"\n\n(?=@)", path.read_text("utf-8").strip())
    return {re.match(r"@\w+\{(\w+),\n", entry)[1]: entry for entry in found}


def test_paper_has_the_speeds_of_the_results():
    benchmarks = (DOC / "benchmarks.rst").read_text("utf-8")
    (table,) = re.findall(
        r"(?s)list-table:: NIPS, [^:]+ one thread\n(.+?)\.\. ", benchmarks
    )
    rows = re.findall(r"   \* - (.+)\n((?:     - .+\n)+)", table)
    cells = {name: re.findall(r"     - (.+)\n", found) for name, found in rows}
    paper = (PAPER / "paper.md").read_text("utf-8")
    lines = [line for line in paper.splitlines() if line.startswith("| ")]
    (_, *shown) = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)
    assert len(shown) > 3
    assert {name: others for name, *others in shown} == {
        name: found for name, found in cells.items() if "/" not in name
    }


def test_paper_cites_what_its_bibliography_has():
    cited = set(re.findall(r"@(\w+)", (PAPER / "paper.md").read_text("utf-8")))
    bibliography, pages = entries(PAPER / "paper.bib"), entries(DOC / "references.bib")
    assert cited == bibliography.keys()
    shared = bibliography.keys() & pages.keys()
    assert len(shared) > 10
    assert [key for key in shared if bibliography[key] != pages[key]] == []


def test_each_estimator_has_a_paper_to_cite():
    citing = (DOC / "citing.rst").read_text("utf-8")
    names = {name for name in sklda.__all__ if isinstance(getattr(sklda, name), type)}
    assert "CVBLDA" in names
    assert {name for name in names if f"``{name}``" not in citing} == set()
