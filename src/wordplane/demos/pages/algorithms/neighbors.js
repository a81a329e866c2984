// The k nearest points, the lower number first among equals, and the shares of their classes.

function nearestPoints(points, query, k) {
  const rows = [];
  const squares = [];
  points.forEach((point, i) => {
    const square = squaredDistance(point, query);
    if (rows.length === k && square >= squares[k - 1]) return;
    let place = Math.min(rows.length, k - 1);
    for (; place > 0 && squares[place - 1] > square; place--) {
      squares[place] = squares[place - 1];
      rows[place] = rows[place - 1];
    }
    squares[place] = square;
    rows[place] = i;
  });
  return { rows, distances: squares.map(Math.sqrt) };
}

function vote(points, query, k, nClasses) {
  const { rows, distances } = nearestPoints(points, query, k);
  const votes = zeros(nClasses);
  for (const i of rows) votes[points[i].label] += 1;
  return { rows, distances, shares: votes.map((n) => n / rows.length), guess: argmax(votes) };
}
