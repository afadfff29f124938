"""The site of all versions: a folder for each, and the list that pages switch by.

``make -C doc deploy SITE=folder`` builds the pages with the switcher and calls this
script, which puts them into the folder of the site: ``dev`` for a development version,
``0.1`` for 0.1.0 and its patch releases. ``stable`` has a copy of the newest release.
The folder must be kept from one deploy to the next.
"""

import argparse
import json
import re
import shutil
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
LIST = "switcher.json"
VERSION = re.compile(r"VERSION: '([^']+)'")  # as Sphinx writes it
RELEASE = re.compile(r"\d+\.\d+")
FRONT = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={folder}/">
<title>sklda</title>
<a href="{folder}/">The documentation of sklda</a>
</html>
"""
PROGRAMS = """# sklda

- [All pages, with addresses relative to this list]({folder}/llms.txt)
"""


def folder_of(version: str) -> str:
    """Return the folder of a version: dev, or major and minor number of a release."""
    return "dev" if ".dev" in version else RELEASE.match(version)[0]


def theme_options(version: str) -> dict:
    """Return the options of the theme that add the switcher to the pages.

    The theme reads the list relative to the folder of the version. It is not there
    during the build, so it is not checked.
    """
    switcher = {"json_url": f"../{LIST}", "version_match": folder_of(version)}
    return {
        "switcher": switcher,
        "check_switcher": False,
        "navbar_start": ["navbar-logo", "version-switcher"],
        "show_version_warning_banner": True,
    }


def releases(site: Path) -> list[str]:
    """Return the folders of releases, the newest first."""
    names = (path.name for path in site.iterdir() if path.is_dir())
    found = filter(RELEASE.fullmatch, names)
    return sorted(found, key=lambda name: [*map(int, name.split("."))], reverse=True)


def entries(site: Path, base: str) -> list[dict]:
    """Return what the switcher lists; `base` is the path of the site on its host."""
    newest, *others = releases(site) or [None]
    found = []
    if (site / "dev").is_dir():
        found.append({"name": "dev", "version": "dev", "url": f"{base}dev/"})
    if newest:
        stable = {"name": f"{newest} (stable)", "version": newest, "preferred": True}
        found.append(stable | {"url": f"{base}stable/"})
    return found + [{"version": name, "url": f"{base}{name}/"} for name in others]


def deploy(pages: Path, site: Path, base: str) -> None:
    """Put built pages into the site, and write what leads to them."""
    if LIST not in (pages / "index.html").read_text(encoding="utf-8"):
        raise SystemExit("These pages have no switcher: build with -t deployed.")
    options = pages / "_static" / "documentation_options.js"
    folder = folder_of(VERSION.search(options.read_text(encoding="utf-8"))[1])
    base = f"/{base.strip('/')}/".replace("//", "/")
    site.mkdir(parents=True, exist_ok=True)
    _replace(site / folder, pages)
    newest = next(iter(releases(site)), None)
    if newest == folder:
        _replace(site / "stable", pages)
    text = json.dumps(entries(site, base), indent=1)
    (site / LIST).write_text(f"{text}\n", encoding="utf-8")
    front = "stable" if newest else "dev"
    (site / "index.html").write_text(FRONT.format(folder=front), encoding="utf-8")
    (site / "llms.txt").write_text(PROGRAMS.format(folder=front), encoding="utf-8")
    (site / ".nojekyll").touch()  # or GitHub Pages would leave out _static


def _replace(folder: Path, pages: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(pages, folder, ignore=shutil.ignore_patterns(".buildinfo"))


def path_of_site() -> str:
    """Return the path of the documentation on its host."""
    urls = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["urls"]
    return urlsplit(urls["Documentation"]).path


def main(argv=None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", type=Path, help="folder of the built pages")
    parser.add_argument("site", type=Path, help="folder of all versions")
    about = "path of the site on its host, by default that in pyproject.toml"
    parser.add_argument("--base", default=path_of_site(), help=about)
    deploy(**vars(parser.parse_args(argv)))


if __name__ == "__main__":
    main()
