"""Pages about made models, for the tests of the report."""

import json
import re

import numpy as np

import wordplane
from wordplane.data.corpus import Corpus
from wordplane.report import write_report
from wordplane.text.texts import as_texts


def made_corpus(n_classes, n_docs, seed=0):
    """Texts of one word of their class, a few of them of another one."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_docs - n_classes)])
    said = np.where(rng.random(n_docs) < 0.9, y, rng.integers(0, n_classes, n_docs))
    texts = [f"word{k} number {row}" for row, k in enumerate(said.tolist())]
    return Corpus(as_texts(texts), [f"class {k:03}" for k in y.tolist()], source="made.csv")


def fitted(corpus):
    return wordplane.TextClassifier(learner="nb", calibration=None).fit(corpus.texts, corpus.labels)


def page_of(tmp_path, model, corpus, **options):
    path = tmp_path / "r.html"
    write_report(path, model, corpus, **options)
    return path.read_text(encoding="utf-8")


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found.group(1))
