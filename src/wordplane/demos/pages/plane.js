// A plane with axes, in which things are drawn and points are dragged.
//
// spec   {title, x: [from, to], y: [from, to], xLabel, yLabel, list, classes, fixed, lockY}
//        list: the name of the list of points that can be moved here; fixed: none can be added
// edit   {move(list, i, x, y), add(list, x, y), remove(list, i), relabel(list, i)}

const SIZE = { width: 400, height: 360, left: 44, right: 10, top: 10, bottom: 40 };
const GRID = 64; // points lie on multiples of 1/64, which are exact in any precision
const FINE = 4;

const snap = (value) => Math.round(value * GRID) / GRID;

class Plane {
  constructor(spec, edit) {
    this.spec = spec;
    this.edit = edit;
    this.selected = 0;
    this.nodes = [];
    const { width, height } = SIZE;
    this.svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "plane" });
    setAttributes(this.svg, { role: spec.list ? "application" : "img", "aria-label": this.label() });
    const clip = `clip-${spec.list || "view"}-${spec.title.length}`;
    const frame = this.frame();
    this.svg.append(
      shape("defs", {}, shape("clipPath", { id: clip }, shape("rect", frame))),
      shape("rect", { ...frame, class: "ground" }),
    );
    this.axes();
    this.drawn = shape("g", { "clip-path": `url(#${clip})` });
    this.points = shape("g", { class: "points" });
    this.front = shape("g", { class: "front" });
    this.svg.append(this.drawn, this.points, this.front);
    this.node = element("figure", {}, element("figcaption", {}, spec.title), this.svg);
    if (spec.list) this.listen();
  }

  label() {
    const { title, list, fixed } = this.spec;
    if (!list) return title;
    const more = fixed ? "" : ", plus adds a point, Delete removes it, C changes its class";
    return `${title}. Tab selects a point, arrow keys move it, Page Up and Page Down select others${more}.`;
  }

  frame() {
    const { width, height, left, right, top, bottom } = SIZE;
    return { x: left, y: top, width: width - left - right, height: height - top - bottom };
  }

  toX(x) {
    const [from, to] = this.spec.x;
    const { x: start, width } = this.frame();
    return start + ((x - from) / (to - from)) * width;
  }

  toY(y) {
    const [from, to] = this.spec.y;
    const { y: start, height } = this.frame();
    return start + (1 - (y - from) / (to - from)) * height;
  }

  // Where an event is, in the units of the axes.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const frame = this.frame();
    const px = ((event.clientX - box.left) / box.width) * SIZE.width;
    const py = ((event.clientY - box.top) / box.height) * SIZE.height;
    const share = [(px - frame.x) / frame.width, 1 - (py - frame.y) / frame.height];
    return [this.spec.x, this.spec.y].map(([from, to], j) => from + share[j] * (to - from));
  }

  inside([x, y]) {
    const keep = (value, [from, to]) => Math.min(to, Math.max(from, snap(value)));
    return [keep(x, this.spec.x), this.spec.lockY === undefined ? keep(y, this.spec.y) : this.spec.lockY];
  }

  axes() {
    const { x, y, width, height } = this.frame();
    const grid = shape("g", { class: "axes" });
    for (const tick of ticks(this.spec.x)) {
      const at = this.toX(tick);
      grid.append(shape("path", { d: `M${at} ${y}v${height}` }));
      grid.append(shape("text", { x: at, y: y + height + 15, "text-anchor": "middle" }, shown(tick, 2)));
    }
    for (const tick of ticks(this.spec.y)) {
      const at = this.toY(tick);
      grid.append(shape("path", { d: `M${x} ${at}h${width}` }));
      grid.append(shape("text", { x: x - 6, y: at + 4, "text-anchor": "end" }, shown(tick, 2)));
    }
    grid.append(
      shape("text", { x: x + width / 2, y: y + height + 32, "text-anchor": "middle", class: "title" }, this.spec.xLabel),
      shape("text", { transform: `translate(12 ${y + height / 2}) rotate(-90)`, "text-anchor": "middle", class: "title" }, this.spec.yLabel),
    );
    this.svg.append(grid);
  }

  clear() {
    this.drawn.replaceChildren();
    this.front.replaceChildren();
  }

  path(points, className) {
    const d = points.map(([x, y], i) => `${i ? "L" : "M"}${this.toX(x).toFixed(2)} ${this.toY(y).toFixed(2)}`);
    this.drawn.append(shape("path", { d: d.join(""), class: className }));
  }

  // The line a x + b y + c = 0.
  line([a, b, c], className) {
    const [[left, right], [bottom, top]] = [this.spec.x, this.spec.y];
    if (Math.abs(a) + Math.abs(b) < 1e-12) return;
    const flat = Math.abs(b) * (right - left) > Math.abs(a) * (top - bottom);
    const ends = flat
      ? [left, right].map((x) => [x, -(a * x + c) / b])
      : [bottom, top].map((y) => [-(b * y + c) / a, y]);
    this.path(ends, className);
  }

  // f on a grid, for several contours of the same surface.
  heights(f, n = 60) {
    return sample(f, this.spec.x, this.spec.y, n);
  }

  contours(heights, levels, className) {
    const n = heights.length - 1;
    const [[left, right], [bottom, top]] = [this.spec.x, this.spec.y];
    const toX = (j) => this.toX(left + ((right - left) * j) / n).toFixed(1);
    const toY = (i) => this.toY(bottom + ((top - bottom) * i) / n).toFixed(1);
    for (const level of levels) {
      const d = contourSegments(heights, level).map(([x1, y1, x2, y2]) => `M${toX(x1)} ${toY(y1)}L${toX(x2)} ${toY(y2)}`);
      if (d.length) this.drawn.append(shape("path", { d: d.join(""), class: className }));
    }
  }

  // Class 1 where a x + b y + c > 0, class 0 elsewhere.
  sides([a, b, c]) {
    const [[left, right], [bottom, top]] = [this.spec.x, this.spec.y];
    const corners = [[left, bottom], [right, bottom], [right, top], [left, top]];
    [-1, 1].forEach((sign, k) => {
      const height = ([x, y]) => sign * (a * x + b * y + c);
      const inside = [];
      corners.forEach((corner, i) => {
        const next = corners[(i + 1) % 4];
        const [h, g] = [height(corner), height(next)];
        if (h >= 0) inside.push(corner);
        if (h * g < 0) inside.push(corner.map((value, j) => value + (h / (h - g)) * (next[j] - value)));
      });
      if (inside.length) this.path(inside, `region class${k}`);
    });
  }

  // f gives the number of a class.
  regions(f, n = 72) {
    const { x, y, width, height } = this.frame();
    const paths = {};
    for (const [found, i, first, last] of classRuns(f, this.spec.x, this.spec.y, n)) {
      const left = x + (first / n) * width;
      const d = `M${left.toFixed(1)} ${(y + height - ((i + 1) / n) * height).toFixed(2)}h${(((last - first + 1) / n) * width).toFixed(1)}v${(height / n).toFixed(2)}H${left.toFixed(1)}z`;
      (paths[found] ||= []).push(d);
    }
    for (const [found, parts] of Object.entries(paths)) {
      this.drawn.append(shape("path", { d: parts.join(""), class: `region class${found}` }));
    }
  }

  circle(x, y, radius, className) {
    const rx = Math.abs(this.toX(x + radius) - this.toX(x));
    const ry = Math.abs(this.toY(y + radius) - this.toY(y));
    this.drawn.append(shape("ellipse", { cx: this.toX(x), cy: this.toY(y), rx, ry, class: className }));
  }

  dot(x, y, className, size = 4) {
    this.drawn.append(shape("circle", { cx: this.toX(x), cy: this.toY(y), r: size, class: className }));
  }

  text(x, y, words, className = "") {
    this.front.append(shape("text", { x: this.toX(x), y: this.toY(y), class: className }, words));
  }
}

// About five round numbers in a range.
function ticks([from, to]) {
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((size) => size >= rough);
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9; i++) found.push(i * step);
  return found;
}
