const CELLS = 120;

function discriminant([m0, m1], { v0, v1, share }) {
  // log p(x, 1) - log p(x, 0) = a |x|^2 + b . x + c
  const squared = (m) => m.x ** 2 + m.y ** 2;
  return {
    a: 1 / (2 * v0) - 1 / (2 * v1),
    b: [m1.x / v1 - m0.x / v0, m1.y / v1 - m0.y / v0],
    c: Math.log((1 - share) / share) + Math.log(v0 / v1) + squared(m0) / (2 * v0) - squared(m1) / (2 * v1),
  };
}

// The probability of the smaller joint density, summed over a grid that reaches far enough.
function bayesError(means, { v0, v1, share }) {
  const far = 5 * Math.sqrt(Math.max(v0, v1));
  const box = (key) => [Math.min(...means.map((m) => m[key])) - far, Math.max(...means.map((m) => m[key])) + far];
  const [[left, right], [bottom, top]] = [box("x"), box("y")];
  const [dx, dy] = [(right - left) / CELLS, (top - bottom) / CELLS];
  const density = (m, v, x, y) => Math.exp(-((x - m.x) ** 2 + (y - m.y) ** 2) / (2 * v)) / (2 * Math.PI * v);
  let sum = 0;
  for (let i = 0; i < CELLS; i++) {
    const y = bottom + (i + 0.5) * dy;
    for (let j = 0; j < CELLS; j++) {
      const x = left + (j + 0.5) * dx;
      sum += Math.min(share * density(means[0], v0, x, y), (1 - share) * density(means[1], v1, x, y));
    }
  }
  return sum * dx * dy;
}

showPage({
  planes: [{ title: "Two Gaussians: drag their means", x: [-4, 4], y: [-4, 4], xLabel: "x₁", yLabel: "x₂", list: "means", fixed: true }],
  controls: [
    { name: "v0", label: "variance of circles", min: 0.1, max: 3, step: 0.05, value: 0.5 },
    { name: "v1", label: "variance of squares", min: 0.1, max: 3, step: 0.05, value: 0.5 },
    { name: "share", label: "share of circles", min: 0.05, max: 0.95, step: 0.01, value: 0.5 },
  ],
  compute: ({ means }, settings) => ({ ...discriminant(means, settings), error: bayesError(means, settings) }),
  draw([plane], { a, b, c }, { means }, { v0, v1 }) {
    const score = (x, y) => a * (x * x + y * y) + b[0] * x + b[1] * y + c;
    plane.regions((x, y) => (score(x, y) > 0 ? 1 : 0), 80);
    [v0, v1].forEach((v, k) => {
      for (const n of [1, 2]) plane.circle(means[k].x, means[k].y, n * Math.sqrt(v), `ellipse class${k}`);
    });
    plane.contours(plane.heights(score, 80), [0], "line");
  },
  words({ a, error }) {
    const border = Math.abs(a) < 1e-12 ? "a line, because the variances are equal" : "a circle around the narrower class, because the variances differ";
    return `The best border is ${border}. Even the best rule errs in about ${percent(error)}. The rings are one and two standard deviations.`;
  },
  tables: ({ a, b, c }) => [
    {
      caption: "The border: a ‖x‖² + b · x + c = 0",
      head: ["", "value"],
      rows: [["a", a], ["b₁", b[0]], ["b₂", b[1]], ["c", c]].map((cells) => ({ cells })),
    },
  ],
});
