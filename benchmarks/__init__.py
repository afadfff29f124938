"""Benchmarks of sklda: `python -m benchmarks` lists what can be measured.

questions.toml declares each question family-kind with its options, and family.py
answers it: `run_kind(options)` measures rows or curves and writes them as JSON;
`draw_kind(reports, folder)` draws a figure of each report. The comparison with other
programs has `section_kind` instead, which fills a section of its page.
"""

import tomllib
from pathlib import Path

DECLARED = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))
# Chains from random topics, with priors that stay.
RANDOM = {"init": "random"}
PLAIN = {**RANDOM, "learn_priors": None}


def module_of(question: str) -> str:
    """Return the module that answers a question: its family, or the one it names."""
    family = question.partition("-")[0]
    return f"benchmarks.{DECLARED['question'][question].get('module', family)}"


def number(n: int, noun: str) -> str:
    return f"one {noun}" if n == 1 else f"{n} {noun}s"


def options_of(question: str) -> dict[str, dict]:
    """Return the options of a question with their keywords of argparse."""
    declared, options = DECLARED["question"][question], {}
    groups = [DECLARED["groups"][name] for name in declared.get("uses", ())]
    for group in (*groups, declared.get("options", {})):
        for name, value in group.items():
            settings = value if isinstance(value, dict) else {"default": value}
            options[name] = options.get(name, {}) | settings
    for name, settings in options.items():
        default = settings["default"]
        help_ = settings.get("help", DECLARED["help"].get(name, ""))
        settings["help"] = f"{help_} (default: {default})"
        if default is False:
            settings["action"] = "store_true"
        elif isinstance(default, list):
            settings |= {"nargs": "*", "type": type(default[0])}
            if isinstance(default[0], str):
                settings.setdefault("choices", default)
        else:
            settings["type"] = type(default)
    return options
