// Sentences that can be typed: each with its class, more can be added.
//
// edit   {text(i, text), label(i, label), add(), remove(i)}

function textList(spec, classes, edit) {
  const body = element("div", { class: "texts" });
  const more = button("Add a sentence", () => {
    edit.add();
    body.lastChild.querySelector("input").focus();
  });
  const node = element("section", { class: "card" }, element("h2", {}, spec.title), body, more);

  function newRow() {
    const input = element("input", { type: "text", spellcheck: "false", autocomplete: "off" });
    const select = element("select", {}, ...classes.map(([value, name]) => element("option", { value }, name)));
    const row = element("div", { class: "text" }, element("span", { class: "count", "aria-hidden": "true" }), input, select);
    const place = () => [...body.children].indexOf(row);
    const remove = button("✕", () => edit.remove(place()));
    input.addEventListener("input", () => edit.text(place(), input.value));
    select.addEventListener("change", () => edit.label(place(), Number(select.value)));
    row.append(remove);
    return row;
  }

  function update(texts, current) {
    while (body.children.length > texts.length) body.lastChild.remove();
    while (body.children.length < texts.length) body.append(newRow());
    texts.forEach(({ text, label }, i) => {
      const row = body.children[i];
      const [count, input, select, remove] = row.children;
      count.textContent = i + 1;
      if (input.value !== text) input.value = text;
      input.setAttribute("aria-label", `sentence ${i + 1}`);
      select.value = label;
      select.setAttribute("aria-label", `class of sentence ${i + 1}`);
      remove.setAttribute("aria-label", `delete sentence ${i + 1}`);
      row.classList.toggle("current", i === current);
    });
  }
  return { node, update };
}
