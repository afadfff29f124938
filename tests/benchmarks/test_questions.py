"""Every question runs, with very few sweeps, and shows what it has measured.

What is printed of time is not tested.
"""

import json
import re
from pathlib import Path

import pytest

from benchmarks import DECLARED
from benchmarks.__main__ import main, parse

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
ONE = "--corpora kos --topics 3"
COMPARE = f"{ONE} --peers sklda sklda-fit"
CHAINS = "--starts 2 --sweeps 6 --jobs 1 --topics 3"
TINY = {
    "compare-speed": f"{COMPARE} --seeds 0 --first 2 --last 4",
    "compare-quality": f"{COMPARE} --seeds 0 --sweeps 5",
    "compare-process": COMPARE,
    "compare-size": "--peers sklda --tokens 0.002 0.004 --words 80 --topics 3"
    " --vocabularies 20 --tokens-of-words 0.002 --other-topics 2"
    " --tokens-of-topics 0.002 --first 1 --first-of-random 2 --timed 2",
    "blocking-bars": "--samplers single-site --documents 300 --starts 2 --sweeps 12"
    " --jobs 1",
    "blocking-chains": f"--corpora kos counts --samplers single-site nested-2 {CHAINS}",
    "blocking-speed": "--corpora kos --samplers single-site --topics 2 4 --first 1"
    " --sweeps 4",
    "parallel-chains": "--corpora kos --samplers collapsed-1 sharded-2"
    " partially-collapsed-2 --topics 3 --starts 2 --sweeps 6",
    "diagnostics-chains": "--samplers single-site uncollapsed --topics 3 --starts 2"
    " --sweeps 40 --burn-in 10 --thin 1",
    "diagnostics-calibration": "--samplers nested-2 --replications 5 --burn-in 3"
    " --thin 1 --jobs 1",
    "genes-chains": "--cells 30 --columns 200 --tokens-of-genes 100"
    " --tokens-of-regions 80 --planted 2 --topics 3 --sweeps 6",
    "ecgs-chains": f"{CHAINS} --strategies standard dynamic-10 shortcut --every 3",
    "ecgs-speed": "--topics 2 100 --first 1 --sweeps 4",
    "ecgs-shards": "--topics 2 3 --starts 2 --shards 1 2 --sweeps 3",
    "cvb-convergence": CHAINS,
    "cvb-speed": "--topics 2 3 --first 1 --sweeps 3",
    "cvb-stream": "--corpus addresses --topics 3 --batch 50 --passes 1 --starts 2",
    "topics-planted": "--shapes short skewed --topics 2 --grid 2 4 --documents 40"
    " --words 20 --folds 2 --sweeps 3",
    "topics-hierarchical": "--shapes short skewed --topics 2 3 --bound 5 --documents 40"
    " --words 20 --sweeps 6",
    "topics-curves": "--corpora kos --topics 2 4 --folds 2 --sweeps 3",
    "covariates-coverage": "--corpora 2 --documents 20 --words 15 --length 10"
    " --topics 2 --burn-in 10 --draws 2 4 --jobs 1",
    "covariates-heldout": "--covariates-home POSTS --topics 2 3 --starts 2 --sweeps 20",
    "covariates-peers": "--covariates-home POSTS --topics 2 --starts 1 --sweeps 300",
    "medlda-corpora": "--newsgroups-home NEWS --reuters-home STORIES"
    " --covariates-home POSTS --topics 2 3 --topics-of-pair 2 3",
}
TABLES_ONLY = {"topics-planted", "covariates-coverage"}
TABLES_ONLY |= {"covariates-heldout", "covariates-peers", "medlda-corpora"}


def run(tmp_path, question, options="") -> dict[str, dict]:
    """Answer a question, and return the reports that it wrote."""
    folders = {"NEWS": "newsgroups", "STORIES": "reuters", "POSTS": "posts"}
    for word, folder in folders.items():
        options = options.replace(word, str(tmp_path / folder))
    results = tmp_path / "results"
    main([question, *options.split(), "--results", str(results)])
    texts = {p.stem: p.read_text() for p in results.glob("*/*.json")}
    assert not any(str(tmp_path) in text for text in texts.values())
    return {name: json.loads(text) for name, text in texts.items()}


@pytest.fixture
def tiny(tmp_path, counts, local_workers, newsgroups, stories, posts):
    """Answer a question about a tiny corpus."""
    return lambda question, more="": run(tmp_path, question, f"{TINY[question]} {more}")


def test_every_question_is_tried_here():
    assert {*TINY, "pages"} == set(DECLARED["question"])


@pytest.mark.filterwarnings(
    "ignore:.* draws are too few",
    "ignore:.* drift from",
    "ignore:.* topics have no tokens",
    "ignore:.* had not arrived at the end of the burn-in",
)
@pytest.mark.parametrize("question", TINY)
def test_question_runs_and_is_shown(question, tmp_path, tiny, pyplot):
    family, _, kind = question.partition("-")
    if family in ("blocking", "parallel", "diagnostics"):
        pytest.importorskip("arviz_stats")
    if question == "covariates-peers":
        pytest.importorskip("topica")
    reports = tiny(question)
    assert reports
    for report in reports.values():
        assert {"cpu", "simd", "cores", "system", "versions"} == set(report["machine"])
        assert {"alpha", "beta"} <= set(report["options"])
    run(tmp_path, "pages", f"--doc {tmp_path / 'doc'}")
    if family == "compare":
        text = (tmp_path / "doc" / "benchmarks.rst").read_text()
        assert "Machine of " in text
        assert str(tmp_path) not in text
        images = (tmp_path / "doc" / "images").glob("*.png")
        assert len(list(images)) == (kind in ("quality", "size"))
    else:
        figures = {path.stem for path in (tmp_path / "results" / family).glob("*.png")}
        assert figures == (set() if question in TABLES_ONLY else set(reports))


@pytest.mark.parametrize(
    "fault", ["compare-speed --last 20", "blocking-speed --first 60"]
)
def test_what_would_measure_nothing_is_refused(fault, capsys):
    with pytest.raises(SystemExit):
        parse(fault.split())
    assert "must be at least" in capsys.readouterr().err


def test_without_a_question_all_are_listed(capsys):
    main([])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(DECLARED["question"])
    assert all(len(line) <= 92 for line in lines)


def test_page_and_figures_are_those_of_the_stored_results(tmp_path, pyplot):
    for path in RESULTS.glob("*/*.json"):
        copy = tmp_path / "results" / path.relative_to(RESULTS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    run(tmp_path, "pages", f"--doc {tmp_path / 'doc'}")
    page = (tmp_path / "doc" / "benchmarks.rst").read_text(encoding="utf-8")
    assert page == (ROOT / "doc" / "benchmarks.rst").read_text(encoding="utf-8")
    stored = {path.relative_to(RESULTS) for path in RESULTS.glob("*/*.png")}
    drawn = (tmp_path / "results").glob("*/*.png")
    assert {path.relative_to(tmp_path / "results") for path in drawn} == stored


def test_private_names_of_sklda_are_in_one_file():
    texts = {path: path.read_text() for path in RESULTS.parent.rglob("*.py")}
    private = re.compile(r"from sklda[\w.]*\._")
    using = [path.name for path, text in texts.items() if private.search(text)]
    assert using == ["ours.py"]
    assert not any("import _" in text for text in texts.values())
