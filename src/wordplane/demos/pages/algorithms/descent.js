// Lines y = w x + b through points: half the mean squared error, and steps down its gradient.

function squaredError(points, [w, b]) {
  let sum = 0;
  for (const { x, y } of points) sum += (w * x + b - y) ** 2;
  return sum / points.length / 2;
}

function errorGradient(points, [w, b]) {
  const residuals = points.map(({ x, y }) => w * x + b - y);
  return [mean(residuals.map((r, i) => r * points[i].x)), mean(residuals)];
}

// Each step takes the next `batch` points in their order, and begins again after the last.
function descend(points, start, eta, batch, steps) {
  const path = [start];
  let first = 0;
  for (let t = 0; t < steps; t++) {
    const taken = points.slice(first, first + batch);
    first = first + batch >= points.length ? 0 : first + batch;
    const gradient = errorGradient(taken, path[t]);
    path.push(path[t].map((value, j) => value - eta * gradient[j]));
  }
  return path;
}

// Where the gradient is 0; null if all x are equal.
function bestLine(points) {
  const x = points.map((point) => point.x);
  const y = points.map((point) => point.y);
  return solve([[dot(x, x), total(x)], [total(x), x.length]], [dot(x, y), total(y)]);
}
