"""What happens on a full disk, with lost files, and with any memory and number of threads.

Tests of wordplane.scale.text_blocks.
"""

import random
import resource
import subprocess
import sys

import pytest

from tests.scale.mixed_texts import mixed_texts, write_films
from wordplane import train
from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.progress import listen
from wordplane.data.corpus import Corpus
from wordplane.scale import row_encoding
from wordplane.text.texts import as_texts
from wordplane.workflow import block_training, placement


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks although there are few texts."""
    monkeypatch.setattr(block_training, "BLOCK_ROWS", 100)
    monkeypatch.setattr(row_encoding, "DEALT_BLOCKS", 8)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_films(tmp_path_factory.mktemp("data") / "films.csv", 600)


@pytest.mark.parametrize("most", [10_000, 30_000])
def test_a_file_that_cannot_be_written_is_one_clear_error(data, tmp_path, most):
    command = [sys.executable, "-m", "wordplane", "train", data, "--blocks", "--scratch", tmp_path]
    done = subprocess.run(
        [*command, "-o", tmp_path / "model.wordplane"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("cannot write") == 1
    assert "--scratch" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("job", "lost"),
    [
        ("reading texts", "train-bytes-0.array"),
        ("counting words", "words-tokens-1.array"),
        ("counting n-grams of 2", "words-df-0.array"),
        ("counting words of classes", "columns-3.array"),
        ("fitting LinearSVM", "first-packed-cells-5.array"),
        ("fitting LinearSVM", "train-kept-bytes-0.array"),
    ],
)
def test_a_file_that_is_gone_is_named(data, tmp_path, job, lost):
    def lose(name, done, total):
        if name == job and (done == total or job == "fitting LinearSVM"):
            for path in tmp_path.glob(f"*/{lost}"):
                path.unlink()

    with listen(lose), pytest.raises(WordplaneError, match=f"{lost}, which this training"):
        train(data, learner="recipe", blocks=True, scratch=tmp_path, n_jobs=2)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_is_noticed_before_anything_is_written(data, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "wordplane.scale.scratch.shutil.disk_usage",
        lambda _: type("Usage", (), {"free": 1000}),
    )
    with pytest.raises(InputError, match=r"MB of disk, and 1 kB are free.*`scratch`"):
        train(data, blocks=True, scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_memory_and_threads_change_no_byte(data, tmp_path):
    models = set()
    for memory, n_jobs in ((1000, 1), (10**7, 2), (6 * 10**8, 3), (10**12, 2)):
        path = tmp_path / "model.wordplane"
        train(data, blocks=True, memory=memory, n_jobs=n_jobs, output=path)
        models.add(path.read_bytes())
    assert len(models) == 1


@pytest.mark.slow
def test_little_memory_is_noted(data):
    small = train(data, blocks=True, memory=1000, test=False)
    assert any("training on blocks takes about 300 MB" in note for note in small.notes)
    enough = train(data, blocks=True, memory=10**9, test=False)
    assert not any("however few" in note for note in enough.notes)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"learner": "ridge"}, "needs all rows in memory"),
        ({"calibration": "cv"}, "`calibration` 'cv' needs all texts in memory"),
        ({"analyzer": {"tf": "relative"}}, "cannot be used on blocks"),
        ({"report": "page.html"}, "`report` needs all texts in memory"),
    ],
    ids=str,
)
def test_what_cannot_be_done_on_blocks_is_refused_before_texts_are_stored(
    data, monkeypatch, given, why
):
    monkeypatch.setattr(block_training, "store_texts", None)
    with pytest.raises(InputError, match=why):
        train(data, blocks=True, **given)


def test_a_report_is_refused_too_where_memory_decides(data, tmp_path, monkeypatch):
    monkeypatch.setattr(placement, "SMALL", 0)
    with pytest.raises(InputError, match="`report` needs all texts in memory"):
        train(data, memory=1000, report=tmp_path / "page.html")


def test_the_estimate_is_that_of_the_formula(tmp_path):
    # 300 texts of 5 bytes with the features a, b and a_b; min_df does not matter
    path = tmp_path / "films.csv"
    path.write_text("label,text\n" + "x,aa bb\ny,aa bb\n" * 150)
    analyzer = {"ngrams": (1, 2), "chars": None}
    result = train(path, learner="nb", analyzer=analyzer, blocks=True, test=False)
    assert result.notes[-1].startswith("trained on blocks: about 2 kB of text would take 300 MB ")


def test_measured_test_rows_are_counted(tmp_path):
    texts, labels = mixed_texts(300, random.Random(0))
    split = ["train", "train", "test"] * 100
    corpus = Corpus(as_texts(texts), labels, split=split)
    for number, learner in ((1, "nb"), (1, "nb"), (2, "svm")):
        path = tmp_path / "model.wordplane"
        result = train(corpus, learner=learner, blocks=True, output=path)
        assert result.to_dict()["n_test"] == 100
        assert any("with 2 models" in note for note in result.notes) == (number == 2)
