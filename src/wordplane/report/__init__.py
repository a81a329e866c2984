"""One page about a model: how good it is, why, and what to do next.

>>> import tempfile, wordplane
>>> from pathlib import Path
>>> corpus = wordplane.datasets.docstrings()
>>> model = wordplane.TextClassifier(learner="nb").fit(corpus.texts, corpus.labels)
>>> with tempfile.TemporaryDirectory() as folder:
...     write_report(Path(folder, "report.html"), model, corpus)  # doctest: +SKIP
"""

from wordplane.model.measurement import Measurement
from wordplane.model.measuring import measure, measure_unseen
from wordplane.report.page import write_report

__all__ = ["Measurement", "measure", "measure_unseen", "write_report"]
