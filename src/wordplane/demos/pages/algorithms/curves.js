// ROC and precision-recall over all thresholds: rows with a score of at least the threshold are
// predicted positive; equal scores cross it together.

function rankingCurves(rows) {
  const positives = rows.filter((row) => row.positive).length;
  const negatives = rows.length - positives;
  const thresholds = [...new Set(rows.map((row) => row.score))].sort((a, b) => b - a);
  const curve = { thresholds, precision: [], recall: [], fallOut: [], auc: 0, averagePrecision: 0 };
  let before = [0, 0];
  for (const threshold of thresholds) {
    const { tp, fp } = confusion(rows, threshold);
    const [recall, fallOut, precision] = [tp / positives, fp / negatives, tp / (tp + fp)];
    curve.precision.push(precision);
    curve.recall.push(recall);
    curve.fallOut.push(fallOut);
    curve.auc += ((fallOut - before[1]) * (recall + before[0])) / 2;
    curve.averagePrecision += (recall - before[0]) * precision;
    before = [recall, fallOut];
  }
  return curve;
}

function confusion(rows, threshold) {
  const count = (test) => rows.filter(test).length;
  return {
    tp: count((row) => row.positive && row.score >= threshold),
    fp: count((row) => !row.positive && row.score >= threshold),
    fn: count((row) => row.positive && row.score < threshold),
    tn: count((row) => !row.positive && row.score < threshold),
  };
}
