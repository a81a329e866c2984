const given = (settings) => (settings.variance === "given" ? settings.v : settings.variance);

showPage({
  planes: [{ title: "Points, and the Gaussians that fit them", x: [-4, 4], y: [-4, 4], xLabel: "x₁", yLabel: "x₂", list: "points" }],
  controls: [
    { name: "variance", label: "variances", options: ["per class", "pooled", "given"], value: "per class" },
    { name: "v", label: "the given variance", log: true, min: -1, max: 1, step: 0.05, value: 1 },
  ],
  needs({ points }) {
    const enough = [0, 1].every((k) => points.filter((point) => point.label === k).length > 1);
    return enough ? "" : "Add points: each class needs two.";
  },
  compute({ points }, settings) {
    const model = gaussianNB(points, 2, given(settings));
    const scores = points.map(({ x, y }) => gaussianScores(model, [x, y]));
    const errors = points.filter(({ label }, i) => argmax(scores[i]) !== label).length;
    return { ...model, scores, errors };
  },
  draw([plane], model) {
    const score = (x, y) => {
      const [first, second] = gaussianScores(model, [x, y]);
      return second - first;
    };
    plane.regions((x, y) => (score(x, y) > 0 ? 1 : 0), 60);
    model.means.forEach(([x, y], k) => {
      for (const n of [1, 2]) {
        const ring = [];
        for (let t = 0; t <= 60; t++) {
          const [sx, sy] = model.variances[k].map((v) => n * Math.sqrt(v));
          ring.push([x + sx * Math.cos((t * Math.PI) / 30), y + sy * Math.sin((t * Math.PI) / 30)]);
        }
        plane.path(ring, `ellipse class${k}`);
      }
    });
    plane.contours(plane.heights(score), [0], "line");
  },
  words({ errors }, { points }, { variance }) {
    const border = variance === "per class" ? "With variances of their own, the border is curved" : "With the same variances for both classes, the border is a line";
    return `${border}. ${plural(errors, "point")} of ${points.length} on the wrong side. The rings are one and two standard deviations.`;
  },
  tables: ({ means, variances, prior }, { classes }) => [
    {
      caption: "What was estimated",
      head: ["class", "prior", "mean x₁", "mean x₂", "variance x₁", "variance x₂"],
      rows: classes.map((name, k) => ({ cells: [name, prior[k], ...means[k], ...variances[k]] })),
    },
  ],
});
