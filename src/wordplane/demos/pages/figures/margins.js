const AT_MARGIN = 1e-6;

showPage({
  planes: [{ title: "Points, the line and its margins", x: [-4, 4], y: [-4, 4], xLabel: "x₁", yLabel: "x₂", list: "points" }],
  controls: [{ name: "C", label: "C (price of slack)", log: true, min: -2, max: 4, step: 0.05, value: 100 }],
  needs: bothClasses,
  compute({ points }, { C }) {
    const z = points.map(({ x, y, label }) => [x, y, 1].map((value) => (label ? value : -value)));
    const { w, margins } = supportVectors(z, C);
    const slack = margins.map((margin) => Math.max(0, 1 - margin));
    const length = norm(w.slice(0, 2));
    return { w, margins, slack, sumOfSlack: total(slack), geometric: 1 / length, objective: dot(w, w) / 2 + C * total(slack) };
  },
  draw([plane], { w, slack }, { points }) {
    const squared = w[0] ** 2 + w[1] ** 2;
    plane.sides(w);
    for (const shift of [-1, 1]) plane.line([w[0], w[1], w[2] + shift], "line before");
    plane.line(w, "line");
    points.forEach(({ x, y, label }, i) => {
      if (slack[i] < AT_MARGIN) return;
      const way = ((label ? 1 : -1) * slack[i]) / squared;
      plane.path([[x, y], [x + way * w[0], y + way * w[1]]], "slack");
    });
  },
  marks: (list, { margins }) => margins.map((margin) => ({ mark: margin < 1 + AT_MARGIN ? "support" : "" })),
  words({ margins, slack, sumOfSlack, geometric, objective }) {
    const n = margins.filter((margin) => margin < 1 + AT_MARGIN).length;
    const late = slack.filter((value) => value > AT_MARGIN).length;
    const slackWords = late ? `${plural(late, "point")} ${late === 1 ? "has" : "have"} slack, ${shown(sumOfSlack)} in sum.` : "No point has slack.";
    return `The street is ${shown(2 * geometric)} wide: its edges are ${shown(geometric)} = 1/‖w‖ from the line. ` +
      `${plural(n, "support vector")}. ${slackWords} Objective: ${shown(objective)}.`;
  },
  tables: ({ w }) => [
    { caption: "The separator: w · x + b = 0", head: ["", "weight"], rows: ["w₁", "w₂", "b"].map((name, j) => ({ cells: [name, w[j]] })) },
  ],
});
