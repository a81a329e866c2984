// A page: points or sentences, sliders, what follows from them as numbers, drawings and words.
//
// figure   {planes, controls, texts, maxSteps(data, settings), needs(data, settings),
//           compute(data, settings), draw(planes, result, data, settings), marks(list, result),
//           words(result, data, settings), tables(result, data, settings)}
//
// `marks` says what the points of a list look like: {mark, label}. `needs` says what is missing, if
// nothing can be computed. With `maxSteps`, settings.step is the number of steps taken. Everything
// is computed again after each change, from the data alone. window.wordplane.state has all of it.

const QUIET_MS = 400; // without a change, before the result is read out

class Page {
  constructor(figure, start) {
    this.figure = figure;
    this.data = start.data;
    this.settings = { ...(figure.maxSteps ? { step: 0 } : {}) };
    for (const control of figure.controls || []) this.settings[control.name] = control.value;
    Object.assign(this.settings, start.settings);
    this.newClass = 0;
    this.build(document.getElementById("page"));
    this.update();
  }

  build(root) {
    const { figure, data } = this;
    const edit = this.pointEdits();
    this.planes = (figure.planes || []).map((spec) => new Plane({ classes: data.classes, ...spec }, edit));
    this.live = element("p", { class: "hidden", role: "status", "aria-live": "polite" });
    this.said = element("p", { class: "words" });
    this.tables = element("div", { class: "tables" });
    root.append(this.live);
    if (figure.texts) root.append(this.buildTexts());
    const controls = this.buildControls();
    if (controls.childElementCount) root.append(controls);
    const result = element("section", { class: "card" }, this.said, this.tables);
    const drawn = element("div", { class: "planes" }, ...this.planes.map((plane) => this.withButtons(plane)));
    if (this.planes.length) root.append(drawn);
    (this.planes.length === 1 ? drawn : root).append(result);
  }

  withButtons(plane) {
    const { list, fixed, classes } = plane.spec;
    if (!list || fixed) return plane.node;
    const choose = (k) => (this.newClass = k);
    plane.node.append(pointButtons(plane, classes || ["point"], this.newClass, choose));
    return plane.node;
  }

  buildTexts() {
    const { figure, data } = this;
    const classes = data.classes.map((name, k) => [k, name]);
    if (figure.texts.unlabeled) classes.push([-1, "no label"]);
    this.texts = textList(figure.texts, classes, {
      text: (i, text) => this.change(() => (data.texts[i].text = text)),
      label: (i, label) => this.change(() => (data.texts[i].label = label)),
      add: () => this.change(() => data.texts.push({ text: "", label: 0 })),
      remove: (i) => this.change(() => data.texts.splice(i, 1)),
    });
    return this.texts.node;
  }

  buildControls() {
    const set = (name, value) => this.change(() => (this.settings[name] = value));
    const specs = [...(this.figure.controls || [])];
    const node = element("section", { class: "card controls", "aria-label": "Settings" });
    this.controls = {};
    for (const spec of specs) {
      const given = { ...spec, value: this.settings[spec.name] };
      const control = spec.options ? choice(given, set) : spec.text ? textField(given, set) : slider(given, set);
      this.controls[spec.name] = control;
      node.append(control.node);
    }
    if (this.figure.maxSteps) {
      const spec = { name: "step", label: this.figure.stepLabel || "step", min: 0, max: 1, step: 1, value: 0 };
      this.controls.step = slider(spec, set);
      node.append(this.controls.step.node, stepButtons((by) => set("step", this.settings.step + by)));
    }
    return node;
  }

  pointEdits() {
    const { data } = this;
    const labelOf = (point) => (this.figure.labelOf ? this.figure.labelOf(point) : point.label);
    const nClasses = () => (data.classes || ["point"]).length;
    return {
      move: (list, i, x, y) =>
        this.change(() => {
          Object.assign(data[list][i], { x, y });
          data[list][i].label = labelOf(data[list][i]);
        }),
      add: (list, x, y) => {
        this.change(() => data[list].push({ x, y, label: labelOf({ x, y, label: this.newClass }) }));
        return data[list].length;
      },
      remove: (list, i) => this.change(() => data[list].splice(i, 1)),
      relabel: (list, i) =>
        this.change(() => {
          const point = data[list][i];
          if (this.figure.labelOf) point.y = -point.y;
          point.label = this.figure.labelOf ? labelOf(point) : (point.label + 1) % nClasses();
        }),
    };
  }

  change(edit) {
    edit();
    this.update();
  }

  update() {
    const began = performance.now();
    const { figure, data, settings } = this;
    const missing = figure.needs?.(data, settings) || "";
    if (figure.maxSteps && !missing) {
      const most = figure.maxSteps(data, settings);
      settings.step = Math.max(0, Math.min(most, settings.step));
      this.controls.step.update(settings.step, most);
    }
    for (const [name, control] of Object.entries(this.controls)) {
      if (name !== "step") control.update(settings[name]);
    }
    const result = missing ? null : figure.compute(data, settings);
    this.drawPlanes(result);
    this.texts?.update(data.texts, result?.current ?? -1);
    const words = missing || figure.words(result, data, settings);
    this.said.textContent = words;
    const tables = missing ? [] : (figure.tables?.(result, data, settings) || []);
    this.tables.replaceChildren(...tables.map((table) => element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": table.caption }, tableOf(table))));
    this.readOut(words);
    window.wordplane = { state: { data, settings, result, words }, milliseconds: performance.now() - began };
  }

  drawPlanes(result) {
    for (const plane of this.planes) plane.clear();
    if (result) this.figure.draw?.(this.planes, result, this.data, this.settings);
    for (const plane of this.planes) {
      const { list } = plane.spec;
      if (!list) continue;
      const marks = (result && this.figure.marks?.(list, result)) || [];
      plane.showPoints(this.data[list].map((point, i) => ({ ...point, ...marks[i] })));
    }
  }

  readOut(words) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.live.textContent = words), QUIET_MS);
  }
}

// The last line of a page's script. Without a document (when the algorithms are tested), nothing.
function showPage(figure) {
  if (typeof document === "undefined") return;
  new Page(figure, JSON.parse(document.getElementById("start").textContent));
}

const bothClasses = ({ points }) =>
  [0, 1].every((k) => points.some((point) => point.label === k)) ? "" : "Add points of both classes.";
