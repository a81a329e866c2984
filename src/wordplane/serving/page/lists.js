"use strict";
// The panels below the text: lists of texts, labels, rules, people, settings, export.
(function () {
  const { get, element, visible, show } = Common;
  const { ask, percent } = Annotate;

  function field(name, label, options) {
    const box = element("label", "", label + " ");
    const input = element(options ? "select" : "input");
    input.name = name;
    input.autocomplete = "off";
    for (const [value, text] of options || []) {
      const option = element("option", "", text);
      option.value = value;
      input.append(option);
    }
    box.append(input);
    return box;
  }

  const labelOptions = () => Annotate.labels().map((label) => [label.name, visible(label.name)]);

  function button(text, action) {
    const made = element("button", "", text);
    made.type = "button";
    made.addEventListener("click", () => attempt(action));
    return made;
  }

  function send(text) {
    const made = element("button", "", text);
    made.type = "submit";
    return made;
  }

  async function attempt(action) {
    try { show("panel-problem", ""); await action(); }
    catch (error) { show("panel-problem", visible(error.message)); }
  }

  const say = (text) => { get("panel-said").textContent = visible(text); };

  function table(head, rows) {
    const made = element("table", "rows"), top = element("thead"), line = element("tr"), body = element("tbody");
    for (const name of head) line.append(element("th", "", name));
    top.append(line);
    for (const cells of rows) {
      const row = element("tr");
      cells.forEach((cell, i) => {
        const box = element(i ? "td" : "th");
        box.append(...(Array.isArray(cell) ? cell : [cell instanceof Node ? cell : visible(cell)]));
        row.append(box);
      });
      body.append(row);
    }
    made.append(top, body);
    get("panel-body").replaceChildren(rows.length ? made : element("p", "small", "There are none."));
  }

  const excerpt = (row) => element("bdi", "excerpt", row.content);

  const lookAt = (row) => button("Look at it", async () => {
    Annotate.setItem((await ask("/v1/look", { text: row.text })).item);
    window.scrollTo({ top: 0 });
    get("content").focus();
  });

  const give = (row, label, then) => button(label, async () => {
    await ask("/v1/label", { text: row.text, labels: [label] });
    say("Saved as " + label + ".");
    Annotate.refresh();
    await then();
  });

  const listed = (rows) => table(["Text", "Labels", ""], rows.map((row) => [excerpt(row), (row.labels || []).join(", "), lookAt(row)]));

  const panels = {
    search: {
      title: "Search",
      lead: "Words or phrases, several with commas between them; * stands for any letters: refund*, money back. Look at the sample before you label all that match.",
      form: () => [field("query", "Texts with"), send("Search")],
      async submit(given) {
        const found = await ask("/v1/search", { query: given.query });
        say(found.n.toLocaleString("en") + " texts without a label match; here are " + found.texts.length + " of them.");
        listed(found.texts);
        if (!found.n) return;
        const choose = field("label", "Label all of them", labelOptions());
        const all = button("Label " + found.n.toLocaleString("en") + " texts", async () => {
          const { n } = await ask("/v1/label-matches", { query: given.query, label: choose.querySelector("select").value });
          say(n.toLocaleString("en") + " texts were labeled. Undo takes them all back.");
          Annotate.refresh();
        });
        const box = element("p", "controls");
        box.append(choose, all);
        get("panel-body").append(box);
      },
    },
    doubts: {
      title: "Labels that the model doubts",
      lead: "Models of the other texts would give these another label. Confirm or correct them.",
      async open() {
        const { texts } = await ask("/v1/doubts", {});
        const again = () => panels.doubts.open();
        table(["Text", "Label", "Decide"], texts.map((row) => [
          excerpt(row), (row.labels || []).join(", "),
          [...(row.labels || []), ...row.suggested].map((label) => give(row, label, again)).concat(lookAt(row)),
        ]));
      },
    },
    recheck: {
      title: "Recheck",
      lead: "Texts that have a label, the latest first; or texts without one of which the model is least sure.",
      form: () => [
        field("label", "Label", [["", "any"], ...labelOptions()]),
        field("order", "Texts", [["latest", "that have it"], ["unsure", "that may have it"]]), send("Show"),
      ],
      async submit(given) { listed((await ask("/v1/texts", given)).texts); },
      async open() { listed((await ask("/v1/texts", {})).texts); },
    },
    labels: {
      title: "Labels",
      lead: "Labels keep their texts when they are renamed; those of a merged label have the other one then.",
      form: () => [field("name", "New label"), field("instruction", "When it applies"), send("Add")],
      async submit(given) {
        Annotate.setStatus(await ask("/v1/change-labels", { action: "add", ...given }));
        say("Added " + given.name + ".");
        this.open();
      },
      async open() {
        table(["Label", "Change"], Annotate.labels().map((label) => {
          const name = field("new", "Name"), line = field("instruction", "When it applies");
          name.querySelector("input").value = label.name;
          line.querySelector("input").value = label.instruction;
          const into = field("into", "Merge into", [["", "-"], ...labelOptions().filter(([other]) => other !== label.name)]);
          const save = button("Save", async () => {
            const given = (box) => box.querySelector("input, select").value.trim();
            let current = label.name;
            if (given(line) !== label.instruction)
              Annotate.setStatus(await ask("/v1/change-labels", { action: "instruct", name: current, instruction: given(line) }));
            if (given(name) !== current) {
              Annotate.setStatus(await ask("/v1/change-labels", { action: "rename", name: current, new: given(name) }));
              current = given(name);
            }
            if (given(into)) Annotate.setStatus(await ask("/v1/change-labels", { action: "merge", name: current, into: given(into) }));
            say("Changed.");
            panels.labels.open();
          });
          const box = element("span", "controls");
          box.append(name, line, into, save);
          return [[element("bdi", "", label.name), " (" + label.n + ")"], box];
        }));
      },
    },
    rules: {
      title: "Rules",
      lead: "Words that you trust for a label. Texts that have them are shown early, and learned from with less weight than labels by hand.",
      form: () => [field("pattern", "Texts with"), field("label", "are", labelOptions()), send("Add")],
      async submit(given) { this.draw(await ask("/v1/rules", { action: "add", ...given })); },
      async open() { this.draw(await ask("/v1/rules", {})); },
      draw({ rules }) {
        table(["Rule", "Right", "Errors", ""], rules.map((rule) => [
          rule.pattern + " → " + rule.label + " (" + percent(rule.coverage) + " of the texts)",
          rule.precision === null ? "no labels by hand yet" : percent(rule.precision) + " of " + rule.n_checked + " (95 %: "
            + percent(rule.interval[0]) + " to " + percent(rule.interval[1]) + ")",
          rule.errors.length ? rule.errors.map((row) => element("bdi", "excerpt", row.content)) : "none seen",
          button("Remove", async () => this.draw(await ask("/v1/rules", { action: "remove", number: rule.number }))),
        ]));
      },
    },
    comments: {
      title: "Comments",
      lead: "",
      async open() {
        const { comments } = await ask("/v1/comments", {});
        table(["Text", "Comment", ""], comments.map((one) => [excerpt(one), one.person + ": " + one.comment, lookAt(one)]));
      },
    },
    people: {
      title: "People",
      lead: "When several people label, a tenth of the texts goes to two of them. Kappa and alpha are 1 if they always agree, 0 if no more than by chance.",
      async open() {
        const { agreement, texts } = await ask("/v1/agreement", {});
        say(agreement.map((one) => one.people.join(" and ") + ": " + percent(one.share) + " equal of " + one.n + ", "
          + (one.people.length > 2 || one === agreement[0] ? "alpha " : "kappa ") + (one.value === null ? "not known" : one.value.toFixed(2))
          + " (95 %: " + one.interval.map((x) => x.toFixed(2)).join(" to ") + ")").join("; ") || "Nobody labeled the same text as somebody else.");
        table(["Text", "Who says what", ""], texts.map((row) => [
          excerpt(row), Object.entries(row.said).map(([who, labels]) => who + ": " + labels.join(", ")).join("; "), lookAt(row),
        ]));
      },
    },
    choice: {
      title: "Which text next",
      lead: "The shares of the reasons for which texts are shown. Only those at random measure accuracy.",
      form() {
        const { shares } = Annotate.status();
        return [...Object.entries(shares).map(([reason, share]) => {
          const box = field(reason, reason + " %"), input = box.querySelector("input");
          input.type = "number"; input.min = 0; input.max = 100; input.value = Math.round(100 * share);
          return box;
        }), send("Set")];
      },
      async submit(given) {
        const shares = Object.fromEntries(Object.entries(given).map(([reason, share]) => [reason, Number(share)]));
        Annotate.setStatus(await ask("/v1/shares", { shares }));
        say("Set.");
      },
      async open() {
        const { reasons } = Annotate.status().progress;
        table(["Reason", "Answers so far"], Object.entries(reasons).map(([reason, n]) => [reason, String(n)]));
      },
    },
    export: {
      title: "Export",
      lead: "`wordplane train`, `evaluate` and `audit` read the project file itself.",
      form: () => [
        field("format", "Format", [["csv", "CSV"], ["jsonl", "JSONL"], ["parquet", "Parquet"], ["label-studio", "Label Studio"]]),
        send("Download"),
      ],
      async submit(given) {
        const headers = Annotate.token() ? { Authorization: "Bearer " + Annotate.token() } : {};
        const answer = await fetch("/v1/export?format=" + given.format, { headers });
        if (!answer.ok) throw new Error(Common.problemText(await answer.json()));
        const link = element("a");
        link.href = URL.createObjectURL(await answer.blob());
        link.download = "labels." + (given.format === "label-studio" ? "json" : given.format);
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        say("Downloaded.");
      },
    },
  };

  let current = null;
  function open(name) {
    const panel = panels[name], same = current === name;
    current = same ? null : name;
    for (const tab of get("tabs").children) tab.setAttribute("aria-expanded", String(tab.dataset.panel === current));
    get("panel").hidden = same;
    if (same) return;
    get("panel-title").textContent = panel.title;
    get("panel-lead").textContent = panel.lead;
    get("panel-form").replaceChildren(...(panel.form ? panel.form() : []));
    get("panel-body").replaceChildren();
    say("");
    if (panel.open) attempt(() => panel.open());
  }

  get("panel-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const given = Object.fromEntries([...event.target.elements].filter((one) => one.name).map((one) => [one.name, one.value.trim()]));
    attempt(() => panels[current].submit(given));
  });
  for (const tab of get("tabs").children) {
    tab.setAttribute("aria-expanded", "false");
    tab.setAttribute("aria-controls", "panel");
    tab.addEventListener("click", () => open(tab.dataset.panel));
  }
})();
