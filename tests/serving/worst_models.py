"""Models whose answers are expensive: many labels, long labels, a tree of labels."""

import wordplane

WORDS = [f"word{k}" for k in range(50)]


def save_model(path, labels, learner="nb"):
    """Save a model of so many labels that knows a few words."""
    texts = [f"{WORDS[i % 50]} {WORDS[i // 50 % 50]}" for i in range(len(labels))]
    analyzer = wordplane.Analyzer(ngrams=(1, 1))
    model = wordplane.TextClassifier(analyzer, learner, calibration=None).fit(texts, labels)
    model.save(path)
    return path


def save_worst(folder):
    """The models by name, as `serve` takes them."""
    names = {
        "many": [f"label-{i:05}" for i in range(20_000)],
        "thousand": [f"label-{i}" for i in range(1000)],
        "numbers": list(range(2000)),
    }
    paths = [save_model(folder / f"{name}.wordplane", labels) for name, labels in names.items()]
    leaves = [f"leaf-{i}" for i in range(500)]
    return [*paths, save_model(folder / "tree.wordplane", leaves, "tree")]
