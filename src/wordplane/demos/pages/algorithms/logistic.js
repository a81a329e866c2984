// Logistic regression of two classes.
//
//   minimize  sum_i log(1 + exp(-s_i u . x_i)) + sum_j l1_j |u_j| + l2_j / 2 u_j^2,   s_i = +1 or -1
//
// by proximal Newton steps: the quadratic model with the l1 penalty is minimized one weight at a
// time (without l1, at once), and a line search makes every step descend.

const sigmoid = (z) => (z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z)));

function logisticLoss(rows, u) {
  let sum = 0;
  for (const { x, sign } of rows) {
    let z = 0;
    for (let j = 0; j < u.length; j++) z += u[j] * x[j];
    sum += LOSSES.logistic(sign * z);
  }
  return sum;
}

const penaltyOf = (u, l1, l2) =>
  total(u.map((value, j) => l1[j] * Math.abs(value) + (l2[j] / 2) * value * value));

function logisticModel(rows, u, l2) {
  const d = u.length;
  const g = u.map((value, j) => l2[j] * value);
  const H = Array.from({ length: d }, (_, j) => zeros(d).map((_, k) => (j === k ? l2[j] : 0)));
  for (const { x, sign } of rows) {
    const p = sigmoid(-sign * dot(u, x));
    for (let j = 0; j < d; j++) {
      g[j] -= sign * p * x[j];
      for (let k = 0; k < d; k++) H[j][k] += p * (1 - p) * x[j] * x[k];
    }
  }
  return { g, H };
}

const shrink = (value, by) => Math.sign(value) * Math.max(Math.abs(value) - by, 0);

// The step d that minimizes g . d + d' H d / 2 + sum_j l1_j |u_j + d_j|.
function modelStep(u, g, H, l1) {
  if (l1.every((value) => value === 0)) {
    return solve(H, g.map((value) => -value)) || g.map((value) => -value);
  }
  const d = zeros(u.length);
  for (let sweep = 0; sweep < 2000; sweep++) {
    let change = 0;
    for (let j = 0; j < u.length; j++) {
      const curvature = Math.max(H[j][j], 1e-12);
      const slope = g[j] + dot(H[j], d) - H[j][j] * d[j];
      const next = shrink(curvature * u[j] - slope, l1[j]) / curvature - u[j];
      change = Math.max(change, Math.abs(next - d[j]));
      d[j] = next;
    }
    if (change < 1e-14) break;
  }
  return d;
}

function logisticRegression(rows, l1, l2) {
  let u = zeros(l2.length);
  const objective = (v) => logisticLoss(rows, v) + penaltyOf(v, l1, l2);
  let value = objective(u);
  for (let iteration = 0; iteration < 100; iteration++) {
    const { g, H } = logisticModel(rows, u, l2);
    const d = modelStep(u, g, H, l1);
    if (Math.max(...d.map(Math.abs)) < 1e-11) break;
    let size = 1;
    let next = null;
    do {
      next = u.map((weight, j) => weight + size * d[j]);
      size /= 2;
    } while (objective(next) > value + 1e-14 * Math.abs(value) && size > 1e-10);
    u = next;
    value = objective(u);
  }
  return { weights: u, objective: value, loss: logisticLoss(rows, u) };
}
