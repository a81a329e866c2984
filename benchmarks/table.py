"""The results as tables: docs/benchmarks.md has all, README.md and docs/index.md the main ones."""

import json
import re
from datetime import date, timedelta

from benchmarks.baselines_and_bigrams import PUBLISHED, SETS
from benchmarks.harness import RESULTS, ROOT

SPEED = ("<!-- measured by make bench -->\n", "<!-- end of the measurements -->\n")
ACCURACY = ("<!-- measured by make tables -->\n", "<!-- end of the tables -->\n")
TITLES = {
    "text_engine": "Counting words and characters",
    "learners": "Learners",
    "commands": "Commands, from a shell",
    "latency": "One text at a time",
    "tuning": "Tuning and learning curves",
    "regression": "Regression",
    "neighbors": "Nearest neighbors",
    "vectors": "Word vectors",
    "growth": "Growth",
}
UNITS = {
    "seconds": "s",
    "microseconds": "µs",
    "megabytes": "MB",
    "times": "times",
    "exponent": "",
}
# What README.md shows: the task in words, then subject, task, ours, and the beginning of the peer.
HEADLINES = [
    (
        "count words and bigrams",
        "text_engine",
        "count words+bigrams",
        "wordplane, 2 threads",
        "scikit-learn",
    ),
    (
        "train an SVM on IMDB",
        "learners",
        "imdb, squared hinge, at defaults",
        "wordplane, 2 threads",
        "LIBLINEAR -s 1",
    ),
    ("train on 25,000 reviews", "commands", "train", "wordplane, --ngrams 1,2", "fastText"),
    ("label 25,000 reviews", "commands", "predict", "wordplane, lines", "Vowpal Wabbit"),
    ("label one review", "latency", "one review", "wordplane", "scikit-learn"),
]
# What docs/index.md shows: the task in words, then subject, task and ours; one column per peer.
AT_A_GLANCE = [
    ("train on 25,000 reviews", "commands", "train", "wordplane, --ngrams 1,2"),
    ("label 25,000 reviews", "commands", "predict", "wordplane, lines"),
    ("label one review", "latency", "one review", "wordplane"),
    (
        "count words and bigrams",
        "text_engine",
        "count words+bigrams",
        "wordplane, 2 threads",
    ),
    (
        "train an SVM, 2 classes",
        "learners",
        "imdb, squared hinge, at defaults",
        "wordplane, 2 threads",
    ),
    (
        "train an SVM, 20 classes",
        "learners",
        "newsgroups20, squared hinge, at defaults",
        "wordplane, 2 threads",
    ),
]
PEERS = {
    "scikit-learn": ("scikit-learn", "LinearSVC"),
    "fastText": ("fastText",),
    "Vowpal Wabbit": ("Vowpal Wabbit",),
    "LIBLINEAR": ("LIBLINEAR",),
}
DATA = {
    "RT-s": "film review sentences (RT-s)",
    "CR": "product review sentences (CR)",
    "MPQA": "opinion phrases (MPQA)",
    "Subj": "subjective or objective (Subj)",
    "RT-2k": "film reviews (RT-2k)",
    "IMDB": "film reviews (IMDB)",
}


def reports():
    """What was measured, by subject."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}


def conditions(found):
    """The machine and the versions, in two sentences."""
    first = next(iter(found.values()))
    versions = ", ".join(f"{name} {number}" for name, number in first["versions"].items())
    rounds = max(report["rounds"] for report in found.values())
    return (
        f"Measured on {first['cpu']}, {first['cores']} cores, "
        f"{first['gigabytes']} GB, Python {first['python']}; {versions}. Tools ran alternately; "
        f"each figure is the best of up to {rounds} runs."
    )


def measured(found, subject):
    """The day and the commit of a subject, marked where it is a week older than the newest."""
    report = found[subject]
    day, newest = (date.fromisoformat(text) for text in (report["date"], last_day(found)))
    words = f"{day}, {report['commit']}" if "commit" in report else str(day)
    return f"{words} (old)" if newest - day > timedelta(days=7) else words


def last_day(found):
    return max(report["date"] for report in found.values())


def write_table():
    """Every table that is made from results/."""
    found = reports()
    (ROOT / "docs" / "benchmarks.md").write_text(speed_page(found), encoding="utf-8")
    replace_between(SPEED, headlines(found), "README.md")
    write_home_page(found)


def write_home_page(found=None):
    """The tables of docs/index.md."""
    replace_between(SPEED, speed_at_a_glance(found or reports()), "docs", "index.md")
    replace_between(ACCURACY, accuracy_at_a_glance(), "docs", "index.md")


def replace_between(marks, lines, *path):
    page = ROOT.joinpath(*path)
    begin, end = marks
    table = begin + "\n".join(lines) + "\n" + end
    text = page.read_text(encoding="utf-8")
    text = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: table, text, flags=re.S)
    page.write_text(text, encoding="utf-8")


def speed_page(found):
    """All of docs/benchmarks.md."""
    missed, met = goal_rows(found)
    lines = [
        "# Speed\n",
        "Written by `make bench`. The first lines of each file in `benchmarks/` describe its "
        "tasks. *Times as fast* is the other tool's time divided by ours: above 1, Wordplane is "
        "faster. *Rounds* gives the smallest and the largest ratio of single rounds, *measured* "
        "the day and, where it is known, the commit. "
        "[Where the time goes](limits.md) explains the goals that were missed.\n",
        f"{conditions(found)}\n",
        "## Goals\n",
        f"{len(met)} of {len(met) + len(missed)} goals are met. Missed goals come first.\n",
        "| task | ours | compared with | goal | measured | met |",
        "| --- | --- | --- | ---: | ---: | --- |",
        *missed,
        *met,
        "",
    ]
    for subject, title in TITLES.items():
        if subject in found:
            lines += [f"## {title}\n", f"Measured: {measured(found, subject)}.\n"]
            lines += subject_tables(found[subject])
        if (RESULTS / f"{subject}.svg").exists():
            lines.append(f"![{title}](../benchmarks/results/{subject}.svg)\n")
    return "\n".join(lines)


def goal_rows(found):
    """A row for each goal that was missed, and for each that was met."""
    missed, met = [], []
    for subject in TITLES:
        report = found.get(subject, {"ratios": [], "amounts": []})
        for row in report["ratios"]:
            if "goal" in row:
                good = row["ratio"] >= row["goal"]
                goal, measured = f"{row['goal']:g}x", f"{row['ratio']:g}x"
                cells = row["task"], row["tool"], row["against"], goal, measured
                (met if good else missed).append(_goal(*cells, good))
        for row in report["amounts"]:
            if "limit" in row:
                unit = _unit(row)
                good = row[unit] <= row["limit"]
                goal, measured = (f"{n:g} {UNITS[unit]}" for n in (row["limit"], row[unit]))
                cells = row["task"], row["tool"], "", f"at most {goal}", measured
                (met if good else missed).append(_goal(*cells, good))
    return missed, met


def _goal(task, tool, against, goal, measured, good):
    is_met = "yes" if good else "**no**"
    return f"| {task} | {_own(tool)} | {against} | {goal} | {measured} | {is_met} |"


def subject_tables(report):
    """One row for each comparison, and one for each figure without any."""
    lines, compared = [], set()
    if report["ratios"]:
        lines += ["| task | ours | | compared with | | times as fast | rounds |"]
        lines += ["| --- | --- | ---: | --- | ---: | ---: | --- |"]
    for row in report["ratios"]:
        own, peer = _pair(report["amounts"], row)
        compared |= {id(own), id(peer)}
        lines.append(
            f"| {row['task']} | {_own(row['tool'])} | {_amount(own)} | {row['against']} "
            f"| {_amount(peer)} | {row['ratio']:g} | {_rounds(row)} |"
        )
    notes = [row for row in report["amounts"] if "note" in row or id(row) not in compared]
    if notes:
        lines += ["", "| task | tool | | |", "| --- | --- | ---: | --- |"]
    for row in notes:
        lines.append(f"| {row['task']} | {row['tool']} | {_amount(row)} | {row.get('note', '')} |")
    return [*lines, ""]


def _pair(amounts, ratio):
    """The figures that a ratio was made from: a tool may have run in two races of one task."""
    own, peer = (
        [row for row in amounts if (row["task"], row["tool"]) == (ratio["task"], tool)]
        for tool in (ratio["tool"], ratio["against"])
    )
    unit = _unit(own[0])
    pairs = [(a, b) for a in own for b in peer]
    return min(pairs, key=lambda pair: abs(pair[1][unit] / pair[0][unit] - ratio["ratio"]))


def _unit(row):
    return next(unit for unit in UNITS if unit in row)


def _amount(row):
    value, unit = row[_unit(row)], UNITS[_unit(row)]
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def _rounds(row):
    return "{:g} to {:g}".format(*row["spread"]) if "spread" in row else ""


def _own(tool):
    """What is particular about our tool: its options."""
    return tool.removeprefix("wordplane").lstrip(", ") or "default"


def headlines(found):
    """The rows of README.md."""
    lines = ["| task | compared with | times as fast | rounds | measured |"]
    lines += ["| --- | --- | ---: | --- | --- |"]
    for words, subject, task, tool, peer in HEADLINES:
        if row := find_ratio(found, subject, task, tool, (peer,)):
            cells = words, row["against"], f"{row['ratio']:.3g}", _rounds(row)
            lines.append(f"| {' | '.join(cells)} | {measured(found, subject)} |")
    return [*lines, "", conditions(found)]


def speed_at_a_glance(found):
    """The rows of docs/index.md: our time, and how many times as fast that is."""
    lines = ["| | Wordplane | " + " | ".join(PEERS) + " |"]
    lines.append("| --- | ---: |" + " ---: |" * len(PEERS))
    for words, subject, task, tool in AT_A_GLANCE:
        amounts = found[subject]["amounts"]
        ours = next(r for r in amounts if r["task"].startswith(task) and r["tool"] == tool)
        time = f"{ours[_unit(ours)]:.2g} {UNITS[_unit(ours)]}"
        ratios = [find_ratio(found, subject, task, tool, names) for names in PEERS.values()]
        cells = [time, *(f"{row['ratio']:.2g}x" if row else "" for row in ratios)]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return [*lines, _accuracies(found)]


def _accuracies(found):
    """What those tools come to that were trained on the film reviews."""
    cells = []
    for names in (AT_A_GLANCE[0][3:], *PEERS.values()):
        rows = [row for row in found["commands"]["amounts"] if row["tool"].startswith(names)]
        notes = [row["note"] for row in rows if row.get("note", "").startswith("accuracy")]
        cells.append(f"{100 * float(notes[0].split()[1]):.1f} %" if notes else "")
    return "| accuracy on 25,000 new reviews | " + " | ".join(cells) + " |"


def find_ratio(found, subject, task, tool, peers):
    """The first measured ratio of a task, ours, and a peer whose name begins so; None if none."""
    for row in found.get(subject, {"ratios": []})["ratios"]:
        same = row["task"].startswith(task) and row["tool"] == tool
        if same and row["against"].startswith(peers):
            return row
    return None


def accuracy_at_a_glance():
    """The rows of docs/index.md: the recipe, and the best published figure."""
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    recipe = dict(re.findall(r"^\| (\w+) \| \**([\d.]+)\** \| [\d.]+ \|$", text, re.MULTILINE))
    lines = ["| | Wordplane | published |", "| --- | ---: | ---: |"]
    for column, (short, name) in enumerate(SETS.items()):
        best = max(figures[column] for figures in PUBLISHED.values())
        lines.append(f"| {DATA[short]} | {float(recipe[name]):.1f} % | {best:.1f} % |")
    return lines
