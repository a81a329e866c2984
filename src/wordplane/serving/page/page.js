"use strict";
// Asks the server as the text changes, and labels files. All text is added as text, never as markup.
(function () {
  const { get, visible, element, show, problemText } = Common;
  const number = (n) => n.toLocaleString("en");
  const percent = (share) => (100 * share).toFixed(1) + "\u202f%";
  const LEVELS = 4, MAX_BARS = 8, PREVIEW_ROWS = 8, PREVIEW_CHARACTERS = 20000, MANY_LABELS = 20, MAX_CARDS = 12;
  let models = [], takesFeedback = false, token = "", running = null, timer = 0, flipTimer = 0;
  let predicted = null, unread = null; // the label that is shown; a file that could not be read

  function bar(share) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "bar");
    svg.setAttribute("viewBox", "0 0 100 8");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    for (const [className, width] of [["track", 100], ["fill", 100 * share]]) {
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      rect.setAttribute("class", className);
      rect.setAttribute("width", width.toFixed(2));
      rect.setAttribute("height", "8");
      svg.append(rect);
    }
    return svg;
  }

  const model = () => models[Math.max(get("model").selectedIndex, 0)];
  const headers = () => (token ? { Authorization: "Bearer " + token } : {});

  // The JSON of an answer. A problem document becomes an error with its words.
  async function ask(path, body, signal) {
    const options = { headers: headers(), signal };
    if (body !== undefined) {
      options.method = "POST";
      options.headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    const answer = await fetch(path, options);
    const found = await answer.json();
    get("token-form").hidden = answer.status !== 401;
    if (!answer.ok) throw new Error(problemText(found));
    return found;
  }

  // The text

  function changed() {
    clearTimeout(timer);
    clearTimeout(flipTimer);
    if (running) running.abort();
    if (!get("text").value.trim()) {
      get("result").hidden = true;
      show("try-problem", "");
      return;
    }
    timer = setTimeout(() => explain(false), 120);
  }

  async function explain(flip) {
    const text = get("text").value;
    running = new AbortController();
    try {
      const found = await ask("/v1/explain", { text, model: model().name, flip, top_k: 1 }, running.signal);
      if (text !== get("text").value) return;
      show("try-problem", "");
      showResult(text, found, flip);
      if (!flip && !model().numbers) flipTimer = setTimeout(() => explain(true), 300);
    } catch (error) {
      if (error.name === "AbortError") return;
      get("result").hidden = true;
      show("try-problem", error.message);
    }
  }

  const figure = (n) => Number(n.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });

  function showNumber(text, found) {
    get("result").hidden = false;
    get("label").textContent = figure(found.prediction);
    get("probability").textContent = found.interval
      ? `nine of ten texts like it: ${figure(found.interval[0])} to ${figure(found.interval[1])}` : "";
    highlight(text, found.words);
    get("chances").replaceChildren();
    get("flip").replaceChildren();
  }

  function showResult(text, found, flip) {
    if (model().numbers) return showNumber(text, found);
    get("result").hidden = false;
    if (!flip) preset(found.label);
    get("label").textContent = visible(found.label);
    get("probability").textContent = percent(found.probability);
    highlight(text, found.words);
    const chances = found.probabilities.slice(0, MAX_BARS).map((one) => {
      const row = element("tr"), name = element("th"), cell = element("td");
      name.scope = "row";
      name.append(element("bdi", "", one.label));
      cell.append(bar(one.probability));
      row.append(name, cell, element("td", "number", percent(one.probability)));
      return row;
    });
    get("chances").replaceChildren(...chances);
    const said = get("flip");
    said.replaceChildren();
    if (!flip || model().multilabel) return;
    if (!found.flip) {
      said.append("No words can be taken away that would change the label.");
      return;
    }
    said.append("Without ");
    found.flip.words.forEach((word, i) => said.append(i ? ", " : "", element("bdi", "label", word)));
    said.append(" it would be ", element("bdi", "label", found.flip.label), ".");
  }

  // Offsets count code points, of which some are two units of a JavaScript string.
  function highlight(text, words) {
    const points = Array.from(text);
    const nodes = [];
    let at = 0;
    for (const { start, end, weight } of words) {
      const level = Math.round(Math.abs(weight) * LEVELS);
      if (level === 0) continue;
      nodes.push(visible(points.slice(at, start).join("")));
      const word = points.slice(start, end).join("");
      nodes.push(element("mark", (weight > 0 ? "for" : "against") + level, word));
      at = end;
    }
    nodes.push(visible(points.slice(at).join("")));
    get("highlighted").replaceChildren(...nodes);
  }

  // Feedback: the field shows the label that was predicted for the text, until another is chosen.

  const hasMany = () => model().labels.length > MANY_LABELS;
  const field = () => get(hasMany() ? "right-of-many" : "right");
  const chosen = () => model().labels.find((label) => visible(label) === field().value);

  function preset(label) {
    predicted = label;
    field().value = visible(label);
    show("feedback-said", "");
    allowFeedback(true);
  }

  function allowFeedback(isAllowed) {
    get("confirm").disabled = !isAllowed;
    get("correct").disabled = !isAllowed || chosen() === undefined;
  }

  async function sendFeedback(label) {
    allowFeedback(false);
    try {
      await ask("/v1/feedback", { text: get("text").value, label, model: model().name });
      show("feedback-said", `Stored as ${visible(label)}.`);
    } catch (error) {
      show("feedback-said", error.message);
      allowFeedback(true);
    }
  }

  // A file

  function labelFile(file) {
    const isLines = /\.(jsonl|ndjson)$/i.test(file.name);
    resetFile();
    if (!isLines && !/\.csv$/i.test(file.name)) {
      show("file-problem", `${visible(file.name)} is not a CSV or JSONL file by its name.`);
      return;
    }
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({ model: model().name, keep: "true" });
    if (get("encoding").value) query.set("encoding", get("encoding").value);
    request.open("POST", "/v1/predict?" + query);
    request.setRequestHeader("Content-Type", isLines ? "application/jsonl" : "text/csv");
    if (token) request.setRequestHeader("Authorization", "Bearer " + token);
    request.responseType = "blob";
    get("file-progress").hidden = false;
    request.upload.onprogress = (event) => {
      get("file-progress").value = event.lengthComputable ? event.loaded / event.total : 0;
      show("file-status", `Sending ${visible(file.name)}: ${number(Math.round(event.loaded / 1024))} KiB`);
    };
    request.upload.onload = () => {
      get("file-progress").removeAttribute("value");
      show("file-status", "Labeling");
    };
    request.onprogress = (event) =>
      show("file-status", `Labeling: ${number(Math.round(event.loaded / 1024))} KiB are back`);
    request.onerror = () => fail("The answer broke off. The log of the server has the cause; often a row cannot be read.");
    request.onload = async () => {
      if (request.status === 401) get("token-form").hidden = false;
      if (request.status !== 200) refuse(file, JSON.parse(await request.response.text()));
      else await finishFile(file, request.response, isLines);
    };
    request.send(file);
  }

  function resetFile() {
    for (const id of ["file-status", "file-problem"]) show(id, "");
    for (const id of ["file-progress", "file-done", "file-suggestion", "preview-box"]) get(id).hidden = true;
    unread = null;
  }

  // If it is the encoding, offer the one that the server suggests; choosing any sends the file again.
  function refuse(file, problem) {
    const found = /encoding="([\w-]+)"/.exec(problem.detail);
    const name = found && found[1].replace("-le", ""); // of utf-16-le
    const option = Array.from(get("encoding").options).find((one) => one.value === name);
    if (!option) {
      fail(problemText(problem));
      return;
    }
    const why = problem.detail.split(";")[0].replace("the body, ", "");
    fail(visible(file.name) + ", " + why + ". Choose the encoding that it was saved in.");
    unread = file;
    get("suggested").textContent = "Read it as " + option.textContent;
    get("suggested").value = option.value;
    get("file-suggestion").hidden = false;
  }

  function fail(text) {
    resetFile();
    show("file-problem", text);
  }

  async function finishFile(file, blob, isLines) {
    get("file-progress").hidden = true;
    const head = await blob.slice(0, PREVIEW_CHARACTERS).text();
    const rows = isLines ? parseLines(head) : parseCsv(head);
    const link = get("download");
    if (link.href.startsWith("blob:")) URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(blob);
    link.download = file.name.replace(/\.(\w+)$/, "-labeled.$1");
    show("file-status", `${visible(file.name)} is labeled.`);
    get("file-done").hidden = false;
    preview(rows);
    link.focus();
  }

  function preview(rows) {
    const lines = rows.slice(0, PREVIEW_ROWS + 1).map((cells, i) => {
      const line = element("tr");
      // The last columns are ours.
      for (const cell of [...cells.slice(-2), ...cells.slice(0, -2)]) {
        const node = element(i === 0 ? "th" : "td");
        node.append(element("bdi", "", cell.slice(0, 200)));
        line.append(node);
      }
      return line;
    });
    const head = element("thead"), body = element("tbody");
    head.append(...lines.slice(0, 1));
    body.append(...lines.slice(1));
    get("preview").replaceChildren(head, body);
    get("preview-box").hidden = lines.length < 2;
  }

  function parseCsv(text) {
    const rows = [[]];
    let cell = "", quoted = false;
    for (let i = 0; i < text.length && rows.length <= PREVIEW_ROWS + 2; i++) {
      const c = text[i];
      if (quoted) {
        if (c !== '"') cell += c;
        else if (text[i + 1] === '"') { cell += '"'; i++; }
        else quoted = false;
      } else if (c === '"') quoted = true;
      else if (c === "," || c === "\n") {
        rows[rows.length - 1].push(cell);
        cell = "";
        if (c === "\n") rows.push([]);
      } else cell += c;
    }
    return rows.slice(0, -1);
  }

  function parseLines(text) {
    const objects = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    const names = objects.length ? Object.keys(objects[0]) : [];
    const cells = (one) => names.map((name) => (typeof one[name] === "string" ? one[name] : JSON.stringify(one[name]) || ""));
    return [names, ...objects.map(cells)];
  }

  function dropped(event) {
    event.preventDefault();
    get("drop").classList.remove("over");
    const file = event.dataTransfer && event.dataTransfer.files[0];
    if (file) labelFile(file);
  }

  // The model

  function showModel() {
    const one = model();
    get("model-name").textContent = visible(one.name);
    document.title = visible(one.name) + ": Wordplane";
    get("chances").closest("table").hidden = one.numbers;
    const labels = one.labels.slice(0, 6).map(visible).join(", ") + (one.labels.length > 6 ? ` and ${number(one.labels.length - 6)} more` : "");
    const kind = one.multilabel ? "Gives a text any of" : "Tells apart";
    const good = one.accuracy ? ` Right for ${percent(one.accuracy.value)} of ${number(one.accuracy.texts)} test texts.` : "";
    get("summary").textContent = one.numbers
      ? `Predicts a number${one.target ? ": " + visible(one.target) : ""}.`
      : `${kind} ${number(one.labels.length)} labels: ${labels}.${good}`;
    const columns = Object.keys(one.columns);
    get("text").disabled = columns.length > 0;
    if (columns.length) show("try-problem", `This model also needs the columns ${columns.map(visible).join(", ")}: label a file that has them.`);
    const options = one.labels.map((label) => element("option", "", label));
    get(hasMany() ? "labels" : "right").replaceChildren(...options);
    get("right").hidden = hasMany();
    get("right-of-many").hidden = !hasMany();
    get("feedback").hidden = !takesFeedback || one.multilabel || one.numbers;
    predicted = null;
    const between = ([low, high]) => `95\u202f% interval ${figure(low)} to ${figure(high)}`;
    const measured = one.numbers ? (one.scores ? [
      ["Mean absolute error", figure(one.scores.mae), between(one.scores.mae_interval)],
      ["Rank correlation", figure(one.scores.spearman), between(one.scores.spearman_interval)],
    ] : [["Mean absolute error", "–", "not measured"]]) : [
      ["Accuracy", one.accuracy ? percent(one.accuracy.value) : "–",
       one.accuracy ? `95\u202f% interval ${percent(one.accuracy.low)} to ${percent(one.accuracy.high)}` : "not measured"],
      ["Labels", number(one.labels.length), one.multilabel ? "any number per text" : "one per text"],
    ];
    const tiles = [
      ...measured,
      ["Trained on", one.texts === null ? "–" : number(one.texts), "texts"],
      ["Features", number(one.features), "words, runs of words, characters"],
    ].map(([name, value, note]) => {
      const tile = element("div");
      tile.append(element("dt", "", name), element("dd", "", value), element("dd", "small", note));
      return tile;
    });
    get("tiles").replaceChildren(...tiles);
    get("words").replaceChildren(...one.top_words.slice(0, MAX_CARDS).map(wordTable));
    const hidden = one.labels.length - MAX_CARDS;
    show("more-words", hidden > 0 ? `The words of ${number(hidden)} more labels are not shown.` : "");
    const facts = [["Tested on", one.tested_on], ["Learner", one.learner], ["Data", one.source], ["Version", one.digest], ["Loaded", one.loaded]];
    get("facts").replaceChildren(...facts.filter(([, value]) => value).flatMap(
      ([name, value]) => [element("dt", "", name), element("dd", "", value)]));
    changed();
  }

  function wordTable({ label, words }) {
    const box = element("div"), head = element("h4"), table = element("table", "features");
    head.append(element("bdi", "label", label));
    const most = Math.max(...words.map((one) => Math.abs(one.weight)), 1e-12);
    for (const one of words.slice(0, 8)) {
      const row = element("tr"), name = element("td"), cell = element("td");
      name.append(element("bdi", "", one.word));
      cell.append(bar(Math.max(one.weight, 0) / most));
      row.append(name, cell);
      table.append(row);
    }
    box.append(head, table);
    return box;
  }

  async function loadModels() {
    try {
      const found = await ask("/v1/models");
      models = found.models;
      get("model").replaceChildren(...models.map((one) => element("option", "", one.name)));
      get("choose").hidden = models.length < 2;
      takesFeedback = found.feedback;
      showModel();
    } catch (error) {
      get("summary").textContent = get("token-form").hidden ? error.message : "Enter the token to see the models.";
    }
  }

  get("text").addEventListener("input", changed);
  get("model").addEventListener("change", showModel);
  get("feedback").addEventListener("submit", (event) => {
    event.preventDefault();
    sendFeedback(chosen());
  });
  get("confirm").addEventListener("click", () => sendFeedback(predicted));
  for (const id of ["right", "right-of-many"]) get(id).addEventListener("input", () => allowFeedback(true));
  get("right-of-many").addEventListener("focus", () => get("right-of-many").select());
  get("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    token = get("token").value.trim();
    loadModels();
  });
  get("file").addEventListener("change", () => {
    if (get("file").files[0]) labelFile(get("file").files[0]);
    get("file").value = "";
  });
  get("suggested").addEventListener("click", () => {
    get("encoding").value = get("suggested").value;
    labelFile(unread);
  });
  get("encoding").addEventListener("change", () => { if (unread) labelFile(unread); });
  get("again").addEventListener("click", () => { resetFile(); get("file").focus(); });
  const drop = get("drop");
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", dropped);
  // A file that is dropped beside the field must not replace the page.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
  loadModels();
})();
