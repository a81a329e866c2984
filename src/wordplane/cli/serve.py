"""`wordplane serve MODEL`"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import TYPE_CHECKING

from wordplane.cli.console import print_json
from wordplane.cli.options import SWITCH, Typed, add_options, field_helps
from wordplane.cli.values import natural, seconds
from wordplane.common.errors import InputError, MissingExtraError
from wordplane.serving.settings import Limits, ServeOptions, read_token

if TYPE_CHECKING:
    from wordplane.serving.catalog import Catalog

EPILOG = """\
Opens a page to try the models, and answers POST /v1/predict and /v1/explain: /docs describes all
paths. A model is read again when its file changes, or on SIGHUP; a file that cannot
be read changes nothing. SIGTERM and Ctrl-C answer the requests that have come. The log goes to
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
OPTIONS: dict[str, Typed] = {
    "host": {"default": "127.0.0.1", "metavar": "ADDRESS"},
    "port": {"type": natural, "default": 8000, "metavar": "N"},
    "workers": {"type": natural, "default": 1, "metavar": "N"},
    "no_token": SWITCH,
    "tls_cert": {"metavar": "FILE"},
    "tls_key": {"metavar": "FILE"},
    "feedback": {"metavar": "FILE"},
    "learn": SWITCH,
    "conformal": {"metavar": "DATA"},
    "log_texts": SWITCH,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", nargs="+", help="a model that `train` wrote, or NAME=MODEL to name it"
    )
    add_options(parser, field_helps(ServeOptions), OPTIONS)
    parser.add_argument(
        "--token-file", metavar="FILE", help="clients must send its first line as a bearer token"
    )
    parser.add_argument(
        "--host-name",
        action="append",
        default=[],
        metavar="NAME",
        help="another name of this server, such as that of a proxy on this machine",
    )
    parser.add_argument("--json", action="store_true", help="print names and address as JSON")
    limits, helps = parser.add_argument_group("limits"), field_helps(Limits)
    for limit in fields(Limits):
        is_time = limit.name.endswith("_seconds")
        shown = f"{limit.default:g}s" if is_time else f"{limit.default:,}"
        limits.add_argument(
            "--" + limit.name.replace("_", "-"),
            type=seconds if is_time else natural,
            default=limit.default,
            metavar="TIME" if is_time else "N",
            help=f"{helps[limit.name]} (default: {shown})",
        )


def _load(options: ServeOptions) -> Catalog:
    from wordplane.serving.catalog import Catalog

    return Catalog.load(options.models, options.conformal, options.worker_threads)


def run(args: argparse.Namespace) -> int:
    if not hasattr(os, "fork"):
        raise InputError("`wordplane serve` forks its workers, which this system cannot: use WSL 2")
    options = ServeOptions(
        models=tuple(args.model),
        token=None if args.token_file is None else read_token(args.token_file),
        host_names=tuple(args.host_name),
        limits=Limits(**{limit.name: getattr(args, limit.name) for limit in fields(Limits)}),
        **{name: getattr(args, name) for name in OPTIONS},
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
