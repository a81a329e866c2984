"use strict";
// The text to label, its keys, and the numbers beside it. lists.js has the panels below.
const Annotate = (function () {
  const { get, element, visible, show, problemText } = Common;
  const KEYS = "123456789asdfhjklqwertyiopzxvbnm"; // c, g and u do something else
  const LONG = 20000; // characters; more of a text are shown on request: browsers take seconds for a megabyte
  const FEW = KEYS.length; // with more labels, they are found by typing
  const REASONS = {
    random: "Drawn at random: measures accuracy", uncertain: "The model is unsure",
    rare: "May have a rare label", doubt: "The model doubts its label", overlap: "Somebody else labeled it too",
    cluster: "Typical of a group of texts", words: "Has words that you named", likely: "Likely what you look for",
    direct: "You chose it", search: "You searched for it",
  };
  let token = null, item = null, status = null, chosen = new Set(), busy = false, words = [], whole = false;
  let showsGuess = stored("guess") === "1";

  function stored(name) { try { return localStorage.getItem("annotate-" + name); } catch { return null; } }
  function store(name, value) { try { localStorage.setItem("annotate-" + name, value); } catch { /* forgotten, then */ } }

  get("person").value = stored("person") || "me";
  const person = () => get("person").value.trim() || "me";

  async function ask(path, given) {
    const headers = { "Content-Type": "application/json" };
    if (token) headers.Authorization = "Bearer " + token;
    let response;
    try {
      response = await fetch(path, { method: "POST", headers, body: JSON.stringify({ person: person(), ...given }) });
    } catch {
      throw new Error("The server does not answer. The last answer may not be saved: start `wordplane annotate` again, and reload this page.");
    }
    const answer = await response.json();
    if (response.status === 401) get("token-form").hidden = false;
    if (!response.ok) throw new Error(problemText(answer));
    return answer;
  }

  const say = (text) => { get("said").textContent = visible(text); };

  // One answer at a time: a key that is pressed meanwhile is not lost on the wrong text, it is ignored.
  async function change(path, given, said) {
    if (busy) return;
    busy = true;
    try {
      const answer = await ask(path, given);
      show("problem", "");
      say(said);
      setItem(answer.item);
    } catch (error) {
      show("problem", visible(error.message));
    } finally {
      busy = false;
    }
    refresh();
  }

  function setItem(next) {
    item = next;
    words = [];
    whole = false;
    chosen = new Set(item && status && status.multi ? item.labels || [] : []);
    get("finder").value = "";
    const content = get("content");
    content.classList.remove("flash");
    if (!item) {
      content.textContent = "All texts have an answer.";
      get("reason").textContent = "Done";
      get("name").textContent = "";
      drawChoices();
      return;
    }
    get("reason").textContent = REASONS[item.reason] || item.reason;
    const has = item.labels ? "; now labeled " + item.labels.join(", ") : "";
    get("name").textContent = visible("Text " + item.name + has);
    content.classList.toggle("long", item.content.length > 600);
    drawContent();
    content.scrollTop = 0;
    void content.offsetWidth; // so that the animation starts again
    content.classList.add("flash");
    drawChoices();
    drawGuess();
  }

  // The text, with the words that speak for and against the guess marked, if that is wanted.
  function drawContent() {
    const content = get("content");
    content.replaceChildren();
    const points = Array.from(item.content.slice(0, whole ? undefined : LONG)); // characters, not halves of them
    const most = Math.max(...words.map((word) => Math.abs(word.value)), 1e-9);
    let end = 0;
    for (const word of [...words].sort((a, b) => a.start - b.start)) {
      if (word.start < end || Math.abs(word.value) < 0.1 * most) continue;
      content.append(visible(points.slice(end, word.start).join("")));
      const strength = Math.min(4, 1 + Math.floor(4 * Math.abs(word.value) / most));
      content.append(element("mark", (word.value > 0 ? "for" : "against") + strength, points.slice(word.start, word.end).join("")));
      end = word.end;
    }
    content.append(visible(points.slice(end).join("")));
    if (whole || item.content.length <= LONG) return;
    const more = element("button", "", "Show all " + item.content.length.toLocaleString("en") + " characters");
    more.type = "button";
    more.addEventListener("click", () => { whole = true; drawContent(); });
    content.append(" … ", more);
  }

  function drawGuess() {
    const box = get("guess");
    get("guess-button").setAttribute("aria-pressed", String(showsGuess));
    box.replaceChildren();
    box.hidden = !showsGuess || !item;
    if (box.hidden) return;
    if (item.measures) { box.textContent = "Hidden: this text measures the model."; return; }
    if (!item.guess) { box.textContent = "There is no model yet."; return; }
    const percent = Math.round(100 * item.probability) + " %";
    box.append("The model says ", element("bdi", "", item.guess.join(", ") || "no label"), " (" + percent + ").");
    const shown = item;
    ask("/v1/explain", { text: item.text }).then((answer) => {
      if (item === shown && showsGuess) { words = answer.words; drawContent(); }
    }).catch(() => {});
  }

  const names = () => (status ? status.labels.map((label) => label.name) : []);

  function drawChoices() {
    const box = get("choices"), all = names(), many = all.length > FEW;
    const typed = get("finder").value.trim().toLowerCase();
    const matches = all.filter((name) => name.toLowerCase().includes(typed));
    matches.sort((a, b) => b.toLowerCase().startsWith(typed) - a.toLowerCase().startsWith(typed));
    const wanted = many || typed ? matches.slice(0, 24) : all;
    for (const name of chosen) if (!wanted.includes(name)) wanted.unshift(name);
    get("finder-box").hidden = all.length <= 9;
    get("first-labels").hidden = !status || all.length > 0;
    get("submit").hidden = !(status && status.multi);
    box.replaceChildren();
    for (const name of item ? wanted : []) {
      const button = element("button", item.guess && showsGuess && item.guess.includes(name) ? "guessed" : "");
      button.type = "button";
      const key = many ? "" : KEYS[all.indexOf(name)];
      button.append(element("bdi", "", name));
      if (key) {
        button.append(" ", element("kbd", "", key));
        button.setAttribute("aria-keyshortcuts", key);
      }
      const line = status.labels.find((label) => label.name === name).instruction;
      if (line) button.title = visible(line);
      if (status.multi) button.setAttribute("aria-pressed", String(chosen.has(name)));
      button.addEventListener("click", () => pick(name));
      box.append(button);
    }
  }

  function pick(name) {
    if (!item) return;
    if (!status.multi) { change("/v1/label", { text: item.text, labels: [name] }, "Saved as " + name + "."); return; }
    if (!chosen.delete(name)) chosen.add(name);
    get("finder").value = "";
    drawChoices();
  }

  function submit() {
    if (item) change("/v1/label", { text: item.text, labels: [...chosen] }, "Saved.");
  }

  const skip = () => { if (item) change("/v1/skip", { text: item.text }, "Skipped."); };
  const undo = () => change("/v1/undo", {}, "Undone.");

  // The numbers come after the text: nobody waits for them.
  let pending = null;
  function refresh() {
    if (pending) return;
    pending = setTimeout(async () => {
      pending = null;
      try { setStatus(await ask("/v1/status", {})); } catch { /* said elsewhere */ }
    }, 150);
  }

  const percent = (share) => (100 * share).toFixed(1).replace(".0", "") + " %";

  function setStatus(next) {
    const before = JSON.stringify(status && [status.labels.map((l) => [l.name, l.instruction]), status.multi]);
    status = next;
    const { progress, accuracy } = status;
    document.title = progress.n_labeled + " labeled - Wordplane annotate";
    get("bar").max = progress.n_texts;
    get("bar").value = progress.n_labeled + progress.n_skipped;
    get("n-labeled").textContent = progress.n_labeled.toLocaleString("en") + " of " + progress.n_texts.toLocaleString("en");
    const pace = progress.per_minute ? progress.per_minute.toFixed(0) + " per minute" : "";
    get("pace").textContent = [pace, progress.n_skipped ? progress.n_skipped + " skipped" : ""].filter(Boolean).join(", ");
    get("accuracy").textContent = accuracy.share === null ? "not known yet" : percent(accuracy.share);
    get("interval").textContent = accuracy.share === null
      ? "It is measured on texts drawn at random, once there is a model."
      : "95 % interval " + percent(accuracy.interval[0]) + " to " + percent(accuracy.interval[1]) + ", on the latest "
        + accuracy.n + " random texts. It holds whenever you stop.";
    get("n-doubts").textContent = status.n_doubts || "";
    drawFinding(status.find);
    drawCounts();
    const started = status.labels.filter((label) => label.n).length > 1;
    get("advice").textContent = status.model === null
      ? (started ? "The model is learning." : "The model begins when two labels have texts.")
      : "Model " + status.model + " has learned from " + status.n_learned + " labels.";
    if (before !== JSON.stringify([status.labels.map((l) => [l.name, l.instruction]), status.multi])) drawChoices();
  }

  function drawFinding(find) {
    get("finding").hidden = !find;
    if (!find) return;
    get("found").textContent = find.found.toLocaleString("en");
    const shown = find.found ? " At least " + percent(find.recall) + " of all are found, with 95 % confidence." : "";
    const needed = Object.entries(find.needed).map(([share, n]) => percent(Number(share)) + ": " + n.toLocaleString("en"));
    get("recall").textContent = find.is_reached
      ? "Done:" + shown + " " + find.n_spared.toLocaleString("en") + " texts need not be read."
      : find.n_read + " read." + shown + (find.found < 3 ? " Texts to read, by the share that is relevant: " + needed.join("; ") + "." : "")
        + (find.is_dry ? " Texts are now drawn at random, to show that few are missed." : "");
  }

  function drawCounts() {
    const body = get("counts");
    body.replaceChildren();
    for (const label of status.labels.slice(0, 60)) {
      const row = element("tr"), head = element("th");
      head.scope = "row";
      head.append(element("bdi", "", label.name));
      if (label.instruction) head.append(element("span", "", label.instruction));
      row.append(head, element("td", "number", label.n.toLocaleString("en")));
      body.append(row);
    }
    if (status.labels.length > 60) body.append(element("tr", "", status.labels.length - 60 + " more"));
  }

  function toggleGuess() {
    showsGuess = !showsGuess;
    store("guess", showsGuess ? "1" : "0");
    words = [];
    if (item) { drawContent(); drawGuess(); drawChoices(); }
  }

  function toggleComment() {
    get("comment-form").hidden = !get("comment-form").hidden;
    if (!get("comment-form").hidden) get("comment").focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || get("help").open) return;
    const target = event.target, typing = target.matches("input, textarea, select");
    if (target === get("finder") && event.key === "Enter") {
      event.preventDefault();
      const first = get("finder").value.trim() && get("choices").querySelector("button");
      if (first) { first.click(); if (!status.multi) target.blur(); }
      return;
    }
    if (event.key === "Escape" && typing) { target.blur(); return; }
    if (typing || event.repeat) return;
    const own = { " ": skip, u: undo, c: toggleComment, g: toggleGuess, "?": () => get("help").showModal() };
    if (event.key === "/" && !get("finder-box").hidden) { event.preventDefault(); get("finder").focus(); return; }
    if (event.key === " " && target.matches("button, summary, a")) return; // it presses that button
    if (event.key === "Enter" && status && status.multi && !target.matches("button, a")) { submit(); return; }
    const index = names().length <= FEW ? KEYS.indexOf(event.key) : -1;
    if (own[event.key]) { event.preventDefault(); own[event.key](); }
    else if (event.key.length === 1 && index >= 0 && names()[index]) { event.preventDefault(); pick(names()[index]); }
  });

  get("finder").addEventListener("input", drawChoices);
  get("skip").addEventListener("click", skip);
  get("undo").addEventListener("click", undo);
  get("submit").addEventListener("click", submit);
  get("guess-button").addEventListener("click", toggleGuess);
  get("comment-button").addEventListener("click", toggleComment);
  get("help-button").addEventListener("click", () => get("help").showModal());
  get("person").addEventListener("change", () => { store("person", person()); start(); });
  get("comment-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await ask("/v1/comment", { text: item.text, comment: get("comment").value });
      get("comment").value = "";
      get("comment-form").hidden = true;
      say("Comment kept.");
    } catch (error) { show("problem", visible(error.message)); }
  });
  get("first-labels").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      for (const name of get("new-labels").value.split(",").map((one) => one.trim()).filter(Boolean))
        setStatus(await ask("/v1/change-labels", { action: "add", name }));
      document.activeElement.blur();
    } catch (error) { show("problem", visible(error.message)); }
  });
  get("forecast").addEventListener("click", async () => {
    get("gain").textContent = "Measuring …";
    try {
      const { forecast } = await ask("/v1/forecast", {});
      get("gain").textContent = !forecast ? "There are too few labels to say: 60 are needed, and several of each."
        : "100 more labels: about " + (100 * forecast.gain).toFixed(1) + " points of accuracy (95 %: "
          + (100 * forecast.interval[0]).toFixed(1) + " to " + (100 * forecast.interval[1]).toFixed(1) + ")."
          + (forecast.interval[1] < 0.005 ? " It is time to stop." : "");
    } catch (error) { get("gain").textContent = visible(error.message); }
  });
  get("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    token = get("token").value.trim();
    get("token-form").hidden = true;
    start();
  });

  async function start() {
    try {
      setStatus(await ask("/v1/status", {}));
      setItem((await ask("/v1/next", {})).item);
      show("problem", "");
    } catch (error) { show("problem", visible(error.message)); }
  }
  setInterval(() => { if (!document.hidden && !busy) refresh(); }, 5000);
  start();
  return { ask, setItem, setStatus, refresh, percent, labels: () => (status ? status.labels : []), status: () => status, token: () => token };
})();
