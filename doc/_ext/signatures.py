"""Signatures of classes: the parameters of ``__init__``, as ``help`` shows them.

autodoc prefers ``__new__``, which takes anything in our estimators.
"""

import inspect

from sphinx.util.inspect import stringify_signature


def show_parameters(app, what, name, obj, options, signature, returned):
    """Return the signature of a class as Python sees it, without types."""
    if what == "class":
        parameters = inspect.signature(obj)
        return stringify_signature(parameters, show_annotation=False), returned
    return None


def setup(app):
    """Change what autodoc has found."""
    app.connect("autodoc-process-signature", show_parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
