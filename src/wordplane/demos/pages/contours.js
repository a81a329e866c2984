// Lines of equal height and areas of equal class, on a grid over a rectangle.

function sample(f, [left, right], [bottom, top], n) {
  const rows = [];
  for (let i = 0; i <= n; i++) {
    const y = bottom + ((top - bottom) * i) / n;
    const row = [];
    for (let j = 0; j <= n; j++) row.push(f(left + ((right - left) * j) / n, y));
    rows.push(row);
  }
  return rows;
}

// Marching squares: segments [x1, y1, x2, y2] in units of the grid, for one level.
function contourSegments(heights, level) {
  const segments = [];
  for (let i = 0; i + 1 < heights.length; i++) {
    for (let j = 0; j + 1 < heights[i].length; j++) {
      const low = heights[i];
      const high = heights[i + 1];
      const side = low[j] > level;
      if (low[j + 1] > level === side && high[j] > level === side && high[j + 1] > level === side) continue;
      const corners = [
        [j, i, low[j]],
        [j + 1, i, low[j + 1]],
        [j + 1, i + 1, high[j + 1]],
        [j, i + 1, high[j]],
      ];
      const crossings = [];
      for (let c = 0; c < 4; c++) {
        const [x1, y1, a] = corners[c];
        const [x2, y2, b] = corners[(c + 1) % 4];
        if (a > level === b > level) continue;
        const share = (level - a) / (b - a);
        crossings.push([x1 + share * (x2 - x1), y1 + share * (y2 - y1)]);
      }
      for (let c = 0; c + 1 < crossings.length; c += 2) {
        segments.push([...crossings[c], ...crossings[c + 1]]);
      }
    }
  }
  return segments;
}

// Runs [class, row, first, last] of cells of the same class.
function classRuns(f, [left, right], [bottom, top], n) {
  const runs = [];
  for (let i = 0; i < n; i++) {
    const y = bottom + ((top - bottom) * (i + 0.5)) / n;
    let open = null;
    for (let j = 0; j < n; j++) {
      const found = f(left + ((right - left) * (j + 0.5)) / n, y);
      if (open && open[0] === found) open[3] = j;
      else runs.push((open = [found, i, j, j]));
    }
  }
  return runs;
}
