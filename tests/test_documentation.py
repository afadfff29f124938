"""Pages, checked for names, headers of examples and references; not the build."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

import sklda
from tests.helpers.public_names import optional_modules, public_modules

ROOT = Path(__file__).resolve().parents[1]
DOC = ROOT / "doc"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
OPTIONAL = {"sklda.dask.CollapsedGibbsLDA", "sklda.dask.PartiallyCollapsedGibbsLDA"}
PAGES = sorted(DOC.glob("*.rst")) + sorted((DOC / "user_guide").glob("*.rst"))


def listed(text: str) -> set[str]:
    """Return the full names in the tables of a page of reference."""
    names, module, inside = set(), None, False
    for line in text.splitlines():
        if found := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif line.strip():
            inside = line == ".. autosummary::" or (inside and line.startswith("   "))
            if inside and re.fullmatch(r" {3}\w+", line):
                names.add(f"{module}.{line.strip()}")
    return names


def public_names() -> set[str]:
    """Return the full names of all public classes and functions."""
    return {
        f"{module.__name__}.{name}"
        for module in (*public_modules(), *optional_modules())
        for name in module.__all__
        if callable(getattr(module, name))
    }


def test_reference_lists_all_public_names_and_no_others():
    reference = (DOC / "reference.rst").read_text("utf-8")
    absent = set() if list(optional_modules()) else OPTIONAL
    assert listed(reference) - absent == public_names()


def header_complaints(source: str) -> list[str]:
    """Return a sentence for each part of a header of sphinx-gallery that is missing."""
    docstring = ast.get_docstring(ast.parse(source))
    if docstring is None:
        return ["no docstring"]
    lines = docstring.splitlines()
    if len(lines) < 4 or not re.fullmatch(r"=+", lines[1]):
        return ["the docstring does not begin with an underlined title"]
    if len(lines[1]) < len(lines[0]):
        return ["the line under the title is too short"]
    return [] if "\n# %%\n" in source else ["no cell begins with # %%"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_for_the_gallery(path):
    assert path.name.startswith("plot_")
    assert header_complaints(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("x = 1", "no docstring"),
        ('"""Title\n\nText.\n"""', "underlined title"),
        ('"""\nTitle\n===\n\nText.\n"""', "too short"),
        ('"""\nTitle\n=====\n\nText.\n"""\nx = 1\n', "no cell"),
    ],
)
def test_broken_header_is_found(source, complaint):
    (found,) = header_complaints(source)
    assert complaint in found


def downloads(tree: ast.AST) -> list[ast.Call]:
    """Return the calls that download a corpus."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).startswith("fetch_")]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_say_which_corpus_is_missing(path):
    tree = ast.parse(path.read_text("utf-8"))
    guarded = [
        call
        for block in ast.walk(tree)
        if isinstance(block, ast.Try) and "OSError" in ast.unparse(block.handlers[0])
        for call in downloads(ast.Module(block.body, []))
    ]
    assert len(guarded) == len(downloads(tree))


def test_gallery_shows_each_example_once():
    index = (ROOT / "examples" / "index.rst").read_text("utf-8")
    names = re.findall(r"^   \.\./examples/(\w+)\.py$", index, re.MULTILINE)
    assert sorted(names) == [path.stem for path in EXAMPLES]


def test_each_example_has_a_stored_picture_as_its_thumbnail(monkeypatch):
    monkeypatch.syspath_prepend(DOC / "_ext")
    pytest.importorskip("PIL")
    gallery = importlib.import_module("gallery")
    chosen = {path.stem: gallery.chosen_picture(path) for path in EXAMPLES}
    assert [name for name in chosen if chosen[name] is None] == [], "make -C doc store"
    assert chosen["plot_bars"].name == "3-1.png"  # the second one, as it asks
    small = gallery.thumbnail(chosen["plot_bars"])
    assert small.size == gallery.SIZE
    assert small.getpixel((0, 0)) == (255, 255, 255)  # a high picture in the middle
    assert small.convert("L").getextrema()[0] < 50


def test_stored_pictures_are_small():
    sizes = [path.stat().st_size for path in (DOC / "stored_output").rglob("*.png")]
    assert max(sizes) < 100_000
    assert sum(sizes) < 2_000_000


def test_figures_of_the_readme_are_those_of_the_results(monkeypatch):
    monkeypatch.syspath_prepend(DOC / "_ext")
    pytest.importorskip("docutils")
    front = importlib.import_module("front_figure")
    exact = importlib.import_module("exactness_figure").figures()
    readme = " ".join((ROOT / "README.rst").read_text("utf-8").split())
    assert front.sentence() in readme
    for text in (
        "{wait-seconds} seconds instead of {wait-other-seconds}",
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
    cited_keys = set(re.findall(r"@(\w+)", (PAPER / "paper.md").read_text("utf-8")))
    bibliography = entries(PAPER / "paper.bib")
    assert cited_keys == bibliography.keys()
    pages = entries(DOC / "references.bib")
    shared = bibliography.keys() & pages.keys()
    assert len(shared) > 10
    assert {key: bibliography[key] for key in shared} == {
        key: pages[key] for key in shared
    }


def test_front_page_draws_each_exact_program_with_its_own_look(monkeypatch):
    monkeypatch.syspath_prepend(DOC / "_ext")
    pytest.importorskip("docutils")
    front = importlib.import_module("front_figure")
    curve = {"seconds": [1, 2], "perplexity": [2, 1]}
    exact = [name for name, peer in front.PEERS.items() if peer.method == "exact"]
    measured = {"programs": dict.fromkeys(exact, curve)}
    monkeypatch.setattr(front, "report", lambda *_: measured)
    monkeypatch.setattr(front.compare, "median_curve", lambda program: program)
    axes = Mock()
    front.draw_quality(axes)
    drawn = [call.kwargs for call in axes.plot.call_args_list]
    looks = {(look["color"], look.get("ls", "-")) for look in drawn}
    assert len(looks) == len(drawn) == 6


def cited(pages: list[Path]) -> Iterator[str]:
    """Yield the keys of all citations."""
    for page in pages:
        for keys in re.findall(r":cite:[pt]:`([^`]+)`", page.read_text("utf-8")):
            yield from keys.split(",")


def test_cited_works_are_in_the_bibliography():
    bibliography = (DOC / "references.bib").read_text("utf-8")
    keys = re.findall(r"^@\w+\{(\w+),$", bibliography, re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert "griffiths2004finding" in keys
    assert set(cited(PAGES)) <= set(keys)


def test_each_estimator_has_a_paper_to_cite():
    citing = (DOC / "citing.rst").read_text("utf-8")
    estimators = {
        name for name in sklda.__all__ if isinstance(getattr(sklda, name), type)
    }
    assert "CVBLDA" in estimators
    assert {name for name in estimators if f"``{name}``" not in citing} == set()
