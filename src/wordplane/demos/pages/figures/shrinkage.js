showPage({
  planes: [{ title: "P(square | x) = 0.1, 0.25, 0.5, 0.75, 0.9", x: [-4, 4], y: [-4, 4], xLabel: "x₁", yLabel: "x₂", list: "points" }],
  controls: [{ name: "lambda", label: "λ (penalty)", log: true, min: -3, max: 3, step: 0.05, value: 1 }],
  needs: bothClasses,
  compute({ points }, { lambda }) {
    const rows = points.map(({ x, y, label }) => ({ x: [x, y, 1], sign: label ? 1 : -1 }));
    const found = logisticRegression(rows, [0, 0, 0], [lambda, lambda, 0]);
    const errors = rows.filter(({ x, sign }) => sign * dot(found.weights, x) <= 0).length;
    return { ...found, length: norm(found.weights.slice(0, 2)), errors };
  },
  draw([plane], { weights: [a, b, c] }) {
    plane.sides([a, b, c]);
    for (const p of [0.1, 0.25, 0.75, 0.9]) plane.line([a, b, c - Math.log(p / (1 - p))], "line before");
    plane.line([a, b, c], "line");
  },
  words: ({ length, loss, errors, objective }, { points }) =>
    `‖w‖ = ${shown(length)}; mean loss ${shown(loss / points.length)}; objective ${shown(objective)}; ${plural(errors, "point")} on the wrong side. ` +
    "A larger λ shortens the weights, and the probabilities approach one half.",
  tables: ({ weights }) => [
    { caption: "The model: P(square | x) = σ(w · x + b)", head: ["", "weight"], rows: ["w₁", "w₂", "b"].map((name, j) => ({ cells: [name, weights[j]] })) },
  ],
});
