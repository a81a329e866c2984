"""Models where Python is not: in a browser, in Node."""
