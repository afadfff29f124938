"""The page of the comparison, and all figures."""

import re
from importlib import import_module
from pathlib import Path
from string import Template

from benchmarks import DECLARED, compare, module_of
from benchmarks.harness import read
from benchmarks.programs import PEERS

HERE = Path(__file__).resolve().parent


def run(options) -> None:
    write_page(options.results / "compare", Path(options.doc or HERE.parent / "doc"))
    for name in DECLARED["question"]:
        family, _, kind = name.partition("-")
        reports = read(options.results / family, f"{kind}*") if kind else {}
        if reports and family != "compare":
            module = import_module(f"benchmarks.{family}")
            if hasattr(module, f"draw_{kind}"):  # the others have tables only
                getattr(module, f"draw_{kind}")(reports, options.results / family)


def write_page(folder: Path, doc: Path) -> None:
    images = doc / "images"
    images.mkdir(parents=True, exist_ok=True)
    text = (HERE / "page.rst").read_text(encoding="utf-8")
    head, *parts = re.split(r"^\.\. SECTION (\w+)\n", text, flags=re.MULTILINE)
    stored = read(folder)
    values = {"machines": _machines(stored)}
    values["shapes"] = compare.shapes(stored.values())
    sections = [Template(head).substitute(values)]
    for name, section in zip(parts[::2], parts[1::2], strict=True):
        reports = list(read(folder, f"{name}*").values())
        if reports:
            module = import_module(module_of(f"compare-{name}"))
            values = getattr(module, f"section_{name}")(reports, images)
            sections.append(Template(section).substitute(values))
    page = "\n\n".join(section.strip() for section in sections) + "\n"
    (doc / "benchmarks.rst").write_text(page, encoding="utf-8")


def _machines(reports: dict[str, dict]) -> str:
    """Return the machines, with what was measured on each if there are several."""
    questions, versions = {}, {}
    for name, report in reports.items():
        machine = report["machine"]
        packages = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())
        line = (
            f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; "
            f"{' '.join(machine['simd'])}. Versions: {packages}."
        )
        questions.setdefault(line, {})[f"``compare-{name.partition('-')[0]}``"] = None
        versions |= report.get("peers", {})
    lines = [
        f"Machine of {', '.join(names)}: {line}"
        if len(questions) > 1
        else f"Machine: {line}"
        for line, names in questions.items()
    ]
    known = {PEERS[name]: version for name, version in versions.items()}
    shown = [f"{p.label} {v}" for p, v in known.items() if p.package != "sklda"]
    lines += [f"Programs: {', '.join(shown)}."] if shown else []
    return "\n\n".join(lines)
