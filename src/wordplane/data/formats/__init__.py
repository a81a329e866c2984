"""One module per file format: rows in the order of the file, columns chosen by name."""
