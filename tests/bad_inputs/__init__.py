"""Kinds of bad input, by the section and the name that `docs/bad-input.md` gives them."""

from tests.bad_inputs import delimited, files, lines, records, values

FILES = {
    "Files": files.FILES,
    "Compressed files": files.COMPRESSED,
    "Encodings and characters": files.ENCODING,
    "Columns and options that do not fit": files.CHOICES,
    "CSV: fields and headers": delimited.FIELDS,
    "CSV: labels": delimited.LABELS,
    "CSV: texts": delimited.TEXTS,
    "CSV: weights, ids and splits": delimited.NUMBERS,
    "JSON lines": records.JSON,
    "JSON lines: types of labels": records.TYPES,
    "Parquet and Arrow": records.COLUMNAR,
    "Lines": lines.PLAIN,
    "Counts": lines.COUNTS,
    "fastText": lines.FASTTEXT,
    "Vowpal Wabbit": lines.VW,
    "svmlight": lines.SVMLIGHT,
    "Folders": lines.FOLDERS,
}
VALUES = {
    "Python: texts": values.PYTHON_TEXTS,
    "Python: labels": values.PYTHON_LABELS,
    "Python: weights": values.PYTHON_WEIGHTS,
}
