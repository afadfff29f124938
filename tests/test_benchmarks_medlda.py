"""The benchmarks of supervised topics, and the corpora that they read.

Commands run on a corpus of a few documents; what they print of time is not looked at.
"""

import gzip
import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from benchmarks import corpora, medlda, reuters
from benchmarks import medlda_runs as runs

SGML = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" NEWID="1">
<TOPICS><D>grain</D><D>corn</D></TOPICS><PLACES><D>usa</D></PLACES>
<TEXT>&#2;
<TITLE>CORN &lt;CN> HARVEST</TITLE>
<DATELINE> Chicago, </DATELINE><BODY>A harvest
of corn.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" NEWID="2">
<TOPICS></TOPICS><TEXT TYPE="BRIEF">&#2;<TITLE>SHORT REUTER NEWS</TITLE></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" NEWID="3">
<TOPICS><D>grain</D></TOPICS><TEXT TYPE="UNPROC">&#2;WHEAT, RAW</TEXT>
</REUTERS>
<REUTERS TOPICS="YES" LEWISSPLIT="NOT-USED" CGISPLIT="TRAINING-SET" NEWID="4">
<TOPICS></TOPICS><TEXT><TITLE>T</TITLE><BODY>B</BODY></TEXT>
</REUTERS>
"""
STORIES = [
    ("train", ["grain", "corn"], "CORN <CN> HARVEST\nA harvest\nof corn."),
    ("test", [], "SHORT REUTER NEWS"),
    ("unused", ["grain"], "WHEAT, RAW"),
    ("unused", [], "T\nB"),
]


@pytest.fixture
def documents():
    """Return counts and classes that two groups of words tell apart."""
    rng = np.random.default_rng(1)
    y = np.tile([0, 19, 5], 20)
    rate = np.where(
        np.arange(12) % 3 == np.unique(y, return_inverse=True)[1][:, None], 3, 0.2
    )
    return sparse.csr_array(rng.poisson(rate).astype(np.int32)), y


@pytest.fixture
def newsgroups(tmp_path, documents):
    """Return a folder of the processed 20 Newsgroups, in miniature."""
    folder = tmp_path / "newsgroups"
    folder.mkdir()
    X, y = documents
    words = [f"word{w}" for w in range(10)] + ["the", "x"]
    (folder / "vocabulary.txt").write_text("\n".join(words) + "\n")
    parts = {"train": slice(0, 45), "test": slice(45, 60)}
    for part, rows in parts.items():
        cells = X[rows].tocoo()
        table = np.column_stack([cells.row + 1, cells.col + 1, cells.data])
        np.savetxt(folder / f"{part}.data.gz", table, fmt="%d")
        np.savetxt(folder / f"{part}.label", y[rows] + 1, fmt="%d")
    return folder


@pytest.fixture
def stories(tmp_path):
    """Return a folder of stories, in miniature."""
    folder = tmp_path / "reuters"
    folder.mkdir()
    rng = np.random.default_rng(0)
    lines = []
    for i in range(80):
        topics = [topic for topic in ("grain", "ship", "earn") if rng.random() < 0.5]
        body = " ".join(word for topic in topics for word in [topic, f"{topic}y"] * 3)
        part = "test" if i % 4 == 0 else "train"
        story = {"title": "news", "body": body, "topics": topics, "modapte": part}
        lines.append(json.dumps(story))
    path = folder / "reuters21578.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


def run_command(tmp_path, command, *options):
    """Run a command and return what it wrote, after a look at its figure."""
    pytest.importorskip("matplotlib")
    output = tmp_path / "output"
    medlda.main([command, *map(str, options), "--output", str(output)])
    (path,) = output.glob("*.json")
    assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    text = path.read_text()
    assert str(tmp_path) not in text
    return json.loads(text)


SHORT = ("--sweeps", 3, "--burn-in", 1)


# --- corpora -----------------------------------------------------------------


def test_stories_are_parsed():
    parsed = list(reuters.parse_sgml(SGML))
    assert [(s.part, s.topics, s.text.strip()) for s in parsed] == STORIES


def test_stories_are_read_from_both_kinds_of_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no \*\.sgm and no reuters21578"):
        list(reuters.read_stories(tmp_path))
    (tmp_path / "reut2-000.sgm").write_text(SGML, encoding="latin-1")
    assert len(list(reuters.read_stories(tmp_path))) == 4
    line = {"modapte": "test", "topics": ["oat"], "title": "T", "body": "B"}
    path = tmp_path / "reuters21578.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(line).encode()))
    assert list(reuters.read_stories(tmp_path)) == [("test", ["oat"], "T\nB")]


def test_stories_become_counts_and_indicators(stories):
    labels, train, test = reuters.load(stories, n_labels=2)
    assert len(labels) == 2
    assert (train.Y.shape, test.Y.shape) == ((60, 2), (20, 2))
    assert train.X.shape == (60, 7)  # news, three topics, three words made of them
    sizes = train.Y.sum(axis=0)
    assert sizes[0] >= sizes[1]
    assert (train.Y.sum(axis=1) == 0).any()


def test_modapte_has_its_known_sizes(shared_data):
    labels, train, test = reuters.load(shared_data / "reuters21578")
    assert labels[:4] == ["earn", "acq", "money-fx", "grain"]
    assert (train.Y.shape, test.Y.shape) == ((9603, 10), (3299, 10))
    assert train.Y.sum(axis=0)[:4].tolist() == [2877, 1650, 538, 433]
    assert test.Y.sum(axis=0)[:4].tolist() == [1087, 719, 179, 149]


def test_newsgroups_are_read_and_shuffled(newsgroups, documents):
    X, y = documents
    parts = corpora.read_newsgroups(newsgroups, stop_words=True)
    for (counts, classes), rows in zip(
        parts.values(), (slice(0, 45), slice(45, 60)), strict=True
    ):
        assert not np.array_equal(classes, y[rows])
        found = np.column_stack([counts.toarray(), classes])
        expected = np.column_stack([X[rows].toarray(), y[rows]])
        assert sorted(found.tolist()) == sorted(expected.tolist())


def test_stop_words_and_single_letters_are_dropped(newsgroups):
    whole = corpora.read_newsgroups(newsgroups, stop_words=True)["test"][0]
    some = corpora.read_newsgroups(newsgroups, stop_words=False)["test"][0]
    assert np.array_equal(some.toarray(), whole.toarray()[:, :10])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="vocabulary"):
        corpora.read_newsgroups(tmp_path, stop_words=True)


# --- fits --------------------------------------------------------------------


@pytest.mark.parametrize("name", runs.BASELINES)
def test_baselines_of_one_label_and_of_many(documents, name):
    X, y = documents
    topics = {} if name in runs.OF_WORDS else {"n_topics": 4}
    labels = np.column_stack([y == 0, y != 5]).astype(int)
    for target, measures in ((y, runs.ACCURACY), (labels, runs.F1)):
        data = X, target
        row = runs.run_baseline(name, data, data, measures, **topics)
        assert row["test"] == row["train"]
        assert set(row["test"]) == set(measures)
        assert min(row["test"].values()) > 0.9
        assert min(row["seconds"], row["predict_seconds"]) >= 0


@pytest.mark.parametrize("sampler", medlda.SAMPLERS)
@pytest.mark.parametrize("strategy", medlda.STRATEGIES)
def test_row_of_medlda_is_that_of_the_estimator(documents, sampler, strategy):
    train, test = ((part[:40], part[40:]) for part in documents)
    train, test = (train[0], test[0]), (train[1], test[1])
    settings = {"sampler": sampler, "multi_class": strategy, "C": 10.0, "max_iter": 9}
    row = runs.run_medlda(train, test, runs.ACCURACY, 3, 5, settings)
    fitted = runs.medlda(3, 5, **settings).fit(*train)
    assert row["train"]["accuracy"] == pytest.approx(fitted.score(*train), abs=6e-6)
    assert row["test"]["accuracy"] == pytest.approx(fitted.score(*test), abs=6e-6)
    assert row["seconds_per_sweep"] == pytest.approx(row["seconds"] / 9, abs=6e-6)


def test_f1_is_that_of_scikit_learn():
    y, predicted = np.array([[1, 0], [1, 1]]), np.array([[1, 1], [0, 1]])
    scores = runs._scores(runs.F1, y, predicted)
    for average in ("micro", "macro"):
        expected = f1_score(y, predicted, average=average)
        assert scores[f"{average} F1"] == pytest.approx(expected, abs=6e-6)


def test_first_documents_keep_only_their_words():
    X = sparse.csr_array([[1, 0, 0, 2], [0, 0, 3, 0], [0, 1, 0, 0]])
    some, y = runs.first_documents((X, np.arange(3)), 2)
    assert some.toarray().tolist() == [[1, 0, 2], [0, 3, 0]]
    assert y.tolist() == [0, 1]


# --- tables ------------------------------------------------------------------


def row(method, accuracy, seconds=1.0, **facts):
    return {
        "method": method,
        "test": {"accuracy": accuracy},
        "seconds": seconds,
    } | facts


def test_summary_takes_medians_over_starts_and_puts_baselines_of_words_last():
    rows = [
        row("bayes", 0.9, seed=0),
        row("light", 0.4, 1.0, n_topics=20, seed=0),
        row("light", 0.6, 2.0, n_topics=20, seed=1),
        row("gibbs", 0.5, 9.0, n_topics=20, seed=0),
        row("light", 0.7, 3.0, n_topics=50, seed=0),
    ]
    table = medlda.summary(rows)
    order = [(r["method"], r["n_topics"], r["starts"]) for r in table]
    assert order == [
        ("light", 20, 2),
        ("light", 50, 1),
        ("gibbs", 20, 1),
        ("bayes", None, 1),
    ]
    assert table[0]["median"]["accuracy"] == 0.5
    assert table[0]["range"]["accuracy"] == [0.4, 0.6]
    assert table[0]["seconds"] == 1.5


def test_methods_are_named_by_what_is_not_the_default():
    options = ["--newsgroups-home", ".", "--output", "."]
    options += ["--samplers", "light", "gibbs", "--sweeps", "75"]
    methods = medlda.settings_of(medlda.parse(["newsgroups", *options]))
    assert list(methods) == [
        "multitask, light, max_iter = 75",
        "multitask, gibbs, max_iter = 75",
    ]
    assert methods["multitask, gibbs, max_iter = 75"] == {
        "sampler": "gibbs",
        "multi_class": "multitask",
        "C": 102.4,
        "prior_precision": 1000.0,
        "n_mh_steps": 6,
        "n_weight_steps": 2,
        "max_iter": 75,
        "burn_in": 24,
    }


# --- commands ----------------------------------------------------------------


def test_newsgroups_command_adds_rows_to_those_of_earlier_runs(
    tmp_path, newsgroups, capsys
):
    options = ["--newsgroups-home", newsgroups, *SHORT]
    report = run_command(
        tmp_path, "newsgroups", *options, "--topics", 2, 20, "--starts", 2
    )
    assert len(report["rows"]) == 3 + 4 + 4
    assert report["train"]["documents"] == 45
    assert (report["words"], report["options"]["beta"]) == (12, 0.01)
    assert set(report["machine"]) == {"cpu", "cores", "simd", "system", "versions"}
    options += ["--strategies", "ovr", "--topics", 2, "--baselines", "naive Bayes"]
    report = run_command(tmp_path, "newsgroups", *options)
    assert len(report["rows"]) == 3 + 4 + 4 + 1
    assert [r["method"] for r in report["rows"]].count("naive Bayes") == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "LightMedLDA, multitask 20 - 0.683 28.7" in printed


def test_binary_command_takes_two_classes(tmp_path, newsgroups, capsys):
    options = ["--newsgroups-home", newsgroups, *SHORT, "--topics", 3]
    report = run_command(tmp_path, "binary", *options)
    assert report["train"]["documents"] == 30
    assert len(report["rows"]) == 5
    assert "The paper: about 0.80" in capsys.readouterr().out


def test_reuters_command_scores_f1(tmp_path, stories):
    options = ["--reuters-home", stories, *SHORT, "--topics", 5]
    options += ["--strategies", "multitask", "ovr"]
    report = run_command(tmp_path, "reuters", *options)
    assert sorted(report["labels"]) == ["earn", "grain", "ship"]
    assert len(report["rows"]) == 2 + 4
    for fitted in report["rows"]:
        assert list(fitted["test"]) == ["micro F1", "macro F1"]


def test_growth_command_times_topics_and_documents(tmp_path, newsgroups):
    options = ["--newsgroups-home", newsgroups, "--samplers", "light", "gibbs"]
    options += ["--topics", 2, 3, "--documents", 20, 45, "--fixed-topics", 3]
    report = run_command(tmp_path, "growth", *options)
    cases = [(r["n_topics"], r["documents"]) for r in report["rows"]]
    assert cases == [(2, 45), (3, 45), (3, 20)] * 2


def test_figures_command_draws_the_same_again(tmp_path, newsgroups):
    options = ["--newsgroups-home", newsgroups, *SHORT, "--topics", 2, "--baselines"]
    run_command(tmp_path, "newsgroups", *options, "--drop-stop-words")
    (figure,) = (tmp_path / "output").glob("*.png")
    assert figure.name == "newsgroups-no-stop-words.png"
    drawn = figure.read_bytes()
    figure.unlink()
    medlda.main(["figures", "--output", str(tmp_path / "output")])
    assert figure.read_bytes() == drawn
