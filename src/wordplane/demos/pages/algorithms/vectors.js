// Small dense vectors and systems.

const dot = (a, b) => a.reduce((sum, value, j) => sum + value * b[j], 0);
const total = (values) => values.reduce((sum, value) => sum + value, 0);
const mean = (values) => total(values) / values.length;
const norm = (a) => Math.sqrt(dot(a, a));
const zeros = (n) => new Array(n).fill(0);
const copyRows = (rows) => rows.map((row) => [...row]);

// The first of the largest values, as numpy's argmax.
const argmax = (values) => values.indexOf(Math.max(...values));

// x with A x = b, by elimination with pivots; null if A is singular.
function solve(A, b) {
  const rows = A.map((row, i) => [...row, b[i]]);
  const n = rows.length;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let i = column + 1; i < n; i++) {
      if (Math.abs(rows[i][column]) > Math.abs(rows[pivot][column])) pivot = i;
    }
    if (!(Math.abs(rows[pivot][column]) > 0)) return null;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let i = column + 1; i < n; i++) {
      const factor = rows[i][column] / rows[column][column];
      for (let j = column; j <= n; j++) rows[i][j] -= factor * rows[column][j];
    }
  }
  const x = zeros(n);
  for (let i = n - 1; i >= 0; i--) {
    let rest = rows[i][n];
    for (let j = i + 1; j < n; j++) rest -= rows[i][j] * x[j];
    x[i] = rest / rows[i][i];
  }
  return x;
}

function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = total(powers);
  return powers.map((power) => power / sum);
}

function logSumExp(scores) {
  const most = Math.max(...scores);
  return most + Math.log(total(scores.map((score) => Math.exp(score - most))));
}
