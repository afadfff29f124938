"""The gallery: its order, and its thumbnails, made from the pictures that are stored.

sphinx-gallery turns the scripts into pages and runs none of them: `page_output` shows
what their code gives. A thumbnail is the first picture of a script, or the one that the
comment ``sphinx_gallery_thumbnail_number`` names.
"""

import re
from pathlib import Path

import stored_output
from PIL import Image

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NUMBER = re.compile(r"^# sphinx_gallery_thumbnail_number = (\d+)$", re.MULTILINE)
SIZE = 400, 280


def place(path) -> int:
    """Return where the index of the gallery names an example."""
    index = (EXAMPLES / "index.rst").read_text(encoding="utf-8")
    return index.find(Path(path).name)


def chosen_picture(script: Path) -> Path | None:
    """Return the stored picture that stands for an example, or None."""
    outputs = stored_output.load(f"auto_examples/{script.stem}") or []
    pictures = [path for _, drawn in outputs for path, _ in drawn]
    number = NUMBER.search(script.read_text(encoding="utf-8"))
    place = int(number[1]) if number else 1
    return pictures[place - 1] if len(pictures) >= place else None


def thumbnail(picture: Path) -> Image.Image:
    """Return a picture in the size of a thumbnail, whole and in the middle."""
    small = Image.new("RGB", SIZE, "white")
    with Image.open(picture) as image:
        image = image.convert("RGBA")
        image.thumbnail(SIZE, Image.Resampling.LANCZOS)
        corner = (SIZE[0] - image.width) // 2, (SIZE[1] - image.height) // 2
        small.paste(image, corner, image)
    return small


def make_thumbnails(app):
    """Put thumbnails where sphinx-gallery has put placeholders."""
    folder = Path(app.srcdir, app.config.sphinx_gallery_conf["gallery_dirs"])
    for script in sorted(EXAMPLES.glob("plot_*.py")):
        if picture := chosen_picture(script):
            name = f"sphx_glr_{script.stem}_thumb.png"
            thumbnail(picture).save(folder / "images" / "thumb" / name)


def setup(app):
    """Come after sphinx-gallery, which writes its pages when the builder begins."""
    app.connect("builder-inited", make_thumbnails, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
