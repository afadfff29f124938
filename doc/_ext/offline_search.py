"""Search in pages that are opened as files, without a server.

Sphinx shows some text of each page that it finds, and fetches the page for it. No
browser lets a file fetch another, so each result would be an error on the console.
"""

IS_FILE = 'location.protocol === "file:"'
WITHOUT_TEXT = f"if ({IS_FILE}) DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;"


def setup(app):
    """Add the script to the pages."""
    app.add_js_file(None, body=WITHOUT_TEXT)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
