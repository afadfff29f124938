from benchmarks import corpora, medlda

draw = medlda.draw_scores


def run(options) -> None:
    stop_words = not options.drop_stop_words
    parts = corpora.read_newsgroups(options.newsgroups_home, stop_words=stop_words)
    name = "newsgroups-all-words" if stop_words else "newsgroups-no-stop-words"
    medlda.score(options, name, parts["train"], parts["test"])
