"""Help in two sizes: `--help` has examples and the usual options, `--help-all` has everything."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from wordplane.cli.console import plain
from wordplane.common.parameters import nearest

MAX_LINES = 60
FEW_EXAMPLES = 4
GIVEN = "given_options"  # of a namespace: what each option with one value was given

VERB_GROUPS = {
    "learn": {
        "annotate": "label texts on a page, with a model that learns meanwhile",
        "train": "train a model on a file of labeled texts",
        "tune": "find good parameters by cross-validation",
        "compare": "compare every learner on a file of labeled texts, with significance tests",
    },
    "use": {
        "predict": "label the texts of a file with a model",
        "serve": "serve models over HTTP, with a page to try them",
        "convert": "write data in another format, or a model as a page, JSON or for scikit-learn",
        "compress": "make a model smaller, to a size or to what it may lose",
        "completion": "print a completion script for a shell",
    },
    "understand": {
        "evaluate": "measure a model on a file of labeled texts",
        "monitor": "say what texts without labels are like: labels, errors, words that changed",
        "explain": "show what each word of a text contributes to its label",
        "report": "write an HTML page about a model",
        "diagnose": "say whether a model overfits, underfits or lacks data, and what to try",
        "check": "test what a model does when texts are changed",
        "inspect": "show what is in a model",
    },
    "mend": {
        "audit": "find duplicates, leaks, shortcuts and suspect labels in labeled texts",
        "edit": "forbid, pin or cap words of a model, refit the others, and measure the cost",
        "update": "train a model further on more labeled texts",
        "unlearn": "take texts out of a model, as if it had never learned from them",
    },
    "teach and explore": {
        "demo": "train a model on a built-in corpus, or compute a figure or exercise by name",
        "notebook": "write a notebook that runs without data: a first hour, or figures by document",
        "lexicon": "find the words that distinguish the classes of labeled texts",
        "cluster": "group the texts of a file",
        "embed": "learn word vectors from a file of texts",
        "neighbors": "list the words nearest to a word by word vectors",
    },
}
VERBS = {verb: text for group in VERB_GROUPS.values() for verb, text in group.items()}

# Verbs of other tools, and words for what there is by another name.
NO_VERBS = {
    "label": "`wordplane annotate TEXTS` opens a page to label texts by hand, `wordplane predict "
    "MODEL DATA` labels texts with a model",
    "classify": "`wordplane predict MODEL DATA` labels texts",
    "fit": "`wordplane train DATA` trains a model",
    "test": "`wordplane evaluate MODEL DATA` measures a model, `wordplane check` tests what it "
    "does when texts are changed",
    "info": "`wordplane inspect MODEL` shows what is in a model",
    "plot": "`wordplane report MODEL DATA` writes a page with pictures",
    "clean": "`wordplane audit DATA` finds problems in data, and `--fix` writes a clean copy",
    "version": "`wordplane --version` shows the version",
    "quantize": "`wordplane compress MODEL -o SMALL` makes a model smaller",
}
for _known, _others in {
    "label": ("annotation", "tag"),
    "classify": ("infer", "inference", "apply"),
    "fit": ("learn", "supervised", "retrain"),
    "test": ("score", "measure", "eval", "validate", "benchmark"),
    "info": ("show", "list", "summary"),
    "plot": ("chart", "visualize", "dashboard"),
    "clean": ("dedupe", "deduplicate", "fix", "mend"),
    "quantize": ("shrink", "prune"),
}.items():
    NO_VERBS.update(dict.fromkeys(_others, NO_VERBS[_known]))

# Options of other tools, and ours, with a value where others would not do; the first that a verb
# has is named.
OTHER_OPTIONS = {
    "--learner": "algorithm classifier estimator model-type",
    "--param max_iter=N": "epoch epochs iterations n-iter max-iter num-epochs",
    "--param NAME=VALUE": "lr learning-rate alpha c l1 l2",
    "--ngrams": "wordngrams ngram-range ngram n-grams",
    "--chars": "minn maxn char-ngrams",
    "--label": "target y class labels label-column target-column",
    "--text": "column x text-column column-name",
    "--delimiter": "sep separator",
    "--output": "out save output-file",
    "--folds": "cv kfold k-fold",
    "--threads": "n-jobs jobs workers thread cpus",
    "--seed": "random-state random-seed",
    "--min-confidence": "threshold cutoff min-probability min-score",
    "--quiet": "silent no-progress",
    "--verbose": "debug",
    "--force": "overwrite yes f",
}

# What other tools do by an option of a verb, and another verb does here.
NO_OPTIONS = {
    "train": {
        "`wordplane evaluate MODEL FILE` measures a model on a file": "test test-file test-data "
        "valid validation",
        "`wordplane compare DATA` measures learners by cross-validation, and `--tune` looks for "
        "parameters by it": "cv folds kfold k-fold",
        "a part of the texts is held out by itself; to choose which, mark rows as test in a "
        "column `split`": "test-size validation-split holdout",
    },
    "predict": {
        "`predict` needs no labels; `wordplane evaluate MODEL DATA` compares with them": "label "
        "labels label-column"
    },
}

# The options that `--help` shows of verbs with more than a page of them.
FIRST, LAST = "output force text label", "json quiet verbose help help_all"
BASICS = {
    "annotate": "labels project multi find export imported model status",
    "train": "target learner ngrams tune report group metric threshold label_separator seed",
    "tune": "learner metric grid folds budget nested",
    "compare": "learners metric folds budget group",
    "predict": "keep top_k probabilities min_confidence explain known excel rows",
    "evaluate": "metric by top_k min_confidence excel rows group",
    "monitor": "by fail plot excel",
    "report": "title train quick rows",
    "diagnose": "learner target more folds sizes",
    "audit": "show fix fixes yes excel folds",
    "edit": "forbid pin cap folds",
    "compress": "max_size max_loss",
    "update": "forget report no_test",
    "unlearn": "rest report no_test",
    "serve": "host port workers token_file feedback learn tls_cert tls_key",
    "lexicon": "label_of ngrams min_df min_odds top",
    "cluster": "clusters assign seeded map top",
    "embed": "context window n_components min_count",
    "convert": "output_format features extra id",
}

EXAMPLES = """\
examples:
  wordplane demo                                    no data needed
  wordplane train reviews.csv -o reviews.wordplane
  echo "great film" | wordplane predict reviews.wordplane -
  wordplane help train                              examples and options of a verb
"""
EXIT_CODES = (
    "exit codes: 0 done, 1 failed while working, 2 wrong input or usage, 3 below what was asked for"
)


class StoreOnce(argparse._StoreAction):
    """Refuses a second value: the last of them would silently win."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        given: dict[str, object] = vars(namespace).setdefault(GIVEN, {})
        first = given.setdefault(self.dest, values)
        if option_string is not None and repr(first) != repr(values):
            parser.error(
                f"{option_string} is given twice, {first!r} and {values!r}, and takes one value"
            )
        super().__call__(parser, namespace, values, option_string)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in a line, not below a page of usage; help has the examples first."""

    def register(self, registry_name: str, value: object, object: object) -> None:
        """As argparse does, but what stores a value stores one only."""
        kind = StoreOnce if object is argparse._StoreAction else object
        super().register(registry_name, value, kind)

    def error(self, message: str) -> NoReturn:
        if message.endswith("required: data"):
            message += " (a file, or - for standard input)"
        if message.endswith("required: text"):
            message += f" (the model comes first: {self.prog} MODEL TEXT)"
        message = re.sub(r"invalid int value: (.+)$", r"\1 is not a whole number", message)
        message = re.sub(r"invalid float value: (.+)$", r"\1 is not a number", message)
        self.exit(2, f"{self.prog}: {plain(message)}; see {self.prog} --help\n")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            hint = nearest(str(value), known) or f", expected one of {', '.join(known)}"
            raise argparse.ArgumentError(action, f"there is no {value!r}{hint}")

    def format_help(self) -> str:
        """A page: examples and the options that most people need."""
        verb = self.prog.partition(" ")[2]
        if not verb:
            return _main_help(self)
        page = self.format_full_help()
        if page.count("\n") <= MAX_LINES:
            return page
        order = [*FIRST.split(), *BASICS.get(verb, "").split(), *LAST.split()]
        shown = sorted(
            (a for a in self._actions if a.dest in order), key=lambda a: order.index(a.dest)
        )
        page = _verb_help(self, [("options", shown)], examples=FEW_EXAMPLES)
        n_more = sum(bool(a.option_strings) for a in self._actions) - len(shown)
        return f"{page}\n{n_more} more options, more examples and details: {self.prog} --help-all\n"

    def format_full_help(self) -> str:
        """Everything."""
        if " " not in self.prog:
            return _main_help(self)
        groups = [(group.title, group._group_actions) for group in self._action_groups[1:]]
        return _verb_help(self, groups)


class HelpAll(argparse.Action):
    """`--help-all`"""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        text = "show all options and examples"
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=text)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        assert isinstance(parser, Parser)
        print(parser.format_full_help(), end="")
        sys.exit(0)


def _main_help(parser: Parser) -> str:
    lines = ["usage: wordplane VERB ...", "", parser.description or "", "", EXAMPLES]
    for title, verbs in VERB_GROUPS.items():
        lines.append(f"{title}:")
        lines += [f"  {verb:11} {text}" for verb, text in verbs.items()]
        lines.append("")
    lines += [
        "wordplane VERB --help shows examples and the usual options of a verb, --help-all all of",
        "them. --version shows the version.",
        "",
        EXIT_CODES,
    ]
    return "\n".join(lines) + "\n"


def _verb_help(
    parser: Parser,
    groups: Iterable[tuple[str | None, list[argparse.Action]]],
    examples: int | None = None,
) -> str:
    """The help of a verb with some of its options; with all examples, also what it does."""
    before, typed, after = _parts(parser.epilog or "")
    formatter = parser._get_formatter()
    positional = [action for action in parser._actions if not action.option_strings]
    words = [
        f"{str(a.metavar or a.dest).upper()}{' ...' if a.nargs == '+' else ''}" for a in positional
    ]
    formatter.add_usage(" ".join([parser.prog, *words, "[options]"]), [], [])
    formatter.add_text(parser.description)
    formatter.add_text("\n".join(["examples:", *typed[:examples]]))
    if examples is None:
        formatter.add_text(before)
        formatter.add_text(after)
    for title, actions in [("arguments", positional), *groups]:
        formatter.start_section(title)
        formatter.add_arguments(actions)
        formatter.end_section()
    return formatter.format_help()


def _parts(epilog: str) -> tuple[str, list[str], str]:
    """What stands before the examples, the examples, each with its further lines, and the rest."""
    before, _, rest = epilog.partition("examples:\n")
    lines, _, after = rest.partition("\n\n")
    examples: list[str] = []
    for line in lines.splitlines():
        if line.startswith("   ") and examples:
            examples[-1] += f"\n{line}"
        else:
            examples.append(line)
    return before.strip(), examples, after.strip()


def done_elsewhere(verb: str, words: Iterable[str]) -> tuple[str, str]:
    """The first word that is an option of other tools for what another verb does, and which; or
    nothing twice."""
    for word in words:
        if word == "--":
            break
        name = word.partition("=")[0].replace("_", "-")
        for how, others in NO_OPTIONS.get(verb, {}).items():
            if name.startswith("--") and name[2:] in others.split():
                return word, how
    return "", ""


def unknown_option(words: Iterable[str], options: Iterable[str]) -> str:
    """The first word that begins like an option and is none, nor the beginning of one; or nothing.

    >>> unknown_option(["m.bin", "--forb=x", "--lerner"], ["--forbid", "--learner"])
    '--lerner'
    """
    known = list(options)
    for word in words:
        if word == "--":
            break
        name = word.partition("=")[0]
        is_option = name.startswith("--") and " " not in name
        if is_option and not any(option.startswith(name) for option in known):
            return word
    return ""


def meant_option(wrong: str, options: Mapping[str, str]) -> str:
    """A question whether an option is meant that other tools call so, or that is written alike.

    options  what the verb has, each with what its value is called
    """
    name = wrong.partition("=")[0].lstrip("-").lower().replace("_", "-")
    for ours, others in OTHER_OPTIONS.items():
        if name in others.split() and ours.split()[0] in options:
            value = options.get(ours, "")
            return f" (did you mean {ours}{value and ' '}{value}?)"
    return nearest(name, options)
