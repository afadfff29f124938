from benchmarks import corpora, medlda

draw = medlda.draw


def run(options) -> None:
    train, test = corpora.read_newsgroups(options)
    words = "no-stop-words" if options.drop_stop_words else "all-words"
    medlda.score(options, f"newsgroups-{words}", train, test)
