// Learners that take one example after the other.
//
// theta has a row of weights per class; x ends in a 1, whose weight is the bias. A learner has
//   step(theta, x, y, settings, t)   -> {guess, theta, wrong, size} of step t = 1, 2, ...; with p,
//                                       the probabilities of the classes, if it has them
//   stops                            whether an epoch without an update ends the training
// theta is never changed in place, so that every step can be shown again.

// theta + scale (f(x, y) - f(x, guess))
function moved(theta, x, y, guess, scale) {
  return theta.map((row, k) => {
    const sign = (k === y) - (k === guess);
    return sign ? row.map((weight, j) => weight + sign * scale * x[j]) : row;
  });
}

const scoresOf = (theta, x) => theta.map((row) => dot(row, x));

// The steps 1 to `last` over the rows in their order, `epochs` times: every theta, the running mean
// of theta, and what happened at the last step.
function learn(learner, rows, nClasses, settings, last) {
  let theta = Array.from({ length: nClasses }, () => zeros(rows[0].x.length));
  let sum = theta;
  const path = [];
  let record = null;
  let updates = 0;
  let stopped = false;
  for (let t = 1; t <= last && !stopped; t++) {
    const i = (t - 1) % rows.length;
    const { x, y } = rows[i];
    const step = learner.step(theta, x, y, settings, t);
    record = { t, i, x, y, guess: step.guess, scores: scoresOf(theta, x), wrong: step.wrong };
    record.before = theta;
    record.size = step.size;
    record.p = step.p;
    theta = step.theta;
    record.after = theta;
    sum = sum.map((row, k) => row.map((value, j) => value + theta[k][j]));
    path.push(theta);
    updates += step.wrong ? 1 : 0;
    if (i === rows.length - 1) {
      stopped = learner.stops && updates === 0;
      updates = 0;
    }
  }
  const n = path.length;
  const average = sum.map((row) => row.map((value) => (n ? value / n : 0)));
  return { theta, average, path, record, stopped, steps: n };
}
