const isPositive = ({ y }) => (y > 0 ? 1 : 0);

showPage({
  planes: [
    { title: "Scores: positive texts above 0, negative ones below", x: [-4, 4], y: [-1, 1], xLabel: "score", yLabel: "class", list: "points" },
    { title: "ROC (solid) and precision-recall (dashed)", x: [-0.02, 1.02], y: [-0.02, 1.02], xLabel: "fall-out, or recall", yLabel: "recall, or precision" },
  ],
  controls: [{ name: "threshold", label: "threshold", min: -4, max: 4, step: 0.0625, value: 0 }],
  labelOf: isPositive,
  needs: bothClasses,
  compute({ points }, { threshold }) {
    const rows = points.map((point) => ({ score: point.x, positive: point.label === 1 }));
    const table = confusion(rows, threshold);
    const { tp, fp, fn, tn } = table;
    const at = { recall: tp / (tp + fn), fallOut: fp / (fp + tn), precision: tp + fp ? tp / (tp + fp) : null };
    return { ...rankingCurves(rows), table, at, f1: (2 * tp) / (2 * tp + fp + fn), accuracy: (tp + tn) / rows.length };
  },
  draw([plane, view], { fallOut, recall, precision, at }, data, { threshold }) {
    plane.sides([1, 0, -threshold]);
    plane.path([[threshold, -1], [threshold, 1]], "line");
    plane.path([[-4, 0], [4, 0]], "axis");
    view.path([[0, 0], [1, 1]], "line before");
    view.path([[0, 0], ...fallOut.map((x, i) => [x, recall[i]])], "curve series0");
    view.path(recall.map((x, i) => [x, precision[i]]), "curve series1 dashed");
    view.dot(at.fallOut, at.recall, "mark series0", 6);
    if (at.precision !== null) view.dot(at.recall, at.precision, "mark series1", 6);
  },
  words({ auc, averagePrecision, at, f1, accuracy, table }) {
    const precise = at.precision === null ? "nothing is predicted positive" : `precision ${percent(at.precision)}`;
    return `At this threshold: ${table.tp} found, ${table.fn} missed, ${plural(table.fp, "false alarm")}. Recall ${percent(at.recall)}, ${precise}, F1 ${percent(f1)}, accuracy ${percent(accuracy)}. ` +
      `Over all thresholds: area under the ROC curve ${shown(auc)}, average precision ${shown(averagePrecision)}.`;
  },
  tables: ({ thresholds, recall, fallOut, precision }, data, { threshold }) => [
    {
      caption: "One row for each score, from the highest down",
      head: ["threshold", "recall", "fall-out", "precision"],
      rows: thresholds.map((value, i) => ({ cells: [shown(value), recall[i], fallOut[i], precision[i]], mark: value >= threshold })),
    },
  ],
});
