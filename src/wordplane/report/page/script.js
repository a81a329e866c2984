"use strict";
// The cells of the confusion matrix open their texts; the threshold updates numbers and points.
// All text is added as text, never as markup.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const number = (n) => n.toLocaleString("en");
  const percent = (share) => (100 * share).toFixed(1) + "\u202f%";

  function element(name, className, text) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // A document is [name, true label, predicted label, confidence, characters left out,
  // [run, level, run, level, ...], label of the saved model if it differs].
  function article([name, truth, predicted, confidence, leftOut, runs, savedLabel]) {
    const node = element("article", "document");
    const head = element("h3");
    const what = element("span", "what");
    what.append(element("bdi", "label", truth));
    what.append(truth === predicted ? " " : element("span", "arrow", " predicted as "));
    if (truth !== predicted) what.append(element("bdi", "label", predicted));
    head.append(what, " ", element("span", "confidence", "confidence " + percent(confidence)), " ");
    head.append(element("bdi", "name", name));
    const body = element("p", "text");
    for (let i = 0; i < runs.length; i += 2) {
      const level = runs[i + 1];
      if (level === 0) body.append(runs[i]);
      else body.append(element("mark", (level > 0 ? "for" : "against") + Math.abs(level), runs[i]));
    }
    if (leftOut) body.append(" ", element("span", "cut", `… ${number(leftOut)} more characters`));
    node.append(head, body);
    if (savedLabel) {
      const note = element("p", "small", "The saved model, which has seen this text, predicts ");
      note.append(element("bdi", "label", savedLabel));
      node.append(note);
    }
    return node;
  }

  function open(button) {
    const cell = data.cells[button.dataset.cell];
    const left = cell.n - cell.documents.length;
    const title = get("texts-title");
    title.replaceChildren(element("bdi", "label", cell.truth), " predicted as ");
    title.append(element("bdi", "label", cell.predicted));
    get("texts-count").textContent =
      `${number(cell.n)} ${cell.n === 1 ? "text" : "texts"}, the most confident first` +
      (left ? `; ${number(left)} left out` : "");
    get("texts-list").replaceChildren(...cell.documents.map((i) => article(data.documents[i])));
    get("texts").showModal();
    get("texts-list").scrollTop = 0;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-cell]");
    if (button) open(button);
    if (event.target.closest("#texts-close") || event.target === get("texts")) get("texts").close();
  });

  // Tables of classes are sorted by a column: words upwards, numbers the smallest first; the same
  // heading again turns the order around.
  function sort(table, heading) {
    const column = [...heading.parentElement.children].indexOf(heading);
    const up = heading.getAttribute("aria-sort") !== "ascending";
    const value = (row) => row.children[column].textContent.trim();
    const order = (a, b) => {
      const [x, y] = [value(a), value(b)];
      const [m, n] = [x, y].map((text) => parseFloat(text.replace(/,/g, "")));
      return Number.isNaN(m) || Number.isNaN(n) ? x.localeCompare(y) : m - n;
    };
    const rows = [...table.tBodies[0].rows].sort(order);
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.tBodies[0].replaceChildren(...(up ? rows : rows.reverse()));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.tHead.rows[0].children) {
      if (heading.classList.contains("wide")) continue;
      const button = element("button", "sort", heading.textContent);
      button.type = "button";
      button.addEventListener("click", () => sort(table, heading));
      heading.replaceChildren(button);
    }
  }

  function movePoint(figure, x, y) {
    const point = figure.querySelector(".mark-symbol path");
    const [width, height] = data.size;
    point.setAttribute("transform", `translate(${x * width},${(1 - y) * height})`);
  }

  function moveThreshold() {
    const chosen = Number(get("curve-class").value);
    const step = Number(get("threshold").value);
    const curve = data.curves[chosen];
    const right = curve.right[step];
    const wrong = curve.wrong[step];
    const predicted = right + wrong;
    const recall = right / curve.positive;
    get("threshold-value").textContent = (step / 100).toFixed(2);
    get("at-precision").textContent = predicted ? percent(right / predicted) : "none predicted";
    get("at-recall").textContent = percent(recall);
    get("at-f1").textContent = percent((2 * right) / (predicted + curve.positive));
    get("at-predicted").textContent = number(predicted);
    get("at-right").textContent = number(right);
    get("at-wrong").textContent = number(wrong);
    get("at-missed").textContent = number(curve.positive - right);
    get("at-positive").textContent = number(curve.positive);
    for (const charts of document.querySelectorAll("[data-curve]")) {
      charts.hidden = Number(charts.dataset.curve) !== chosen;
      if (charts.hidden) continue;
      const [pr, roc] = charts.querySelectorAll("figure");
      movePoint(pr, recall, predicted ? right / predicted : 1);
      movePoint(roc, wrong / curve.negative, recall);
    }
  }

  if (get("threshold")) {
    get("threshold").addEventListener("input", moveThreshold);
    get("curve-class").addEventListener("change", moveThreshold);
    moveThreshold();
  }
})();
