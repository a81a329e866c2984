"""Tests of wordplane.report.plain_page, and of wordplane.report.clusters."""

import numpy as np

from wordplane.diagnosis.clusters import ClusterSummary
from wordplane.report.clusters import write_cluster_page
from wordplane.report.plain_page import write_plain_page

EVIL = "<script>alert(1)</script>"


def test_a_page_of_tables_escapes_its_title_and_allows_no_script(tmp_path):
    path = tmp_path / "a.html"
    write_plain_page(path, EVIL, "<p>fine</p>")
    page = path.read_text(encoding="utf-8")
    assert "<p>fine</p>" in page and "<script" not in page
    assert "Content-Security-Policy" in page and "default-src" in page


def test_a_page_of_clusters_escapes_words_and_texts(tmp_path):
    path = tmp_path / "a.html"
    summaries = [ClusterSummary(k, None, 2, [(EVIL, 1.0)], [2 * k]) for k in range(2)]
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    texts, clusters = [EVIL, "b", "c", "d"], np.array([0, 0, 1, 1])
    write_cluster_page(path, EVIL, summaries, texts, clusters, points, "pca", [EVIL])
    page = path.read_text(encoding="utf-8")
    assert "<script" not in page and page.count("&lt;script&gt;") >= 4
