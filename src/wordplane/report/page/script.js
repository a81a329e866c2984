"use strict";
// The cells of the confusion matrix open their texts; the threshold moves numbers and points.
// All text goes in as text, never as markup.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const number = (n) => n.toLocaleString("en");
  const percent = (share) => (100 * share).toFixed(1) + "\u202f%";

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // A document is [name, true, said, sure, left out, [run, level, run, level, ...], now].
  function article([name, truth, said, sure, leftOut, runs, now]) {
    const made = element("article", "document");
    const head = element("h3");
    const what = element("span", "what");
    what.append(element("bdi", "label", truth));
    what.append(truth === said ? " " : element("span", "arrow", " called "));
    if (truth !== said) what.append(element("bdi", "label", said));
    head.append(what, " ", element("span", "sure", percent(sure) + " sure"), " ");
    head.append(element("bdi", "name", name));
    const body = element("p", "text");
    for (let i = 0; i < runs.length; i += 2) {
      const level = runs[i + 1];
      if (level === 0) body.append(runs[i]);
      else body.append(element("mark", (level > 0 ? "for" : "against") + Math.abs(level), runs[i]));
    }
    if (leftOut) body.append(" ", element("span", "cut", `… ${number(leftOut)} more characters`));
    made.append(head, body);
    if (now) {
      const note = element("p", "small", "The saved model, which has seen it, says ");
      note.append(element("bdi", "label", now));
      made.append(note);
    }
    return made;
  }

  function open(button) {
    const cell = data.cells[button.dataset.cell];
    const left = cell.n - cell.documents.length;
    const title = get("texts-title");
    title.replaceChildren(element("bdi", "label", cell.truth), " called ");
    title.append(element("bdi", "label", cell.said));
    get("texts-count").textContent =
      `${number(cell.n)} ${cell.n === 1 ? "text" : "texts"}, the surest first` +
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
    const called = right + wrong;
    const recall = right / curve.positive;
    get("threshold-value").textContent = (step / 100).toFixed(2);
    get("at-precision").textContent = called ? percent(right / called) : "none called";
    get("at-recall").textContent = percent(recall);
    get("at-f1").textContent = percent((2 * right) / (called + curve.positive));
    get("at-called").textContent = number(called);
    get("at-right").textContent = number(right);
    get("at-wrong").textContent = number(wrong);
    get("at-missed").textContent = number(curve.positive - right);
    get("at-positive").textContent = number(curve.positive);
    for (const charts of document.querySelectorAll("[data-curve]")) {
      charts.hidden = Number(charts.dataset.curve) !== chosen;
      if (charts.hidden) continue;
      const [pr, roc] = charts.querySelectorAll("figure");
      movePoint(pr, recall, called ? right / called : 1);
      movePoint(roc, wrong / curve.negative, recall);
    }
  }

  if (get("threshold")) {
    get("threshold").addEventListener("input", moveThreshold);
    get("curve-class").addEventListener("change", moveThreshold);
    moveThreshold();
  }
})();
