
// Answers as the text changes. All text is added as text, never as markup.
(async function () {
  const LEVELS = 4, MAX_BARS = 8, MAX_REASONS = 8, LEAST_SHARE = 0.01;
  const get = (id) => document.getElementById(id);
  const { library, content, card } = JSON.parse(get("data").textContent);
  const count = (n) => n.toLocaleString("en");
  const percent = (share) => (100 * share).toFixed(1) + "\u202f%";
  const figure = (x) => Number(x.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
  let model = null, waiting;
  let chosen; // the label that is explained, if not the one that is given

  // Characters that could hide or reverse other text are shown as escapes.
  const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;
  const visible = (text) =>
    String(text).replace(CONTROL, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

  function element(name, className, ...children) {
    const node = document.createElement(name);
    if (className) node.className = className;
    node.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
    return node;
  }

  const show = (id, text) => { get(id).textContent = visible(text); get(id).hidden = !text; };

  function bar(share) {
    const draw = (name, attributes) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      return node;
    };
    const svg = draw("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
    for (const [kind, width] of [["track", 100], ["fill", 100 * share]])
      svg.append(draw("rect", { class: kind, width: width.toFixed(2), height: 8 }));
    return svg;
  }

  // The text

  const boxes = () => [...document.querySelectorAll("textarea")];
  const document_ = () => Object.fromEntries(model.fields.map((field, i) => [field, boxes()[i].value]));

  function changed() {
    const texts = document_();
    get("result").hidden = Object.values(texts).every((text) => text.trim() === "");
    show("problem", "");
    clearTimeout(waiting);
    if (get("result").hidden) return;
    try {
      const answer = model.predict(texts);
      const best = model.isMultilabel || model.predictsNumbers ? undefined : answer.label;
      const label = chosen === undefined ? best : model.labels[chosen];
      get("result").setAttribute("aria-busy", "true");
      waiting = setTimeout(explain, 0, texts, label);
      showAnswer(answer);
      showChances(answer, label);
    } catch (error) {
      refuse(error);
    }
  }

  // The words are explained when no other key is waiting: a long text has thousands of features.
  function explain(texts, label) {
    try {
      const explanation = model.explainWords(texts, label);
      for (const button of get("chances").querySelectorAll("button"))
        button.setAttribute("aria-pressed", String(model.labels[button.dataset.label] === explanation.label));
      highlight(texts, explanation.words);
      showReasons(texts, explanation);
      get("result").setAttribute("aria-busy", "false");
    } catch (error) {
      refuse(error);
    }
  }

  function refuse(error) {
    get("result").hidden = true;
    show("problem", "This text cannot be classified: " + error.message);
  }

  function showAnswer(answer) {
    const names = model.predictsNumbers ? [figure(answer.number)] : answer.labels;
    const nodes = names.flatMap((name, i) => [i ? ", " : "", element("bdi", "label", name)]);
    get("answer").replaceChildren(...(names.length ? nodes : ["No label"]));
    const isOne = !model.predictsNumbers && !model.isMultilabel;
    get("confidence").textContent = isOne ? percent(Math.max(...answer.probabilities)) : "";
  }

  function showChances({ probabilities }, explained) {
    if (model.predictsNumbers) return;
    const order = probabilities.map((_, k) => k).sort((a, b) => probabilities[b] - probabilities[a] || a - b);
    const shown = order.slice(0, MAX_BARS);
    if (chosen !== undefined && !shown.includes(chosen)) shown.push(chosen);
    const focused = document.activeElement?.dataset?.label;
    get("chances").replaceChildren(...shown.map((k) => {
      const button = element("button", "", element("bdi", "", model.labels[k]));
      button.type = "button";
      button.dataset.label = k;
      button.title = visible(model.labels[k]);
      button.setAttribute("aria-pressed", String(model.labels[k] === explained));
      const name = element("th", "", button);
      name.scope = "row";
      const p = probabilities[k];
      return element("tr", "", name, element("td", "", bar(p)), element("td", "number", percent(p)));
    }));
    if (focused !== undefined) get("chances").querySelector(`[data-label="${Number(focused)}"]`)?.focus();
    const rest = order.length - shown.length;
    show("more", rest > 0 ? `${count(rest)} less probable labels are not shown.` : "");
  }

  function highlight(texts, words) {
    const most = Math.max(...words.map((word) => Math.abs(word.value)), 1e-12);
    get("highlighted").replaceChildren(...model.fields.flatMap((field) => {
      const text = texts[field], body = element("p", "text");
      let plain = "";
      for (const { start, end, value } of words.filter((word) => word.field === field)) {
        const level = Math.round((Math.abs(value) / most) * LEVELS);
        const piece = text.slice(start, end);
        if (level === 0 || piece.trim() === "") { plain += piece; continue; }
        body.append(visible(plain), element("mark", (value > 0 ? "for" : "against") + level, piece));
        plain = "";
      }
      body.append(visible(plain));
      return field ? [element("h3", "", element("bdi", "", field)), body] : [body];
    }));
  }

  // What adds most and what takes away most, by words; features that are in no word by their name.
  function showReasons(texts, { label, words, contributions }) {
    const added = new Map();
    const add = (name, value) => added.set(name, (added.get(name) ?? 0) + value);
    for (const { field, start, end, value } of words)
      if (value !== 0) add(texts[field].slice(start, end).trim().toLowerCase(), value);
    for (const one of contributions) if (one.start === one.end) add(one.feature, one.value);
    added.delete("");
    const sorted = [...added].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const most = Math.abs(sorted[0]?.[1] ?? 1) || 1;
    const strong = sorted.filter(([, value]) => Math.abs(value) >= LEAST_SHARE * most);
    const list = (kind, title, found) => {
      const rows = found.slice(0, MAX_REASONS).map(([name, value]) => element("tr", "",
        element("td", "", element("bdi", "", name)),
        element("td", "wide", bar(Math.abs(value) / most)),
        element("td", "number", (value > 0 ? "+" : "−") + Math.abs(value).toFixed(2))));
      const table = element("table", "features", element("tbody", "", ...rows));
      const none = element("p", "small", "Nothing in this text.");
      return element("div", kind, element("h3", "", ...title), rows.length ? table : none);
    };
    const name = () => element("bdi", "label", label);
    get("reasons").replaceChildren(
      list("", label === null ? ["Raises the number"] : ["Speaks for ", name()], strong.filter(([, value]) => value > 0)),
      list("against", label === null ? ["Lowers the number"] : ["Speaks against ", name()], strong.filter(([, value]) => value < 0)));
  }

  // The model

  function makeFields() {
    get("fields").className = model.fields.length > 1 ? "several" : "";
    get("fields").replaceChildren(...model.fields.map((field) => {
      const box = element("textarea");
      box.rows = 4;
      box.spellcheck = false;
      box.placeholder = field ? "" : "Type or paste a text";
      box.addEventListener("input", () => { chosen = undefined; changed(); });
      const name = element("span", field ? "" : "hidden", field ? element("bdi", "", field) : "Text");
      return element("label", "field", name, box);
    }));
  }

  function showCard() {
    const labels = model.labels.slice(0, 6).map(visible).join(", ")
      + (model.labels.length > 6 ? ` and ${count(model.labels.length - 6)} more` : "");
    const kind = model.isMultilabel ? "Gives a text any of" : "Tells apart";
    show("summary", model.predictsNumbers
      ? `Predicts a number${card.target ? ": " + card.target : ""}.`
      : `${kind} ${count(model.labels.length)} ${model.labels.length === 1 ? "label" : "labels"}: ${labels}.`);
    show("lead", "The answer follows as you type. " + (model.predictsNumbers
      ? "Words that raise the number are blue, words that lower it orange."
      : "Words that speak for the label are blue, words against it orange. Choose another label below to see what speaks for it."));
    get("tiles").replaceChildren(...card.tiles.map(([name, value, note]) =>
      element("div", "", element("dt", "", name), element("dd", "", value), element("dd", "small", note))));
    get("words").replaceChildren(...card.words.map(({ label, words }) => {
      const most = Math.max(...words.map(([, weight]) => weight), 1e-12);
      const rows = words.map(([word, weight]) => element("tr", "",
        element("td", "", element("bdi", "", word)), element("td", "wide", bar(Math.max(weight, 0) / most))));
      const table = element("table", "features", element("tbody", "", ...rows));
      return element("div", "", element("h4", "", element("bdi", "label", label)), table);
    }));
    const hidden = model.labels.length - card.words.length;
    show("more-words", hidden > 0 ? `The words of ${count(hidden)} more labels are not shown.` : "");
    get("facts").replaceChildren(...card.facts.flatMap(([name, value]) =>
      [element("dt", "", name), element("dd", "", element("bdi", "", value))]));
  }

  get("chances").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-label]");
    if (!button) return;
    chosen = Number(button.dataset.label);
    changed();
  });
  try {
    model = await Model.open(...await Promise.all([library, content].map(unpack)));
    makeFields();
    showCard();
    for (const id of ["try", "card"]) get(id).hidden = false;
    boxes()[0].focus();
  } catch (error) {
    get("summary").hidden = true;
    show("problem", "The model cannot be opened in this browser: " + error.message);
  }
})();
