"""Labels in the cells of tables whose heads telephones do not show.

``sklda.css`` stacks the cells of a table with the class ``labelled`` on narrow screens.
The heading of its column then stands before what a cell says.
"""

from docutils import nodes


def add_labels(app, doctree):
    """Write the headings of columns, but for the first, into the cells below them."""
    for table in doctree.findall(nodes.table):
        if "labelled" not in table["classes"]:
            continue
        (head,) = table.findall(nodes.thead)
        titles = [entry.astext() for entry in head.findall(nodes.entry)]
        (body,) = table.findall(nodes.tbody)
        for row in body.findall(nodes.row):
            for entry, title in list(zip(row.children, titles, strict=True))[1:]:
                if title and entry.children:
                    mark = "" if title.endswith("?") else ":"
                    label = nodes.inline(
                        "", f"{title}{mark} ", classes=["column-label"]
                    )
                    entry.children[0].insert(0, label)


def setup(app):
    """Change pages once they are read."""
    app.connect("doctree-read", add_labels)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
