// Gaussian naive Bayes on points in the plane.
//
//   log p(x, k) = log mu_k - sum_j [ log(2 pi v_kj) / 2 + (x_j - m_kj)^2 / (2 v_kj) ]

const VAR_SMOOTHING = 1e-9;

const variance = (values) => {
  const center = mean(values);
  return mean(values.map((value) => (value - center) ** 2));
};

// variance: "per class", "pooled", or a number that is given.
function gaussianNB(points, nClasses, given) {
  const columns = (some) => [some.map((p) => p.x), some.map((p) => p.y)];
  const epsilon = VAR_SMOOTHING * Math.max(...columns(points).map(variance));
  const groups = Array.from({ length: nClasses }, (_, k) => points.filter((p) => p.label === k));
  const means = groups.map((group) => columns(group).map(mean));
  const own = groups.map((group) => columns(group).map(variance));
  const pooled = [0, 1].map((j) => total(groups.map((g, k) => g.length * own[k][j])) / points.length);
  const variances = groups.map((_, k) =>
    [0, 1].map((j) => (given === "per class" ? own[k][j] + epsilon : given === "pooled" ? pooled[j] + epsilon : given)),
  );
  const prior = groups.map((group) => group.length / points.length);
  return { means, variances, prior };
}

function gaussianScores({ means, variances, prior }, x) {
  return prior.map((mu, k) => {
    let score = Math.log(mu);
    for (let j = 0; j < 2; j++) {
      const v = variances[k][j];
      score -= Math.log(2 * Math.PI * v) / 2 + (x[j] - means[k][j]) ** 2 / (2 * v);
    }
    return score;
  });
}
