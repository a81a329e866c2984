"""What users do with texts and models, each a function that returns a result.

`train`, `tune`, `evaluate`, `compare`, `diagnose` and `audit` are importable from `wordplane`. The
command line parses, calls one of them and prints its result.
"""
