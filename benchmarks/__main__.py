"""The command line: a command for each question."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from importlib import import_module
from pathlib import Path

from benchmarks import DECLARED, module_of, options_of

RESULTS = Path(__file__).with_name("results")
ABOUT = {name: d["about"] for name, d in DECLARED["question"].items()}


def parse(argv=None):
    parser = ArgumentParser(prog="python -m benchmarks")
    commands = parser.add_subparsers(dest="question", metavar="QUESTION")
    for name, about in ABOUT.items():
        text = {"help": about.splitlines()[0], "description": about}
        text["formatter_class"] = RawDescriptionHelpFormatter
        command = commands.add_parser(name, **text)
        command.add_argument("--results", type=Path, default=RESULTS)
        for option, settings in options_of(name).items():
            command.add_argument("--" + option.replace("_", "-"), **settings)
    options = parser.parse_args(argv)
    least = max(getattr(options, "every", 1), getattr(options, "first", 0) + 1)
    for name in ("sweeps", "last"):
        if getattr(options, name, least) < least:
            parser.error(f"--{name} must be at least {least}")
    return options


def main(argv=None) -> None:
    options = parse(argv)
    if options.question is None:
        print("python -m benchmarks QUESTION [options]; --help after one lists them\n")
        for name, about in ABOUT.items():
            print(f"  {name:18} {about.splitlines()[0]}")
        return
    family, _, kind = options.question.partition("-")
    options.folder = options.results / family
    module = import_module(module_of(options.question))
    getattr(module, f"run_{kind or family}")(options)


if __name__ == "__main__":
    main()
