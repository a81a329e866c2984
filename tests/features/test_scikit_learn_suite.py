"""scikit-learn's own tests of its text vectorizers, run with ours in their place."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

# What fails, and why that is right.
EXPECTED = {
    "test_tfidf_vectorizer_setter": "their message misspells use_idf as user_idf",
    "test_vectorizer_stop_words_inconsistent": "looks at the private _stop_words_id",
    "test_countvectorizer_sort_features_64bit_sparse_indices": "calls the private _sort_features",
    "test_stop_word_validation_custom_preprocessor": "calls the private "
    "_check_stop_words_consistency",
}


@pytest.mark.slow
def test_their_tests_pass(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.swap_vectorizers", "-p",
         "no:cacheprovider", "--rootdir", str(tmp_path), "--pyargs",
         "sklearn.feature_extraction.tests.test_text"],
        cwd=tmp_path, env={"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    failed = set(re.findall(r"^FAILED .*::(\w+)", done.stdout, re.MULTILINE))
    assert failed == set(EXPECTED), done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 100
