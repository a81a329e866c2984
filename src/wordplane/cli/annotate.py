"""`wordplane annotate TEXTS`"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wordplane.cli.console import plain, print_json, say, say_notes, show_progress
from wordplane.cli.options import (
    SWITCH,
    Typed,
    add_common_options,
    add_data_options,
    add_options,
    add_seed_option,
    field_helps,
    reading_options,
)
from wordplane.cli.outputs import check_output
from wordplane.cli.values import natural, share
from wordplane.common.errors import InputError, MissingExtraError
from wordplane.serving.settings import ListenOptions, read_token

if TYPE_CHECKING:
    from wordplane.annotation.project import Project

EPILOG = """\
Opens a page on which texts are labeled by keyboard. A model learns meanwhile and chooses which text
comes next: some that it is unsure of, some that may have a rare label, and a quarter at random,
which alone measure how good it is. Everything is in one file, FILE.db (--project); run the same
command again to go on. `train`, `evaluate` and `audit` read that file.

With --find LABEL, the likeliest texts come first, until 95 % of those with the label are found, and
that is shown with 95 % confidence.

examples:
  wordplane annotate tickets.csv --labels billing,login,other
  wordplane annotate tickets.db --export labels.csv
  wordplane annotate tickets.db --model tickets.wordplane
  wordplane train tickets.db
  wordplane annotate abstracts.csv --find relevant
  wordplane annotate label-studio.json --project tickets.db
"""
LISTENING: dict[str, Typed] = {
    "host": {"default": "127.0.0.1", "metavar": "ADDRESS"},
    "port": {"type": natural, "default": 8000, "metavar": "N"},
    "no_token": SWITCH,
    "tls_cert": {"metavar": "FILE"},
    "tls_key": {"metavar": "FILE"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        nargs="+",
        metavar="texts",
        help="texts, some of which may have labels: a file, folder, pattern; an export of Label "
        "Studio, doccano or Prodigy; or the project itself",
    )
    parser.add_argument("--labels", metavar="A,B,C", help="the labels; the page can add more")
    parser.add_argument(
        "--project", metavar="FILE", help="where labels are kept (default: the name of TEXTS, .db)"
    )
    parser.add_argument("--multi", action="store_true", help="a text can have several labels")
    parser.add_argument("--find", metavar="LABEL", help="find nearly all texts of this label")
    parser.add_argument(
        "--recall",
        type=share,
        default=0.95,
        metavar="SHARE",
        help="of them, so many are to be found (default: 0.95)",
    )
    parser.add_argument(
        "--export",
        metavar="FILE",
        help="write the labels (.csv, .jsonl, .parquet, or .json for Label Studio), and end",
    )
    parser.add_argument(
        "--import",
        dest="imported",
        metavar="FILE",
        help="take labels of equal texts from this file, and end",
    )
    parser.add_argument(
        "--model", metavar="FILE", help="train on all labels, write the model, and end"
    )
    parser.add_argument("--status", action="store_true", help="print how far it is, and end")
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--token-file", metavar="FILE", help="clients must send its first line as a bearer token"
    )
    add_options(parser, field_helps(ListenOptions), LISTENING)
    add_seed_option(parser)
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    from wordplane.annotation.project import Project

    for path, option in ((args.export, "--export"), (args.model, "--model")):
        if path:
            check_output(path, args.force, args.data, option)
    path = args.project or _project_path(args.data)
    is_new = not Path(path).exists()
    project = _create(args, path) if is_new else Project.open(path, args.threads)
    with project:
        _check_same(args, project)
        for name in (args.labels or "").split(","):
            if name.strip() and project.labels.find(name.strip()) is None:
                project.labels.add(name.strip())
        if args.imported or args.export or args.model or args.status:
            return _do(args, project)
        return _serve(args, project)


def _project_path(data: list[str]) -> str:
    """The project that belongs to texts, or that is given itself."""
    from wordplane.annotation.schema import is_project

    if is_project(data[0]):
        return data[0]
    first = Path(data[0])
    if data[0] == "-":
        raise InputError("texts from standard input need a name for the project: pass `project`")
    return f"{first.name.partition('.')[0] or 'texts'}.db"


def _create(args: argparse.Namespace, path: str) -> Project:
    from wordplane.annotation.exchange import read_labels
    from wordplane.annotation.project import Project
    from wordplane.data.read import read

    with show_progress():
        given = read_labels(args.data[0]) if len(args.data) == 1 else None
        corpus = given or read(args.data, **reading_options(args))
        say_notes(corpus.notes)
        if corpus.has_counts:
            raise InputError(f"{corpus.source}: texts are needed, these are counts of words")
        project = Project.create(
            path,
            corpus,
            multi=args.multi,
            find=args.find,
            recall=args.recall,
            seed=args.seed,
            n_jobs=args.threads,
        )
    say(f"made {plain(path)} with {len(project):,} texts")
    return project


def _check_same(args: argparse.Namespace, project: Project) -> None:
    """Options that only a new project can take are refused when they say something else."""
    if args.multi and not project.multi:
        raise InputError(f"{project.path} has one label per text, so `multi` cannot be set")
    if args.find and args.find != project.settings.get("find"):
        if project.settings.get("find") is not None:
            raise InputError(
                f"{project.path} looks for {project.settings['find']!r}: leave out `find`, or name "
                "another file with `project`"
            )
        project.look_for(args.find, args.recall)


def _do(args: argparse.Namespace, project: Project) -> int:
    """What can be done without the page."""
    from wordplane.annotation.exchange import add_labels, export, read_labels
    from wordplane.data.read import read

    result: dict[str, object] = {"project": project.path}
    if args.imported:
        corpus = read_labels(args.imported) or read(args.imported)
        before = project.labels.names
        result["imported"], result["kept"], result["unknown"] = add_labels(project, corpus)
        result["added"] = [name for name in project.labels.names if name not in before]
    if args.model:
        with show_progress():
            project.prepare()
            project.classifier().save(args.model)
        result["model"] = args.model
    if args.export:
        result["exported"], result["file"] = export(project, args.export), args.export
    _print_status(args, project, result)
    return 0


def _print_status(args: argparse.Namespace, project: Project, result: dict[str, object]) -> None:
    from dataclasses import asdict

    from wordplane.annotation.insight import measure_accuracy, measure_progress

    progress, accuracy = measure_progress(project, "me"), measure_accuracy(project)
    if args.json:
        measured = asdict(accuracy) | {"share": accuracy.share}
        print_json(result | {"progress": asdict(progress), "accuracy": measured})
        return
    for what, value in result.items():
        if value != []:
            shown = f"labels {', '.join(value)}" if isinstance(value, list) else value
            print(f"{what:9}  {plain(shown)}")
    print(f"labeled    {progress.n_labeled:,} of {progress.n_texts:,} texts")
    for name, n in progress.per_label.items():
        print(f"           {n:>7,}  {plain(name)}")
    if accuracy.share is not None:
        low, high = accuracy.interval
        print(
            f"accuracy   {accuracy.share:.1%} ({low:.1%} to {high:.1%}) on the latest "
            f"{accuracy.n:,} texts drawn at random"
        )


def _serve(args: argparse.Namespace, project: Project) -> int:
    try:
        from wordplane.serving.annotating import serve_project
        from wordplane.serving.logs import FailureLog, Log
    except ImportError as error:
        raise MissingExtraError(f"the page needs {error.name}", "serve") from error
    options = ListenOptions(
        token=None if args.token_file is None else read_token(args.token_file),
        **{name: getattr(args, name) for name in LISTENING},
    )

    def announce(address: str) -> None:
        if args.json:
            print_json({"project": project.path, "texts": len(project), "address": address})
        else:
            print(f"labeling {plain(project.path)} at {address} (Ctrl-C ends; labels are saved)")
        sys.stdout.flush()
        if sys.stdout.isatty() and not args.no_browser and not args.json:
            import webbrowser

            webbrowser.open(address)

    log = Log() if args.verbose else FailureLog()
    serve_project(project, options, announce, log)
    return 0
