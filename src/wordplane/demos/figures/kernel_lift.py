"""What the kernel (x.x')^2 does: points that no line separates, in a space where a plane does.

(x.x')^2 = F(x).F(x') with F(x) = (x1^2, x2^2, sqrt(2) x1 x2). A machine with this kernel scores
z(x) = w.F(x) + b with w = sum_i alpha_i s_i F(x_i) over its support vectors: the plane w.F + b = 0
of the space is a conic section of the plane.
"""

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, LabelsLike
from wordplane.demos.figures.plane import Plane, bounding_box, check_two_classes, labeled_points
from wordplane.demos.figures.space import View, box_layers, paper_chart, surface_layer
from wordplane.learners.kernel_svm import KernelSVM
from wordplane.plots import vega_lite as vl
from wordplane.plots.style import BLUE, INK, ORANGE, QUIET, finish
from wordplane.plots.vega_lite import Chart

SIZE = {"width": 300, "height": 300}  # pixels
ASIDE = 14.0  # degrees by which the viewer stands off the plane, so that it is not a mere line


def kernel_lift(
    X: ArrayLike, y: LabelsLike, model: KernelSVM, *, title: str | None = None
) -> Chart:
    """Points in the plane with the border of a kernel SVM, and the same in three dimensions.

    X, y    points (n x 2) of two classes
    model   fitted with kernel="polynomial", degree=2 and coef0=0

    >>> X = [[0.2, 0.1], [-0.3, 0.2], [0.1, -0.4], [2, 0.5], [-1.5, 1.5], [0.3, -2]]
    >>> y = ["in", "in", "in", "out", "out", "out"]
    >>> svm = KernelSVM(kernel="polynomial", degree=2, coef0=0, C=100).fit(X, y)
    >>> [chart.title for chart in kernel_lift(X, y, svm).hconcat]
    ['x', 'F(x) = (x₁², x₂², √2 x₁x₂)']
    """
    points, labels = check_two_classes(X, y)
    if model.kernel != "polynomial" or model.degree != 2 or model.coef0 != 0:
        raise InputError(
            f"the model has kernel={model.kernel!r}, degree={model.degree!r} and coef0="
            f"{model.coef0!r}, expected 'polynomial', 2 and 0, whose space has three dimensions"
        )
    w, b = lifted_plane(model)
    marks = {
        "shape": vl.Shape("class:N", title="class"),
        "color": vl.Color("class:N", title="class", scale={"range": [BLUE, ORANGE]}),
    }
    plane = Plane(points)
    border = {"z = 0": plane.zero_lines(lambda X: lift(X) @ w + b)}
    flat = vl.layer(
        plane.lines(border).mark_line(color=INK, strokeWidth=3, clip=True),
        plane.chart(labeled_points(points, labels), **marks).mark_point(
            size=40, filled=True, opacity=0.9
        ),
    )
    lifted = lift(points)
    # Seen along the plane, so that the classes are on its two sides.
    azimuth = float(np.degrees(np.arctan2(w[1], w[0]))) - 90 + ASIDE
    view = View(*bounding_box(lifted, 0.03), azimuth=azimuth, elevation=18.0)
    edges, *texts = box_layers(view, ("x₁²", "x₂²", "√2 x₁x₂"), numbered=False)
    space = vl.layer(
        edges,
        surface_layer(view, _plane_patch(w, b, view), QUIET),
        paper_chart(labeled_points(view.project(lifted), labels), **marks).mark_point(
            size=40, filled=True, opacity=0.9
        ),
        *texts,
    )
    chart = vl.hconcat(
        flat.properties(title="x", **SIZE),
        space.properties(title="F(x) = (x₁², x₂², √2 x₁x₂)", **SIZE),
        spacing=50,
    )
    return finish(chart, title)


def lift(points: FloatArray) -> FloatArray:
    """F of every point.

    >>> lift(np.array([[1.0, 2.0]])).round(3)
    array([[1.   , 4.   , 2.828]])
    """
    x, y = points.T
    return np.column_stack([x**2, y**2, np.sqrt(2) * x * y])


def lifted_plane(model: KernelSVM) -> tuple[FloatArray, float]:
    """w and b of the plane of a machine with the kernel (x.x')^2."""
    dual = model.dual_coef_
    weights = np.asarray(dual.toarray() if hasattr(dual, "toarray") else dual, np.float64)
    w = weights[0] @ lift(np.asarray(model.support_vectors_.toarray(), np.float64))
    return np.asarray(w), float(model.intercept_[0])


def _plane_patch(w: FloatArray, b: float, view: View) -> FloatArray:
    """The part of the plane inside the box, as one patch."""
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    box = view.low + corners * (view.high - view.low)
    z = box @ w + b
    cut = [
        box[i] + (box[j] - box[i]) * z[i] / (z[i] - z[j])
        for i in range(8)
        for j in range(i + 1, 8)
        if np.abs(corners[i] - corners[j]).sum() == 1 and (z[i] > 0) != (z[j] > 0)
    ]
    if len(cut) < 3:
        raise InputError("the plane of the model does not pass between the points")
    patch = np.array(cut)
    # Around their middle, seen along w.
    middle = patch.mean(axis=0)
    one = patch[0] - middle
    other = np.cross(w, one)
    order = np.argsort(np.arctan2((patch - middle) @ other, (patch - middle) @ one))
    return np.asarray(patch[order][None])
