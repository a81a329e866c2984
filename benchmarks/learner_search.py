"""One search over recipe, nb, svm and logistic, compared with GridSearchCV over svm and logistic.

Five folds, the same for all. `wordplane tune DATA` from the command line; scikit-learn's
GridSearchCV with two jobs over ten values of C of LinearSVC and LogisticRegression, on a Pipeline
with TfidfVectorizer (words and bigrams), as its documentation has it; and the same on a ready
matrix, which is fitted on all rows, held-out ones included. Each is a process of its own, from the
file to the result. Processor seconds are those of all cores: they depend less than seconds on what
else the machine does, and ratios are ratios of them.

    python benchmarks/learner_search.py > benchmarks/results/learner_search.md
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
SETS = {"customer_reviews": "CR", "sms_spam": "SMS", "rt_snippets": "RT-s"}
FOLDS, JOBS = 5, 2
OURS, PIPELINE, MATRIX = "wordplane tune", "GridSearchCV, Pipeline", "GridSearchCV, ready matrix"


def search(data, kind):
    """What scikit-learn finds; prints its best accuracy."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.pipeline import Pipeline
    from sklearn.svm import LinearSVC

    import wordplane
    from wordplane.selection.splitter import Splitter

    corpus = wordplane.read(data)
    texts, y = list(corpus.texts), np.array(list(corpus.labels))
    fold_of = np.zeros(len(y), dtype=int)
    for number, held in enumerate([held for _, held in Splitter(FOLDS).split(y.tolist())]):
        fold_of[held] = number
    values = wordplane.LinearSVM().tuning_grid()["C"]
    learners = (LinearSVC(), LogisticRegression(max_iter=1000))
    grid = [{"learner": [learner], "learner__C": list(values)} for learner in learners]
    steps = [("tfidf", TfidfVectorizer(ngram_range=(1, 2), binary=True)), ("learner", LinearSVC())]
    if kind == MATRIX:
        texts, steps = steps[0][1].fit_transform(texts), steps[1:]
    split = PredefinedSplit(fold_of)
    found = GridSearchCV(Pipeline(steps), grid, cv=split, n_jobs=JOBS, refit=False).fit(texts, y)
    print(json.dumps({"best": found.best_score_}))


def timed(command):
    """Seconds, processor seconds, and what was printed."""
    before, start = os.times(), time.perf_counter()
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True)
    seconds, after = time.perf_counter() - start, os.times()
    processor = after.children_user + after.children_system
    processor -= before.children_user + before.children_system
    return seconds, processor, json.loads(done.stdout)


def main():
    print("| texts | tool | seconds | processor seconds | best accuracy | recipe as it is |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    ratios = []
    for name, title in SETS.items():
        data = DATASETS / f"{name}.parquet"
        commands = {
            OURS: (sys.executable, "-m", "wordplane", "tune", data, "--json"),
            PIPELINE: (sys.executable, __file__, data, PIPELINE),
            MATRIX: (sys.executable, __file__, data, MATRIX),
        }
        processor = {}
        for tool, command in commands.items():
            seconds, processor[tool], printed = timed(command)
            score, recipe = printed.get("best"), ""
            if tool == OURS:
                trials = printed["trials"]
                score = max(trial["accuracy"] for trial in trials)
                own = [t for t in trials if t["learner"] == "recipe" and not t["parameters"]]
                recipe = f"{own[0]['accuracy']:.4f}"
            times = f"{seconds:.1f} | {processor[tool]:.1f}"
            print(f"| {title} | {tool} | {times} | {score:.4f} | {recipe} |", flush=True)
        ratios.append(
            f"{title}: {processor[OURS] / processor[PIPELINE]:.2f} of the processor time of "
            f"GridSearchCV on a Pipeline, {processor[OURS] / processor[MATRIX]:.2f} of that on a "
            "ready matrix"
        )
    print("\n" + "; ".join(ratios) + ".")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        search(sys.argv[1], sys.argv[2])
    else:
        main()
