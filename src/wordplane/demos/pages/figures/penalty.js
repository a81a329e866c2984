const LEVELS = [0.3, 0.6, 1, 1.6, 2.5, 4, 6, 9, 14];

showPage({
  planes: [
    { title: "Points, and the line through the origin", x: [-3, 3], y: [-3, 3], xLabel: "x₁", yLabel: "x₂", list: "points" },
    { title: "Weights: the loss, and the ball of the penalty", x: [-1, 4], y: [-2, 3], xLabel: "w₁", yLabel: "w₂" },
  ],
  controls: [
    { name: "lambda", label: "λ (penalty)", log: true, min: -2, max: 2, step: 0.05, value: 1 },
    { name: "l1", label: "share of L1 (0: L2)", min: 0, max: 1, step: 0.05, value: 1 },
  ],
  needs: bothClasses,
  compute({ points }, { lambda, l1 }) {
    const rows = points.map(({ x, y, label }) => ({ x: [x, y], sign: label ? 1 : -1 }));
    const both = (value) => [value, value];
    const found = logisticRegression(rows, both(lambda * l1), both(lambda * (1 - l1)));
    return { ...found, penalty: penaltyOf(found.weights, both(l1), both(1 - l1)) };
  },
  draw([plane, view], { weights, penalty, loss }, { points }, { l1 }) {
    const [a, b] = weights;
    const rows = points.map(({ x, y, label }) => ({ x: [x, y], sign: label ? 1 : -1 }));
    plane.sides([a, b, 0]);
    plane.line([a, b, 0], "line");
    const heights = view.heights((u, v) => logisticLoss(rows, [u, v]), 44);
    view.contours(heights, LEVELS.map((factor) => (factor * points.length) / 6), "contour");
    view.contours(heights, [loss], "contour touching");
    const ball = (u, v) => l1 * (Math.abs(u) + Math.abs(v)) + ((1 - l1) / 2) * (u * u + v * v);
    view.contours(view.heights(ball, 80), [penalty], "ball");
    view.path([[-1, 0], [4, 0]], "axis");
    view.path([[0, -2], [0, 3]], "axis");
    view.dot(a, b, "optimum", 5);
  },
  words({ weights, loss, penalty, objective }) {
    const nZero = weights.filter((weight) => weight === 0).length;
    const sparse = nZero ? `${nZero} of the 2 weights ${nZero === 1 ? "is" : "are"} exactly 0.` : "No weight is 0.";
    return `w = (${weights.map((value) => shown(value)).join(", ")}). ${sparse} Loss ${shown(loss)}, penalty R(w) = ${shown(penalty)}, ` +
      `objective ${shown(objective)}. The loss touches the ball at w: a ball with corners is often touched at a corner.`;
  },
});
