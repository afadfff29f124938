"""Formulas as MathML: browsers draw it by themselves, no script, no network."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def visit_inline(writer, node):
    """Write a formula in a line of text."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def visit_display(writer, node):
    """Write a formula on lines of its own."""
    formula = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="math">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Offer it to Sphinx; `html_math_renderer` chooses it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
