"""The page about clusters: a map, and a summary of each. All text is escaped, nothing loaded."""

from collections.abc import Sequence
from importlib.resources import files
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import MissingExtraError
from wordplane.common.files import whole_file
from wordplane.common.html import content_policy
from wordplane.diagnosis.clusters import ClusterSummary
from wordplane.plots.maps import cluster_map
from wordplane.plots.svg import to_svg

MAX_CHARACTERS = 400  # of a central text
METHODS = {"pca": "principal components", "tsne": "t-SNE", "umap": "UMAP"}


def write_cluster_page(
    path: str | PathLike[str],
    title: str,
    summaries: Sequence[ClusterSummary],
    texts: Sequence[str] | _core.Texts,
    clusters: NDArray[np.int64],
    points: NDArray[np.float64],
    method: str,
    notes: Sequence[str] = (),
) -> None:
    """Write a page about the clusters that `summarize_clusters` described.

    clusters  the cluster of each text on the map
    points    the position of each text on the map, computed by `method`
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtraError("the page needs Jinja", "report") from error

    folder = files("wordplane.report") / "page"
    template = (folder / "clusters.html").read_text(encoding="utf-8")
    style = (folder / "clusters.css").read_text(encoding="utf-8")
    names = [f"{c.cluster} {c.words[0][0]}" if c.words else str(c.cluster) for c in summaries]
    page = (
        Environment(autoescape=True, undefined=StrictUndefined)
        .from_string(template)
        .render(
            title=title,
            clusters=summaries,
            central={c.cluster: [_shorten(texts[row]) for row in c.central] for c in summaries},
            n_texts=sum(c.n for c in summaries),
            n_shown=len(clusters),
            notes=notes,
            method=METHODS[method],
            map=Markup(to_svg(cluster_map(points, clusters, names))),
            style=Markup(style),
            policy=content_policy(style),
        )
    )
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + "…"
