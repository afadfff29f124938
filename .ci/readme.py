"""The README as package pages show it: with whole addresses instead of relative ones.

In a checkout, and on the host, links and pictures of the README are relative. A page of
a package index has no folder that they could mean.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

# `text <target>`__ and the picture; what has a scheme is an address already.
LINK = re.compile(r"(?<=<)(?!\w+:)([\w./-]+)(?=>`__)")
IMAGE = re.compile(r"(?<=\.\. image:: )(?!\w+:)(\S+)")


def with_addresses(readme: str, repository: str, tag: str) -> str:
    """Return the README with the addresses of the files of a tag in the repository."""
    readme = LINK.sub(rf"{repository}/blob/{tag}/\1", readme)
    return IMAGE.sub(rf"{repository}/raw/{tag}/\1", readme)


class CustomMetadataHook(MetadataHookInterface):
    """Hatchling asks this class for what pyproject.toml calls dynamic."""

    def update(self, metadata: dict) -> None:
        """Enter the README, for which a development version names the branch main."""
        version = metadata["version"]
        tag = "main" if "dev" in version else f"v{version}"
        readme = Path(self.root, "README.rst").read_text(encoding="utf-8")
        text = with_addresses(readme, metadata["urls"]["Repository"], tag)
        metadata["readme"] = {"content-type": "text/x-rst", "text": text}
