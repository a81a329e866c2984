// The points of a plane that are moved by hand: with a pointer, or by keys. One of them at a time
// is in the order of Tab; the others are reached from it.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
const OUTLINES = ["M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z", "M-5.5 -5.5h11v11h-11z", "M0 -7l6.5 12h-13z", "M0 -7.5l7 7.5l-7 7.5l-7 -7.5z"];

Object.assign(Plane.prototype, {
  showPoints(points) {
    this.shownPoints = points;
    this.selected = Math.max(0, Math.min(this.selected, points.length - 1));
    while (this.nodes.length > points.length) this.nodes.pop().remove();
    while (this.nodes.length < points.length) this.nodes.push(this.points.appendChild(this.newPoint()));
    points.forEach((point, i) => this.updatePoint(this.nodes[i], point, i));
  },

  newPoint() {
    const touch = shape("circle", { r: 16, class: "touch" });
    return shape("g", { role: "button" }, touch, shape("path", { class: "outline" }));
  },

  updatePoint(node, point, i) {
    const kind = point.label ?? 0;
    const name = point.name || this.spec.classes?.[kind] || "point";
    const where = this.spec.lockY === undefined ? `${shown(point.x)}, ${shown(point.y)}` : shown(point.x);
    setAttributes(node, {
      transform: `translate(${this.toX(point.x)} ${this.toY(point.y)})`,
      class: `point class${kind} ${point.mark || ""}`,
      tabindex: i === this.selected ? 0 : -1,
      "aria-label": `${name}, ${i + 1} of ${this.shownPoints.length}, at ${where}`,
    });
    node.lastChild.setAttribute("d", OUTLINES[kind % OUTLINES.length]);
  },

  listen() {
    const { list, fixed } = this.spec;
    let dragged = null;
    let hasMoved = false;
    const numberOf = (event) => this.nodes.indexOf(event.target.closest?.(".point"));
    this.svg.addEventListener("pointerdown", (event) => {
      dragged = numberOf(event);
      hasMoved = false;
      if (dragged < 0) return;
      event.preventDefault();
      this.select(dragged);
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (dragged === null || dragged < 0) return;
      hasMoved = true;
      this.edit.move(list, dragged, ...this.inside(this.at(event)));
    });
    const release = () => (dragged = null);
    this.svg.addEventListener("pointercancel", release);
    this.svg.addEventListener("pointerup", (event) => {
      const onGround = dragged === -1 && !hasMoved;
      release();
      if (onGround && !fixed) this.add(...this.inside(this.at(event)));
    });
    this.svg.addEventListener("focusin", (event) => {
      if (numberOf(event) >= 0) this.selected = numberOf(event);
    });
    this.svg.addEventListener("keydown", (event) => this.press(event));
  },

  select(i, focus = true) {
    this.selected = i;
    this.nodes.forEach((node, j) => node.setAttribute("tabindex", i === j ? 0 : -1));
    if (focus) this.nodes[i]?.focus();
  },

  add(x, y) {
    const n = this.edit.add(this.spec.list, x, y);
    this.select(n - 1);
  },

  addNear() {
    const [x, y] = [this.spec.x, this.spec.y].map(([from, to]) => (from + to) / 2);
    const point = this.shownPoints[this.selected] || { x, y };
    this.add(...this.inside([point.x + 16 / GRID, point.y + 16 / GRID]));
  },

  removeSelected() {
    if (this.spec.fixed || !this.shownPoints.length) return;
    this.edit.remove(this.spec.list, this.selected);
    this.select(Math.min(this.selected, this.shownPoints.length - 1));
  },

  relabelSelected() {
    const { fixed, classes } = this.spec;
    if (!fixed && classes?.length > 1 && this.shownPoints.length) this.edit.relabel(this.spec.list, this.selected);
  },

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const point = this.shownPoints[this.selected];
    const n = this.shownPoints.length;
    const arrow = ARROWS[event.key];
    if (arrow && point) {
      const by = (event.shiftKey ? FINE * 4 : FINE) / GRID;
      this.edit.move(this.spec.list, this.selected, ...this.inside([point.x + by * arrow[0], point.y + by * arrow[1]]));
    } else if (event.key === "PageDown" && n) this.select((this.selected + 1) % n);
    else if (event.key === "PageUp" && n) this.select((this.selected + n - 1) % n);
    else if (["Delete", "Backspace"].includes(event.key)) this.removeSelected();
    else if (event.key === "+" && !this.spec.fixed) this.addNear();
    else if (event.key.toLowerCase() === "c") this.relabelSelected();
    else return;
    event.preventDefault();
  },
});
