"""`wordplane train DATA -o MODEL`"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from wordplane.cli.console import (
    is_verbose,
    plain,
    print_json,
    say_next,
    say_notes,
    show_progress,
)
from wordplane.cli.next_steps import after_number_training, after_training
from wordplane.cli.options import (
    add_common_options,
    add_dask_option,
    add_data_options,
    add_group_option,
    add_learner_options,
    add_learning_options,
    add_seed_option,
    add_vectors_option,
    given_parameters,
    learner_parameters,
    reading_options,
)
from wordplane.cli.outputs import (
    MODEL_ENDING,
    PAGE_ENDING,
    check_ending,
    check_output,
    typed_files,
)
from wordplane.cli.values import names, seconds, size
from wordplane.common.errors import InputError
from wordplane.data.encoding import STDIN
from wordplane.learners.names import RECIPE

if TYPE_CHECKING:
    from wordplane.data.read_options import Reading
    from wordplane.workflow.spec import DecisionOptions
    from wordplane.workflow.training_result import TrainingResult

EPILOG = """\
The model is first trained on nine tenths of the texts and measured on the tenth that it has
not seen; then it is trained again on all of them and saved. Fewer than 500 texts are all measured,
in ten folds. If the data has a column `split`, it is trained on the rows marked train and measured
on those marked test (or, if there are none, dev), which it is never trained on; rows marked cv are
trained on and measured in folds. Texts of the same author, thread or customer are similar: name
that column with --group to hold out whole groups.

examples:
  wordplane train reviews.csv                        writes reviews.wordplane
  wordplane train tickets.jsonl --text subject --text body --label queue -o tickets.wordplane
  wordplane train 'mails/*.csv.gz' --encoding cp1252 --ngrams 1,3 --min-df 2
  wordplane train posts/                             one folder per class
  wordplane train tweets.csv --chars 2,6 --negation --suffixes 2,3 --shapes --lexica mood.tsv
  wordplane train tweets.csv --features word,char,suffix --suffixes 3,4     these groups only
  wordplane train mails.csv --extra n_links --extra sender
  wordplane train tickets.jsonl --field subject=2 --field body    separate features for each field
  wordplane train posts.parquet --vectors embedding               vectors as features
  wordplane train posts.csv --label tags --label-separator '|'    multi-label
  wordplane train reviews.csv --target stars         predict a number
  wordplane train ads.csv --target price --param loss=quantile --param quantile=0.9
  wordplane train monday.csv --learner perceptron --resumable     for `wordplane update`
  wordplane train reviews.csv --learner nb --param alpha=0.1 --json
  wordplane train posts.csv --group thread           an estimate for new threads
  wordplane train posts.csv --time date              an estimate for later posts
  wordplane train mails.csv --metric f1              optimize F1 of the rarer class
  wordplane train mails.csv --threshold spam=0.9     spam only if it is 90 % probable
  wordplane train tweets.csv --normalize urls,mentions,numbers --stop-words english --stem english
  wordplane train log.txt --tokens 'regex:[a-z]+|[0-9]+' --hash-bits 18
  wordplane train mails.csv --require 'precision(spam)>=0.95'       with 95 % confidence
  wordplane train reviews.csv --tune --budget 60s    search for better parameters first
  wordplane train reviews.csv --report reviews.html  also write a page
  wordplane train reviews.csv --max-size 1MB         for a phone or a page
  wordplane train few.csv --unlabeled many.txt       with word vectors of all texts
  wordplane train few.csv --pretrained glove.6B.100d.txt             with word vectors of others
  wordplane train few.csv --unlabeled many.txt --learner em          by EM naive Bayes
  wordplane train few.csv --unlabeled many.txt --learner logistic    by self-training
  wordplane train spam.csv --unlabeled mails.csv --learner pu        the rest is unlabeled
  wordplane train spam.csv --learner oneclass --param nu=0.05        spam only
  wordplane train 'crawl/*.jsonl.gz' --memory 2GB --scratch /data    more texts than memory holds
  wordplane train 'crawl/*.parquet' --dask tcp://10.0.0.1:8786       on a cluster
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", nargs="+", help="labeled texts: a file, a folder per class, a pattern, - for stdin"
    )
    add_output_options(parser)
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="predict the numbers of this column, in place of labels, by ridge regression; its "
        "strength is chosen by folds (--param loss=huber or quantile, alpha=, quantile=)",
    )
    add_learner_options(parser, None, one_label=True)
    parser.add_argument(
        "--fast",
        action="store_true",
        help="take the recipe as it is, without trying other features by folds",
    )
    parser.add_argument(
        "--resumable",
        action="store_true",
        help="keep what `wordplane update` needs, several times the size of the weights",
    )
    parser.add_argument(
        "--max-size",
        type=size,
        metavar="SIZE",
        help="of the model's file, such as 1MB: weights of 8 bits and fewer features, if need be; "
        "what is measured is a model of that size",
    )
    parser.add_argument(
        "--unlabeled",
        metavar="FILE",
        help="also learn from these unlabeled texts: the recipe adds word vectors made from them "
        "if five-fold cross-validation shows that they help; --learner nb or em uses EM (with "
        "alpha=loo), other learners self-training. With --learner pu, DATA has one label, and its "
        "rows without a label are unlabeled texts too",
    )
    parser.add_argument(
        "--pretrained",
        metavar="FILE",
        help="also use these word vectors, if cross-validation shows that they help: GloVe, "
        "word2vec, fastText (.vec, .bin), wink-embeddings, model2vec or WordLlama, plain, .gz or "
        ".zip; words that occur in no labeled text then have weights too. For the recipe, alone or "
        "with --unlabeled",
    )
    add_decision_options(parser)
    add_calibrator_option(parser)
    parser.add_argument(
        "--chain",
        action="store_true",
        help="multi-label: predictions of earlier labels are features of later ones, the most "
        "frequent label first",
    )
    parser.add_argument(
        "--chain-order",
        type=names,
        metavar="LABEL,LABEL",
        help="the same, in this order of all labels",
    )
    parser.add_argument(
        "--memory",
        type=size,
        metavar="SIZE",
        help="memory limit, such as 1GB (default: most of the free memory). If training would need "
        "more, it uses blocks on disk",
    )
    parser.add_argument(
        "--blocks",
        action=argparse.BooleanOptionalAction,
        help="train on blocks on disk, or in memory, whatever --memory says",
    )
    parser.add_argument(
        "--scratch",
        metavar="DIR",
        help="folder for blocks; needs about four times the size of the texts",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="after a crash of the same command on blocks: resume after its last finished pass",
    )
    add_dask_option(parser, "train on Dask workers")
    parser.add_argument(
        "--tune",
        action="store_true",
        help="first search parameters of the learner by five-fold cross-validation, without the "
        "rows measured on (`wordplane tune` shows more)",
    )
    parser.add_argument(
        "--budget", type=seconds, metavar="TIME", help="for --tune, such as 60s or 5m"
    )
    add_learning_options(parser)


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Where the model and a page about it are written."""
    parser.add_argument("-o", "--output", metavar="MODEL", help="where the model is written")
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    parser.add_argument(
        "--report", metavar="FILE", help="also write an HTML page, as `wordplane report` does"
    )


def add_decision_options(parser: argparse.ArgumentParser) -> None:
    """How the model is measured and decides."""
    parser.add_argument(
        "--no-test", action="store_true", help="do not measure: train once, on all rows"
    )
    parser.add_argument(
        "--calibration",
        choices=("holdout", "cv", "none"),
        default="holdout",
        help="what probabilities are fitted on: held-out rows, all rows in five folds, or nothing",
    )
    parser.add_argument(
        "--threshold",
        metavar="[LABEL=]P",
        help="for two classes: predict LABEL (default: the second) if its probability is P or more",
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help="choose the threshold that is best by this on held-out rows: f1 (of the rarer "
        "of two classes), f1:LABEL, micro_f1, macro_f1, weighted_f1, macro_recall, mcc, kappa or "
        "accuracy (default: the learner's own boundary)",
    )
    parser.add_argument(
        "--require",
        metavar="WHAT",
        help="precision(LABEL)>=SHARE or recall(LABEL)>=SHARE: choose a threshold that meets this "
        "on new texts with 95 %% confidence, shown on a held-out fifth of the texts; exit code 3 "
        "and no model if it cannot be shown",
    )


def add_data_and_common_options(parser: argparse.ArgumentParser) -> None:
    """For verbs that change a model by labeled texts."""
    add_output_options(parser)
    add_decision_options(parser)
    add_seed_option(parser)
    add_group_option(parser)
    add_vectors_option(parser)
    add_common_options(parser)
    add_data_options(parser, labels=True)


def add_calibrator_option(parser: argparse.ArgumentParser) -> None:
    """For verbs that fit probabilities from scratch."""
    parser.add_argument(
        "--calibrator",
        choices=("power", "temperature", "platt", "isotonic"),
        default="power",
        help="how scores become probabilities (default: power, a temperature and a power; isotonic "
        "needs a thousand rows or more)",
    )


def run(args: argparse.Namespace) -> int:
    from wordplane.workflow.train import train

    if args.fast and args.learner is not None:
        raise InputError("--fast takes the recipe, and --learner names another: leave out either")
    reading = reading_options(args)
    output = check_outputs(args, args.unlabeled, args.pretrained)
    if args.report is not None and (args.blocks or args.dask):
        used = "--blocks" if args.blocks else "--dask"
        raise InputError(f"--report needs all texts in memory: leave out {used}")
    if args.target is not None:
        return _train_numbers(args, output, reading)
    with show_progress():
        result = train(
            args.data,
            learner=RECIPE if args.fast else args.learner,
            params=learner_parameters(args),
            analyzer=given_parameters(args),
            output=output,
            report=args.report,
            calibrator=args.calibrator,
            chain=args.chain_order or args.chain,
            tune=args.tune,
            budget=args.budget,
            unlabeled=args.unlabeled,
            pretrained=args.pretrained,
            resumable=args.resumable,
            max_size=args.max_size,
            memory=args.memory,
            blocks=args.blocks,
            scratch=args.scratch,
            resume=args.resume,
            dask=args.dask,
            n_jobs=args.threads,
            **decision_options(args),
            **reading,
        )
    code = print_result(result, args)
    if not args.json:
        say_next(after_training(result, args))
    return code


def _train_numbers(args: argparse.Namespace, output: str, reading: Reading) -> int:
    """Train on a column of numbers."""
    from wordplane.workflow.train import train

    if args.report is not None or args.unlabeled is not None:
        raise InputError("`target` goes neither with `report` nor with `unlabeled`")
    with show_progress():
        result = train(
            args.data,
            target=args.target,
            learner=None if args.learner == RECIPE else args.learner,
            params=learner_parameters(args),
            analyzer=given_parameters(args),
            output=output,
            calibrator=args.calibrator,
            chain=args.chain_order or args.chain,
            tune=args.tune,
            budget=args.budget,
            resumable=args.resumable,
            max_size=args.max_size,
            blocks=args.blocks,
            dask=args.dask,
            n_jobs=args.threads,
            **decision_options(args),
            **reading,
        )
    if args.json:
        print_json(result.to_dict())
        return 0
    say_notes(result.notes)
    print(plain(result))
    say_next(after_number_training(result, args))
    return 0


def check_outputs(args: argparse.Namespace, *also_read: str | None) -> str:
    """Where the model is written, if nothing that is read is overwritten, and nothing unasked."""
    output, model = args.output or default_output(args.data), getattr(args, "model", None)
    inputs = [*args.data, *also_read, *typed_files(args.typed, (output, args.report, model))]
    check_output(output, args.force, inputs)
    check_ending(output, MODEL_ENDING, "a model")
    if args.report is not None:
        check_output(args.report, args.force, [*inputs, output, model], "--report")
        check_ending(args.report, PAGE_ENDING, "a report")
        if args.no_test:
            raise InputError("--report needs rows to measure on: leave out --no-test")
        from wordplane.plots.svg import vl_convert

        vl_convert()  # if it is missing, nobody waits for the rest
    return output


def decision_options(args: argparse.Namespace) -> DecisionOptions:
    """The options of `add_decision_options` as the functions of the library take them."""
    from wordplane.model.decision import THRESHOLD

    metric = args.metric
    if args.threshold is not None:
        if metric is not None:
            raise InputError("--threshold sets what --metric would find: leave out either")
        metric = f"{THRESHOLD}{args.threshold}"
    return {
        "test": not args.no_test,
        "calibration": None if args.calibration == "none" else args.calibration,
        "metric": metric,
        "require": args.require,
        "random_state": args.seed,
    }


def print_result(result: TrainingResult, args: argparse.Namespace) -> int:
    """The result as text or JSON; an error if a report was asked for and nothing was measured."""
    report = args.report if result.measured is not None else None
    if args.json:
        print_json({**result.to_dict(), "report": report})
    else:
        print_summary(result)
        if report is not None:
            print(f"report    {plain(report)}")
    if report != args.report:
        how = "give more texts of each class"
        if args.calibration != "holdout":
            how = f"leave out --calibration {args.calibration}"
        raise InputError(
            f"the model is saved, but no report: nothing was measured; {how}, or mark rows as test "
            "in a column `split`"
        )
    return 0


def print_summary(result: TrainingResult) -> None:
    """The result for a person."""
    from wordplane.workflow.result import class_table

    say_notes(result.notes)
    print(plain(result))
    if is_verbose() and result.scores is not None:
        print(plain("\n".join(["", *class_table(result.scores.classes)])))


def default_output(sources: Iterable[str]) -> str:
    """reviews.csv.gz becomes reviews.wordplane, in the current folder."""
    first = next(iter(sources))
    name = Path(first).resolve().name.split(".")[0]
    if not name or first == STDIN or any(c in name for c in "*?["):
        name = "model"
    return f"{name}.wordplane"
