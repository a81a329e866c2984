// Multinomial naive Bayes on rows of counts, and EM with rows that have no label.
//
//   log mu_k = log((a + n_k) / (K a + n)),   log phi_kj = log((alpha + count_kj) / (V alpha + sum))

// p has a row of shares of the classes for every row of counts.
function naiveBayes(X, p, alpha, a = 0) {
  const nClasses = p[0].length;
  const counts = Array.from({ length: nClasses }, () => zeros(X[0].length));
  const docs = zeros(nClasses);
  X.forEach((x, i) => {
    for (let k = 0; k < nClasses; k++) {
      docs[k] += p[i][k];
      x.forEach((value, j) => (counts[k][j] += p[i][k] * value));
    }
  });
  const logMu = docs.map((n) => Math.log(a + n) - Math.log(nClasses * a + total(docs)));
  const logPhi = counts.map((row) => {
    const log = Math.log(total(row) + row.length * alpha);
    return row.map((count) => Math.log(alpha + count) - log);
  });
  return { counts, docs, logMu, logPhi };
}

const jointScores = ({ logMu, logPhi }, x) => logMu.map((mu, k) => mu + dot(logPhi[k], x));

// Rounds of EM: labels are class numbers, -1 where there is none. The prior is what the smoothing
// stands for.
function em(X, labels, nClasses, alpha, a, rounds) {
  const known = labels.map((y) => zeros(nClasses).map((_, k) => (y === k ? 1 : 0)));
  let p = known;
  const path = [];
  for (let round = 0; round <= rounds; round++) {
    const model = naiveBayes(X, p, alpha, a);
    let likelihood = 0;
    p = X.map((x, i) => {
      const z = jointScores(model, x);
      likelihood += labels[i] < 0 ? logSumExp(z) : z[labels[i]];
      return labels[i] < 0 ? softmax(z) : known[i];
    });
    const prior = a * total(model.logMu) + alpha * total(model.logPhi.map(total));
    path.push({ ...model, p, likelihood, penalized: likelihood + prior });
  }
  return path;
}
