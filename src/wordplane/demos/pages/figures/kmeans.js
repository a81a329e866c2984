const MOST_ROUNDS = 20;

showPage({
  planes: [
    { title: "Points", x: [-5, 5], y: [-4, 5], xLabel: "x₁", yLabel: "x₂", list: "points", classes: ["point"] },
    { title: "Where the centers start: drag them", x: [-5, 5], y: [-4, 5], xLabel: "x₁", yLabel: "x₂", list: "centers", classes: ["center 1", "center 2", "center 3", "center 4"], fixed: true },
  ],
  stepLabel: "round",
  needs: ({ points }) => (points.length ? "" : "Add a point."),
  maxSteps({ points, centers }) {
    const { path } = kmeans(points, centers, MOST_ROUNDS);
    const moves = path.map((now, t) => t > 0 && now.some((c, k) => squaredDistance(c, path[t - 1][k]) > 0));
    return moves.lastIndexOf(true) + 1;
  },
  compute: ({ points, centers }, { step }) => kmeans(points, centers, step),
  draw([plane, view], { path }) {
    const now = path[path.length - 1];
    plane.regions((x, y) => nearestCenters([{ x, y }], now)[0], 90);
    now.forEach((_, k) => {
      for (const each of [plane, view]) {
        each.path(path.map((centers) => [centers[k].x, centers[k].y]), `trail class${k}`);
        each.dot(now[k].x, now[k].y, `center class${k}`, 7);
      }
    });
  },
  marks: (list, { joined }) => (list === "points" ? joined.map((label) => ({ label })) : []),
  words({ path, joined, inertia }, { centers }, { step }) {
    const sizes = centers.map((_, k) => joined.filter((own) => own === k).length);
    const start = step === 0 ? "Every point joins its nearest center." : `Round ${step}: every center moved to the mean of its points, and the points joined again.`;
    const far = step === 0 ? 0 : Math.max(...path[step].map((c, k) => Math.sqrt(squaredDistance(c, path[step - 1][k]))));
    const moved = step === 0 ? "" : far > 0 ? ` The farthest move was ${shown(far)}.` : " No center moved: this is the result.";
    return `${start}${moved} Clusters of ${sizes.join(", ")} points; sum of squared distances ${shown(inertia)}.`;
  },
  tables: ({ path }, data, { step }) => [
    {
      caption: "The centers before and after this round",
      head: ["center", "x₁ before", "x₂ before", "x₁ after", "x₂ after"],
      rows: path[step].map(({ x, y }, k) => {
        const before = path[Math.max(0, step - 1)][k];
        return { cells: [`${k + 1}`, before.x, before.y, x, y], mark: x !== before.x || y !== before.y };
      }),
    },
  ],
});
