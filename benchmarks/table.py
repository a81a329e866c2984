"""The results as tables: all in docs/benchmarks.md, the main ones in README.md."""

import json
import re

from benchmarks.harness import RESULTS, ROOT

MARKS = ("<!-- measured by make bench -->\n", "<!-- end of the measurements -->\n")
# What README.md shows: subject, the beginning of the task, ours, the beginning of the peer.
HEADLINES = [
    ("text_engine", "count words+bigrams", "wordplane, 2 threads", "scikit-learn"),
    ("text_engine", "tf-idf words+bigrams", "wordplane, 2 threads", "scikit-learn"),
    ("text_engine", "count char_wb 3-5", "wordplane, 2 threads", "scikit-learn"),
    ("learners", "imdb, squared hinge, at defaults", "wordplane, 2 threads", "LIBLINEAR -s 1"),
    ("learners", "imdb, squared hinge, at defaults", "wordplane, 2 threads", "LinearSVC"),
    ("learners", "newsgroups20, squared hinge, at defaults", "wordplane, 2 threads", "LIBLINEAR"),
    ("learners", "newsgroups20, softmax, at defaults", "wordplane, 2 threads", "scikit-learn saga"),
    ("learners", "newsgroups20, perceptron", "wordplane", "scikit-learn"),
    ("commands", "train", "wordplane, --ngrams 1,2", "Vowpal Wabbit"),
    ("commands", "train", "wordplane, --ngrams 1,2", "fastText"),
    ("commands", "train", "wordplane, --ngrams 1,2", "scikit-learn"),
    ("commands", "predict", "wordplane, lines", "Vowpal Wabbit"),
    ("commands", "predict", "wordplane, lines", "fastText"),
    ("commands", "predict", "wordplane, lines", "scikit-learn"),
    ("latency", "one review", "wordplane", "scikit-learn"),
    ("tuning", "logistic regression", "wordplane tune", "GridSearchCV, 2 jobs"),
]


def reports():
    """What was measured, by subject."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}


def conditions(report):
    """One sentence about the machine and the day."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    return (
        f"Measured on {report['date']}: {report['cpu']}, {report['cores']} cores, "
        f"{report['gigabytes']} GB, Python {report['python']}; {versions}. Best of "
        f"up to {report['rounds']} rounds of runs that took turns."
    )


def write_table():
    """Both tables, from results/."""
    found = reports()
    lines = [
        "# Speed\n",
        "Written by `make bench`; what each task is, the files of `benchmarks/` say in their first "
        "lines. A ratio is the peer's time over ours (above 1: we are faster), with the smallest "
        "and the largest of single rounds; a goal that was missed is set in bold.\n",
    ]
    for subject, report in found.items():
        lines += [f"## {subject}\n", conditions(report) + "\n"]
        lines += ["| task | tool | | |", "| --- | --- | ---: | --- |"]
        for row in report["amounts"]:
            unit = next(u for u in ("seconds", "megabytes", "microseconds") if u in row)
            limit = f"at most {row['limit']:g}" if "limit" in row else ""
            if limit and row[unit] > row["limit"]:
                limit = f"**{limit}**"
            note = " ".join(filter(None, [limit, row.get("note")]))
            lines.append(f"| {row['task']} | {row['tool']} | {row[unit]:g} {unit} | {note} |")
        if report["ratios"]:
            lines += ["", "| task | ours | against | ratio | rounds | goal |"]
            lines += ["| --- | --- | --- | ---: | --- | --- |"]
        for row in report["ratios"]:
            goal = f"{row['goal']:g}x" if "goal" in row else ""
            if goal and row["ratio"] < row["goal"]:
                goal = f"**{goal}**"
            spread = "{:g} to {:g}".format(*row["spread"]) if "spread" in row else ""
            lines.append(
                f"| {row['task']} | {row['tool']} | {row['against']} | {row['ratio']:g}x "
                f"| {spread} | {goal} |"
            )
        lines.append("")
        if (RESULTS / f"{subject}.svg").exists():
            lines.append(f"![{subject}](../benchmarks/results/{subject}.svg)\n")
    (ROOT / "docs" / "benchmarks.md").write_text("\n".join(lines), encoding="utf-8")
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    begin, end = MARKS
    table = begin + "\n".join(headlines(found)) + "\n" + end
    text = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: table, text, flags=re.S)
    readme.write_text(text, encoding="utf-8")


def headlines(found):
    """The rows of README.md."""
    lines = ["| what | beside | times as fast |", "| --- | --- | ---: |"]
    for subject, task, tool, peer in HEADLINES:
        for row in found.get(subject, {"ratios": []})["ratios"]:
            if (
                row["task"].startswith(task)
                and row["tool"] == tool
                and row["against"].startswith(peer)
            ):
                name = row["task"].removesuffix(", at defaults")
                options = tool.partition(", ")[2]
                what = f"{name} ({options})" if options else name
                lines.append(f"| {what} | {row['against']} | {row['ratio']:.3g} |")
                break
    report = next(iter(found.values()), None)
    return [*lines, "", conditions(report)] if report else lines
