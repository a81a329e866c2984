"""Reviews that are mostly learned right, and a check of what results show in notebooks."""

from html.parser import HTMLParser

import numpy as np

WORDS = {"pos": ["great", "fine", "lovely", "good"], "neg": ["dull", "bad", "awful", "poor"]}


def reviews(n=80, seed=0):
    """Texts and labels that a learner gets right mostly."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["pos", "neg"], n).tolist()
    noise = [f"word{i}" for i in range(30)]
    texts = [" ".join([*rng.choice(noise, 4), rng.choice(WORDS[y]), "film"]) for y in labels]
    return texts, labels


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "svg", "img")
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_html(html):
    """Every tag is closed, and no text of strangers is one."""
    parser = _Tags()
    parser.feed(html)
    assert parser.open == []
