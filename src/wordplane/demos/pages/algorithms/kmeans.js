// k-means: every point joins its nearest center, every center becomes the mean of its points.

const squaredDistance = (a, b) => (a.x - b.x) ** 2 + (a.y - b.y) ** 2;

function nearestCenters(points, centers) {
  return points.map((point) => {
    const distances = centers.map((center) => squaredDistance(point, center));
    return distances.indexOf(Math.min(...distances));
  });
}

// A center that no point joins stays where it is.
function kmeans(points, start, rounds) {
  const path = [start.map(({ x, y }) => ({ x, y }))];
  let joined = nearestCenters(points, start);
  for (let round = 0; round < rounds; round++) {
    const centers = path[round].map((center, k) => {
      const own = points.filter((_, i) => joined[i] === k);
      return own.length ? { x: mean(own.map((p) => p.x)), y: mean(own.map((p) => p.y)) } : center;
    });
    path.push(centers);
    joined = nearestCenters(points, centers);
  }
  const last = path[rounds];
  const inertia = total(points.map((point, i) => squaredDistance(point, last[joined[i]])));
  return { path, joined, inertia };
}
