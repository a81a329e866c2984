"""Labels of strangers in charts: whatever is in them, something is drawn, and they stay apart."""

import subprocess
import sys

import pytest

from wordplane import plots
from wordplane.evaluation.confusion import confusion
from wordplane.evaluation.measures import Score

ODD = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), "\ud800", "\udfff", "\ufffe", "\uffff"]
SVG = "{http://www.w3.org/2000/svg}"
# In a process of its own, which the renderer would end.
DRAW = """
import sys
from wordplane import plots
from wordplane.evaluation.confusion import confusion
label = f"a{chr(int(sys.argv[1]))}b"
plots.save(plots.confusion(confusion([label, "c"], [label, "c"])), sys.argv[2])
"""


@pytest.mark.parametrize("name", ["c.svg", "c.png", "c.html"])
@pytest.mark.slow
def test_a_control_character_does_not_end_the_process(tmp_path, name):
    done = subprocess.run(
        [sys.executable, "-c", DRAW, "1", str(tmp_path / name)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).stat().st_size > 0


@pytest.mark.slow
def test_every_odd_character_is_drawn_as_an_escape():
    from xml.etree import ElementTree

    labels = [f"a{odd}b" for odd in ODD]
    score = Score("accuracy", 0.5, (0.4, 0.6))
    for chart in (
        plots.confusion(confusion(labels, labels)),
        plots.slices(dict.fromkeys(labels, score), whole=0.5),
        plots.top_features({label: [(label, 1.0)] for label in labels}),
    ):
        drawn = ElementTree.fromstring(plots.to_svg(chart))
        texts = {element.text for element in drawn.iter(f"{SVG}text")}
        assert {r"a\x00b", r"a\x1bb", r"a\x85b", r"a\ud800b", r"a\uffffb"} <= texts


def test_other_scripts_and_emoji_stay_as_they_are():
    labels = ["é", "日本", "👩\u200d👧", "\u0645\u06cc\u200c\u062e", "a\u00a0b"]
    svg = plots.to_svg(plots.confusion(confusion(labels, labels)))
    assert all(label in svg for label in labels)
