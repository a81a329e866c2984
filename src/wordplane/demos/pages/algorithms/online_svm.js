// The online SVM.

// Pegasos: eta = 1 / (lambda t); the weights shrink at every step, the bias too.
const onlineSvm = {
  stops: false,
  step(theta, x, y, { lambda }, t) {
    const eta = 1 / (lambda * t);
    const z = scoresOf(theta, x);
    const guess = argmax(z.map((score, k) => score + (k === y ? 0 : 1)));
    const smaller = theta.map((row) => row.map((weight) => weight * (1 - lambda * eta)));
    if (guess === y) return { guess, theta: smaller, wrong: false, size: eta };
    return { guess, theta: moved(smaller, x, y, guess, eta), wrong: true, size: eta };
  },
};

// lambda / 2 ||theta||^2 + the mean hinge loss of several classes: what the online SVM minimizes.
function svmObjective(theta, rows, lambda) {
  const hinges = rows.map(({ x, y }) => {
    const z = scoresOf(theta, x);
    return Math.max(...z.map((score, k) => score + (k === y ? 0 : 1))) - z[y];
  });
  return (lambda / 2) * total(theta.map((row) => dot(row, row))) + mean(hinges);
}
