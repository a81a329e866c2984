"""Tests of wordplane.plots.style and wordplane.plots.svg: how charts show themselves."""

import pytest

from wordplane import plots
from wordplane.evaluation.confusion import confusion
from wordplane.evaluation.curves import precision_recall
from wordplane.plots.svg import to_svg

CHARTS = {
    "layers": lambda: plots.confusion(confusion(["a", "b"], ["a", "a"]), title="<b>two</b>"),
    "curves": lambda: plots.pr_curve(precision_recall([1, 0, 1], [0.9, 0.5, 0.2], n_resamples=5)),
    "panels": lambda: plots.top_features({"x": [("good", 2.0)], "y": [("bad", 1.0)]}),
}


@pytest.mark.parametrize("kind", CHARTS)
def test_charts_in_notebooks_need_no_network(kind):
    chart = CHARTS[kind]()
    bundle = chart._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    assert len(bundle["image/svg+xml"]) == pytest.approx(len(to_svg(chart)), abs=20)  # but for ids
    for content in bundle.values():
        assert "cdn" not in content
        assert "<script" not in content
    assert "<b>" not in bundle["image/svg+xml"]
    changed = chart.properties(background="red")  # what a user makes of it stays as it is
    assert "image/svg+xml" in changed._repr_mimebundle_()
