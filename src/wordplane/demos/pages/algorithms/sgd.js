// Logistic regression by stochastic gradient descent.

// Softmax regression: theta + eta (f(x, y) - expected f), then the penalty by its proximal step;
// the bias is not penalized.
const sgd = {
  stops: false,
  step(theta, x, y, { eta, lambda }) {
    const z = scoresOf(theta, x);
    const p = softmax(z);
    const last = x.length - 1;
    const next = theta.map((row, k) =>
      row.map((weight, j) => {
        const stepped = weight - eta * (p[k] - (k === y ? 1 : 0)) * x[j];
        return j === last ? stepped : stepped / (1 + eta * lambda);
      }),
    );
    return { guess: argmax(z), theta: next, wrong: argmax(z) !== y, size: eta, p };
  },
};
