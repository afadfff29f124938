"""The gallery: its order, and thumbnails of examples that this build does not run.

`make html` shows the thumbnails in ``images/thumbnails``; `make store` runs the
examples and stores theirs.
"""

import shutil
from pathlib import Path

from PIL import Image

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STORE = Path(__file__).resolve().parents[1] / "images" / "thumbnails"
SIZE, COLORS = (400, 280), 24


def place(path) -> int:
    """Return where the index of the gallery names an example."""
    index = (EXAMPLES / "index.rst").read_text(encoding="utf-8")
    return index.find(Path(path).name)


def store(picture: Path, name: str) -> None:
    """Store a picture as the thumbnail of an example, in a few kilobytes."""
    with Image.open(picture) as image:
        small = Image.new("RGB", SIZE, "white")
        image = image.convert("RGBA")
        image.thumbnail(SIZE, Image.Resampling.LANCZOS)
        corner = (SIZE[0] - image.width) // 2, (SIZE[1] - image.height) // 2
        small.paste(image, corner, image)
    STORE.mkdir(exist_ok=True)
    path = STORE / f"{name}.png"
    small.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


def show_or_store(app):
    """Replace placeholders by stored thumbnails, or store those of the examples."""
    gallery = app.config.sphinx_gallery_conf
    run = gallery["filename_pattern"].split("|") if gallery["plot_gallery"] else []
    for path in sorted(EXAMPLES.glob("plot_*.py")):
        thumb = Path(app.srcdir, gallery["gallery_dirs"], "images", "thumb")
        thumb /= f"sphx_glr_{path.stem}_thumb.png"
        stored = STORE / f"{path.stem}.png"
        if path.name.replace(".", "\\.") not in run:
            if stored.is_file():
                shutil.copy(stored, thumb)
        elif app.tags.has("store"):
            store(thumb, path.stem)


def setup(app):
    """Come after sphinx-gallery, which writes its pages when the builder begins."""
    app.connect("builder-inited", show_or_store, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
