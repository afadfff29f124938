"""The history of sklda itself, by asv."""

import shlex
import subprocess
import sys
from pathlib import Path


def run(options) -> None:
    command, *others = shlex.split(options.asv)
    config = str(Path(__file__).with_name("asv.conf.json"))
    asv = ["asv", command, "--config", config, *others]
    sys.exit(subprocess.run(asv, check=False).returncode)
