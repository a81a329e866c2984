// Gradient descent for a line through points: all points at every step, or some.

function lineDescent({ stochastic }) {
  const sizes = [{ name: "eta", label: "η (step size)", log: true, min: -2, max: 0.6, step: 0.02, value: stochastic ? 0.25 : 0.5 }];
  if (stochastic) sizes.push({ name: "batch", label: "points per step", min: 1, max: 40, step: 1, value: 1 });
  const [xs, ys] = [[-3, 4], [-2, 4]];
  return {
    planes: [
      { title: "Points, and the line", x: [-2, 2], y: [-2, 4], xLabel: "x", yLabel: "y", list: "points", classes: ["point"] },
      { title: "Half the mean squared error; drag the start", x: xs, y: ys, xLabel: "w (slope)", yLabel: "b (height)", list: "start", classes: ["start"], fixed: true },
    ],
    controls: sizes,
    needs: ({ points }) => (points.length > 1 && bestLine(points) ? "" : "Add points with different x."),
    maxSteps: () => 60,
    compute({ points, start }, { eta, batch, step }) {
      const size = stochastic ? Math.min(batch, points.length) : points.length;
      const path = descend(points, [start[0].x, start[0].y], eta, size, step);
      const now = path[step];
      return { path, best: bestLine(points), error: squaredError(points, now), gradient: errorGradient(points, now) };
    },
    draw([plane, view], { path, best }, { points }) {
      const [w, b] = path[path.length - 1];
      plane.line([best[0], -1, best[1]], "line before");
      if (Number.isFinite(w) && Number.isFinite(b)) plane.line([w, -1, b], "line");
      const least = squaredError(points, best);
      const heights = view.heights((u, v) => squaredError(points, [u, v]), 44);
      view.contours(heights, [0.05, 0.2, 0.5, 1, 2, 4, 7, 11].map((more) => least + more), "contour");
      view.dot(...best, "optimum", 5);
      view.path(path.filter(([u, v]) => Math.abs(u) + Math.abs(v) < 1e4), "trail class1");
      for (const [u, v] of path.slice(1)) if (Math.abs(u) + Math.abs(v) < 1e4) view.dot(u, v, "mark class1", 2.5);
    },
    words({ path, best, error, gradient }, data, { step }) {
      const [w, b] = path[step];
      const [wb, bb] = path[Math.max(0, step - 1)];
      const from = step ? `, from (${shown(wb)}, ${shown(bb)})` : "";
      return `After ${plural(step, "step")}: w = ${shown(w)}, b = ${shown(b)}${from}. Error ${shown(error)}, gradient of all points (${gradient.map((g) => shown(g)).join(", ")}). ` +
        `The minimum is at (${best.map((value) => shown(value)).join(", ")}), with error ${shown(squaredError(data.points, best))}.`;
    },
  };
}
