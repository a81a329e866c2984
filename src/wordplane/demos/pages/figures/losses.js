const NAMES = Object.keys(LOSSES);
const RANGE = [-3, 3];

showPage({
  planes: [
    { title: "Losses by margin; the points are examples", x: RANGE, y: [-0.35, 4], xLabel: "margin", yLabel: "loss", list: "points", lockY: 0 },
  ],
  controls: [{ name: "scale", label: "weights times", min: 0, max: 3, step: 0.05, value: 1 }],
  needs: ({ points }) => (points.length ? "" : "Add a point: an example with its margin."),
  compute({ points }, { scale }) {
    const losses = points.map(({ x }) => NAMES.map((name) => LOSSES[name](scale * x)));
    return { losses, mean: NAMES.map((_, j) => mean(losses.map((row) => row[j]))) };
  },
  draw([plane], { losses }, { points }, { scale }) {
    NAMES.forEach((name, j) => {
      const curve = [];
      for (let i = 0; i <= 240; i++) {
        const x = RANGE[0] + ((RANGE[1] - RANGE[0]) * i) / 240;
        curve.push([x, LOSSES[name](x)]);
      }
      plane.path(curve, `curve series${j}`);
      points.forEach(({ x }, i) => plane.dot(scale * x, losses[i][j], `mark series${j}`));
      plane.text(0.72, 3.7 - 0.26 * j, name, `legend series${j}`);
    });
    points.forEach(({ x }) => {
      if (scale !== 1) plane.path([[x, 0], [scale * x, 0]], "line thin");
    });
  },
  words: (result) => `Mean loss: ${NAMES.map((name, j) => `${name} ${shown(result.mean[j])}`).join(", ")}.`,
  tables: ({ losses }, { points }, { scale }) => [
    {
      caption: "The loss of each example",
      head: ["example", "margin", ...NAMES],
      rows: points.map(({ x }, i) => ({ cells: [`${i + 1}`, scale * x, ...losses[i]] })),
    },
  ],
});
