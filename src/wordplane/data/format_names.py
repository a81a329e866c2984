"""The formats that can be read, by the names of `--format`."""

FORMATS = (
    *("lines", "csv", "tsv", "jsonl", "json", "parquet", "arrow", "folder"),
    *("excel", "fasttext", "vw", "svmlight", "counts", "sqlite"),
)
