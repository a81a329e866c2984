"""`wordplane serve MODEL`"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import TYPE_CHECKING

from wordplane.cli.console import print_json
from wordplane.cli.values import natural, seconds
from wordplane.common.errors import MissingExtraError
from wordplane.serving.settings import Limits, ServeOptions, read_token

if TYPE_CHECKING:
    from wordplane.serving.catalog import Catalog

EPILOG = """\
Opens a page to try the models, and answers POST /v1/predict and /v1/explain: GET /openapi.json
describes all paths. A model is read again when its file changes, or on SIGHUP; a file that cannot
be read changes nothing. SIGTERM and Ctrl-C finish the requests that have come. The log goes to
standard error, a JSON object per line, without the texts.

Only this machine can reach the server unless --host says otherwise. Other addresses need a token:
clients then send the header Authorization: Bearer TOKEN.

examples:
  wordplane serve m.wordplane
  curl -d '{"text": "great film"}' -H 'Content-Type: application/json' \\
      http://127.0.0.1:8000/v1/predict
  curl --data-binary @reviews.csv -H 'Content-Type: text/csv' http://127.0.0.1:8000/v1/predict
  wordplane serve films=a.wordplane spam=b.wordplane --workers 4 --port 8080
  openssl rand -hex 32 > token && wordplane serve m.wordplane --host 0.0.0.0 --token-file token
  wordplane serve m.wordplane --feedback labels.sqlite --learn
"""
LIMIT_HELP = {
    "max_body": "MiB of a JSON body",
    "max_stream": "MiB of a CSV or JSONL body, which is kept on disk",
    "max_texts": "texts in a JSON body",
    "max_length": "characters of a text",
    "max_seconds": "time limit for a response, such as 30s",
    "max_requests": "concurrent requests per worker",
    "max_connections": "connections per worker",
    "max_feedback": "MiB of feedback",
    "slow_seconds": "time limit for the headers of a request, such as 10s; a body needs 1 KiB/s",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", nargs="+", help="a model that `train` wrote, or NAME=MODEL to name it"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="bind to this (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=natural, default=8000, metavar="N", help="0: any free one (default: 8000)"
    )
    parser.add_argument(
        "--workers",
        type=natural,
        default=1,
        metavar="N",
        help="processes, which share the memory of the models (default: 1)",
    )
    parser.add_argument(
        "--token-file", metavar="FILE", help="clients must send its first line as a bearer token"
    )
    parser.add_argument(
        "--no-token",
        action="store_true",
        help="serve without authentication on the --host",
    )
    parser.add_argument(
        "--host-name",
        action="append",
        default=[],
        metavar="NAME",
        help="another name of this server, such as that of a proxy on this machine",
    )
    parser.add_argument(
        "--feedback",
        metavar="FILE",
        help="accept POST /v1/feedback, and store it in this SQLite file",
    )
    parser.add_argument(
        "--learn",
        action="store_true",
        help="train resumable models further on feedback, and swap them if they are not worse",
    )
    parser.add_argument(
        "--conformal",
        metavar="DATA",
        help="labeled texts that no model has seen, to judge sets of labels of a given coverage by "
        "(default: those held out in training)",
    )
    parser.add_argument(
        "--log-texts", action="store_true", help="put the texts of JSON requests into the log"
    )
    parser.add_argument("--json", action="store_true", help="print names and address as JSON")
    limits = parser.add_argument_group("limits")
    for limit in fields(Limits):
        is_time = limit.name.endswith("_seconds")
        shown = f"{limit.default:g}s" if is_time else f"{limit.default:,}"
        limits.add_argument(
            "--" + limit.name.replace("_", "-"),
            type=seconds if is_time else natural,
            default=limit.default,
            metavar="TIME" if is_time else "N",
            help=f"{LIMIT_HELP[limit.name]} (default: {shown})",
        )


def _load(options: ServeOptions) -> Catalog:
    from wordplane.serving.catalog import Catalog

    return Catalog.load(options.models, options.conformal, options.worker_threads)


def run(args: argparse.Namespace) -> int:
    options = ServeOptions(
        models=tuple(args.model),
        host=args.host,
        port=args.port,
        workers=args.workers,
        token=None if args.token_file is None else read_token(args.token_file),
        no_token=args.no_token,
        host_names=tuple(args.host_name),
        feedback=args.feedback,
        conformal=args.conformal,
        learn=args.learn,
        log_texts=args.log_texts,
        limits=Limits(**{limit.name: getattr(args, limit.name) for limit in fields(Limits)}),
    )
    with ThreadPoolExecutor(1) as loader:
        loading = loader.submit(_load, options)  # while the server is imported
        try:
            from wordplane.serving.supervisor import Supervisor
        except ImportError as error:
            raise MissingExtraError(f"serving needs {error.name}", "serve") from error
        catalog = loading.result()
    supervisor, names = Supervisor(options, catalog), list(catalog.models)

    def announce(address: str) -> None:
        if args.json:
            print_json({"models": names, "address": address})
        else:
            print(f"serving {', '.join(names)} at {address}")
        sys.stdout.flush()

    supervisor.run(announce)
    return 0
