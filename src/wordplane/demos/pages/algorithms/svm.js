// The linear SVM of two classes with the hinge loss, the bias penalized like a weight.
//
//   primal   1/2 ||w||^2 + C sum_i max(0, 1 - w . z_i),   z_i = s_i (x_i, 1)
//   dual     min over 0 <= a <= C of  1/2 ||sum_i a_i z_i||^2 - sum_i a_i
//
// by an interior-point method: Newton steps on the optimality conditions, in which products with
// the bounds are mu instead of 0, and mu falls. z has three columns, so that each step needs a
// system of three equations only (Woodbury).
//
// Reference: Ferris and Munson (2003), Interior-point methods for massive support vector machines.

function supportVectors(z, C) {
  const n = z.length;
  const d = z[0].length;
  let a = new Array(n).fill(C / 2);
  let room = new Array(n).fill(C / 2); // C - a, which near C would be lost to rounding
  let low = new Array(n).fill(1); // multipliers of a >= 0
  let high = new Array(n).fill(1); // multipliers of a <= C
  const combine = (c) => z[0].map((_, j) => total(c.map((value, i) => value * z[i][j])));
  let mu = C / 2;
  for (let round = 0; round < 100 && mu > 1e-15 * C; round++) {
    mu = (dot(a, low) + dot(room, high)) / (2 * n);
    const target = 0.1 * mu;
    const w = combine(a);
    const D = a.map((value, i) => low[i] / value + high[i] / room[i]);
    const r = a.map((value, i) => 1 - dot(z[i], w) + target / value - target / room[i]);
    const step = woodbury(z, D, r, d);
    const lowStep = a.map((value, i) => target / value - low[i] - (low[i] / value) * step[i]);
    const highStep = room.map((value, i) => target / value - high[i] + (high[i] / value) * step[i]);
    const size = longestStep([
      [a, step],
      [room, step.map((value) => -value)],
      [low, lowStep],
      [high, highStep],
    ]);
    a = a.map((value, i) => value + size * step[i]);
    room = room.map((value, i) => value - size * step[i]);
    low = low.map((value, i) => value + size * lowStep[i]);
    high = high.map((value, i) => value + size * highStep[i]);
  }
  const gap = (some) => {
    const w = combine(some);
    return dot(w, w) - total(some) + C * total(z.map((row) => Math.max(0, 1 - dot(row, w))));
  };
  const settled = settle(z, a, room, low, high, C);
  if (settled && gap(settled) < gap(a)) a = settled;
  const w = combine(a);
  return { w, a, margins: z.map((row) => dot(row, w)) };
}

// Without the rounding errors: a at its bounds exactly, and those between them such that their
// margins are 1; null if that cannot be.
function settle(z, a, room, low, high, C) {
  const settled = a.map((value) => (value > C / 2 ? C : 0));
  const free = a.map((_, i) => i).filter((i) => a[i] / C > low[i] && room[i] / C > high[i]);
  for (const i of free) settled[i] = 0;
  const fixed = z[0].map((_, j) => total(settled.map((value, i) => value * z[i][j])));
  const gram = free.map((i) => free.map((k) => dot(z[i], z[k])));
  const found = solve(gram, free.map((i) => 1 - dot(z[i], fixed)));
  if (!found || found.some((value) => !(value >= 0 && value <= C))) return null;
  free.forEach((i, place) => (settled[i] = found[place]));
  return settled;
}

// x with (diag(D) + Z Z') x = r.
function woodbury(z, D, r, d) {
  const inner = Array.from({ length: d }, (_, j) => zeros(d).map((_, k) => (j === k ? 1 : 0)));
  const right = zeros(d);
  z.forEach((row, i) => {
    for (let j = 0; j < d; j++) {
      right[j] += (row[j] * r[i]) / D[i];
      for (let k = 0; k < d; k++) inner[j][k] += (row[j] * row[k]) / D[i];
    }
  });
  const v = solve(inner, right);
  return z.map((row, i) => (r[i] - dot(row, v)) / D[i]);
}

// How far all values stay positive, and a little less.
function longestStep(pairs) {
  let size = 1;
  for (const [values, steps] of pairs) {
    values.forEach((value, i) => {
      if (steps[i] < 0) size = Math.min(size, (-0.995 * value) / steps[i]);
    });
  }
  return size;
}
