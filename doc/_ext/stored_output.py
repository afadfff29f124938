"""The output of examples, and of pages whose data or packages a machine may lack.

`make store` runs them and stores in ``stored_output`` what each block of code
gave, with the code: a test compares it with the page.
"""

import json
import shutil
from pathlib import Path

from PIL import Image

STORE = Path(__file__).resolve().parents[1] / "stored_output"
COLORS = 256  # with fewer, bars of colours have false bands


def load(page):
    """Return (printed, pictures) of each block of a page, or None if none is stored."""
    folder = STORE / page
    if not folder.is_dir():
        return None
    blocks = json.loads((folder / "output.json").read_text(encoding="utf-8"))
    return [
        (block["printed"], [(folder / name, alt) for name, alt in block["pictures"]])
        for block in blocks
    ]


def store(page, codes, outputs):
    """Store what the blocks of a page gave; pictures have at most `COLORS` colours."""
    folder = STORE / page
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    blocks = []
    for code, (printed, pictures) in zip(codes, outputs, strict=True):
        for path, _ in pictures:
            with Image.open(path) as image:
                # The default method merges rare colours, such as those of such a bar.
                small = image.convert("RGB").quantize(
                    COLORS,
                    Image.Quantize.MAXCOVERAGE,
                    kmeans=1,
                    dither=Image.Dither.NONE,
                )
                small.save(folder / path.name, optimize=True)
        names = [(path.name, alt) for path, alt in pictures]
        blocks.append({"code": code, "printed": printed, "pictures": names})
    text = json.dumps(blocks, indent=1, ensure_ascii=False)
    (folder / "output.json").write_text(f"{text}\n", encoding="utf-8")
