showPage({
  planes: [
    { title: "Points of three classes", x: [-5, 5], y: [-4, 5], xLabel: "x₁", yLabel: "x₂", list: "points" },
    { title: "A new point: drag it", x: [-5, 5], y: [-4, 5], xLabel: "x₁", yLabel: "x₂", list: "query", classes: ["new point"], fixed: true },
  ],
  controls: [{ name: "k", label: "k (neighbors)", min: 1, max: 25, step: 1, value: 5 }],
  needs: ({ points }, { k }) => (points.length >= k ? "" : `${k} neighbors need at least ${k} points.`),
  compute({ points, query }, { k }) {
    const guesses = points.map((point) => vote(points, point, k, 3).guess);
    const errors = points.filter(({ label }, i) => guesses[i] !== label).length;
    return { ...vote(points, query[0], k, 3), guesses, errors };
  },
  draw([plane, view], { rows }, { points, query }, { k }) {
    plane.regions((x, y) => vote(points, { x, y }, k, 3).guess, 50);
    for (const i of rows) view.path([[query[0].x, query[0].y], [points[i].x, points[i].y]], "line thin");
    points.forEach(({ x, y, label }) => view.dot(x, y, `mark class${label}`, 4));
  },
  words({ shares, guess, distances, errors }, { points, classes }, { k }) {
    const votes = classes.map((name, c) => `${name} ${percent(shares[c])}`).join(", ");
    return `The ${plural(k, "nearest neighbor")} of the new point, up to ${shown(distances[distances.length - 1])} away, vote: ${votes}. Prediction: ${classes[guess]}. ` +
      `Of the ${points.length} points themselves, ${errors} would be predicted wrong${k === 1 ? ": with k = 1 each is its own neighbor" : ""}.`;
  },
  tables: ({ rows, distances }, { points, classes }) => [
    {
      caption: "The neighbors, nearest first",
      head: ["point", "class", "distance"],
      rows: rows.map((i, n) => ({ cells: [`${i + 1}`, classes[points[i].label], distances[n]] })),
    },
  ],
});
