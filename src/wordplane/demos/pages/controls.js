// Sliders and choices: each has a name, under which `settings` has its value.
//
// slider   {name, label, min, max, step, value}; with log, min, max and step are those of log10
// choice   {name, label, options, value}

function slider(spec, change) {
  const id = `set-${spec.name}`;
  const toPlace = (value) => (spec.log ? Math.log10(value) : value);
  const toValue = (place) => (spec.log ? 10 ** place : place);
  const input = element("input", { type: "range", id, min: spec.min, max: spec.max, step: spec.step });
  input.value = toPlace(spec.value);
  const output = element("output", { for: id });
  const show = (value) => {
    output.textContent = shown(value);
    input.setAttribute("aria-valuetext", shown(value));
  };
  show(spec.value);
  input.addEventListener("input", () => change(spec.name, toValue(Number(input.value))));
  const node = element("div", { class: "control" }, element("label", { for: id }, spec.label), input, output);
  const update = (value, max) => {
    if (max !== undefined) input.max = max;
    input.value = toPlace(value);
    show(value);
  };
  return { node, update };
}

function choice(spec, change) {
  const id = `set-${spec.name}`;
  const select = element("select", { id }, ...spec.options.map((name) => element("option", { value: name }, name)));
  select.value = spec.value;
  select.addEventListener("change", () => change(spec.name, select.value));
  const node = element("div", { class: "control" }, element("label", { for: id }, spec.label), select);
  return { node, update: (value) => (select.value = value) };
}

// A sentence to type: {name, label, text: true, value}
function textField(spec, change) {
  const id = `set-${spec.name}`;
  const input = element("input", { type: "text", id, spellcheck: "false", autocomplete: "off" });
  input.value = spec.value;
  input.addEventListener("input", () => change(spec.name, input.value));
  const node = element("div", { class: "control wide" }, element("label", { for: id }, spec.label), input);
  const update = (value) => {
    if (input.value !== value) input.value = value;
  };
  return { node, update };
}

// The buttons under a plane whose points can be added and deleted.
function pointButtons(plane, classes, newClass, chooseClass) {
  const row = element("div", { class: "buttons" });
  if (classes.length > 1) {
    const id = `new-${plane.spec.list}`;
    const select = element("select", { id }, ...classes.map((name, k) => element("option", { value: k }, name)));
    select.value = newClass;
    select.addEventListener("change", () => chooseClass(Number(select.value)));
    row.append(element("label", { for: id }, "New points are"), select);
  }
  row.append(button("Add (+)", () => plane.addNear()), button("Delete (Del)", () => plane.removeSelected()));
  if (classes.length > 1) row.append(button("Change class (C)", () => plane.relabelSelected()));
  return row;
}

// Previous and next step; N and P do the same from anywhere but a field of text.
function stepButtons(step) {
  const isTyping = (target) => target.matches?.("input[type=text], textarea, select");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key.toLowerCase() === "n") step(1);
    if (event.key.toLowerCase() === "p") step(-1);
  });
  return element(
    "div",
    { class: "buttons" },
    button("◀ Previous (P)", () => step(-1)),
    button("Next step (N) ▶", () => step(1)),
    button("Start", () => step(-Infinity)),
    button("End", () => step(Infinity)),
  );
}
