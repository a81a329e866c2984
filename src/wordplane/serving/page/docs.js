"use strict";
// Shows /openapi.json, and sends examples. All text is added as text, never as markup.
(function () {
  const { get, element } = Common;
  let description = null;

  const nameOf = (reference) => reference.split("/").pop();

  // What a value may be, as nodes: names of schemas are links.
  function typeNodes(schema) {
    if (schema.$ref) {
      const link = element("a", "", nameOf(schema.$ref));
      link.href = "#" + nameOf(schema.$ref);
      return [link];
    }
    const forms = schema.anyOf || schema.oneOf;
    if (forms) return forms.flatMap((form, i) => [...(i ? [" or "] : []), ...typeNodes(form)]);
    if (schema.type === "array") return ["list of ", ...typeNodes(schema.items)];
    const limits = [];
    if (schema.enum) limits.push(schema.enum.length + " values");
    if (schema.minimum !== undefined) limits.push("from " + schema.minimum.toLocaleString("en"));
    if (schema.maximum !== undefined) limits.push("up to " + schema.maximum.toLocaleString("en"));
    if (schema.exclusiveMinimum !== undefined) limits.push("between " + schema.exclusiveMinimum + " and " + schema.exclusiveMaximum);
    if (schema.maxLength !== undefined) limits.push("up to " + schema.maxLength.toLocaleString("en") + " characters");
    if (schema.default !== undefined) limits.push("by default " + schema.default);
    return [(schema.type || "anything") + (limits.length ? " (" + limits.join(", ") + ")" : "")];
  }

  function cell(...nodes) {
    const node = element("td");
    node.append(...nodes);
    return node;
  }

  function table(names, rows) {
    const box = element("div", "scroll"), node = element("table", "facts");
    const head = element("thead"), line = element("tr"), body = element("tbody");
    line.append(...names.map((name) => { const th = element("th", "", name); th.scope = "col"; return th; }));
    head.append(line);
    body.append(...rows.map((cells) => { const row = element("tr"); row.append(...cells); return row; }));
    node.append(head, body);
    box.append(node);
    return box;
  }

  const details = (title, ...nodes) => {
    const node = element("details");
    node.append(element("summary", "", title), ...nodes);
    return node;
  };

  const exampleOf = (content) =>
    content.example === undefined ? ""
      : typeof content.example === "string" ? content.example : JSON.stringify(content.example);

  const shellQuoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

  function command(method, path, type, body, needsToken) {
    const parts = ["curl " + location.origin + path];
    if (needsToken) parts.push("-H 'Authorization: Bearer TOKEN'");
    if (type) parts.push(`-H 'Content-Type: ${type}'`, "--data-binary " + (type === "application/json" ? shellQuoted(body) : "@FILE"));
    return parts.join(" \\\n  ");
  }

  function operationNode(path, method, operation) {
    const node = element("article", "operation"), head = element("h3");
    node.id = operation.operationId;
    head.append(element("span", "method", method.toUpperCase()), " ", element("code", "", path));
    node.append(head, element("p", "lead", operation.summary));
    if (operation.description) node.append(element("p", "", operation.description));
    const contents = operation.requestBody ? operation.requestBody.content : {};
    const json = contents["application/json"];
    if (json) {
      const line = element("p");
      line.append("The body is ", ...typeNodes(json.schema), ` as JSON${Object.keys(contents).length > 1 ? ", or a file as " + Object.keys(contents).slice(1).join(" or ") : ""}.`);
      node.append(line);
    }
    const answer = operation.responses["200"].content, type = Object.keys(answer)[0];
    const answered = element("p");
    answered.append("The answer is ", ...typeNodes(answer[type].schema), ` as ${Object.keys(answer).join(", ")}.`);
    node.append(answered, tryNode(path, method, operation, json));
    if (operation.parameters) {
      node.append(details("Parameters", table(["Name", "Type", "Meaning"], operation.parameters.map((one) => [
        cell(element("code", "", one.name)), cell(...typeNodes(one.schema)), cell(one.description || "")]))));
    }
    const problems = Object.entries(operation.responses).filter(([status]) => status !== "200");
    node.append(details("Errors", table(["Status", "Meaning"], problems.map(([status, one]) => [cell(status), cell(one.description)]))));
    return node;
  }

  function tryNode(path, method, operation, json) {
    const example = json ? exampleOf(json) : "";
    const form = element("form", "try"), said = element("pre", "answer-text");
    const shown = element("pre", "", command(method, path, json ? "application/json" : "", example, Boolean(operation.security)));
    const area = element("textarea", "", example), button = element("button", "", "Send");
    area.setAttribute("aria-label", "The body");
    area.rows = 2;
    area.hidden = !json;
    button.type = "submit";
    said.hidden = true;
    said.setAttribute("role", "status");
    form.append(area, button, said);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      said.hidden = false;
      said.textContent = "…";
      try {
        const options = { method: method.toUpperCase(), headers: {} };
        if (operation.security && get("token").value) options.headers.Authorization = "Bearer " + get("token").value.trim();
        if (json) Object.assign(options, { body: area.value }).headers["Content-Type"] = "application/json";
        const answer = await fetch(path, options), text = await answer.text();
        said.textContent = Common.visible(answer.status + "\n" + pretty(text));
      } catch (error) {
        said.textContent = error.message;
      }
    });
    return details("Example", shown, form);
  }

  function pretty(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 1).slice(0, 20000);
    } catch {
      return text.slice(0, 20000);
    }
  }

  function schemaNode(name, schema) {
    const node = element("article", "schema"), head = element("h3", "", name);
    node.id = name;
    node.append(head);
    if (schema.description) node.append(element("p", "lead", schema.description));
    if (!schema.properties) {
      const line = element("p");
      line.append(...typeNodes(schema));
      node.append(line);
      return node;
    }
    const required = schema.required || [];
    node.append(table(["Field", "Type", "Meaning"], Object.entries(schema.properties).map(([field, one]) => [
      cell(element("code", "", field)), cell(...typeNodes(one)),
      cell([required.includes(field) ? "required" : "optional", one.description].filter(Boolean).join(". "))])));
    return node;
  }

  async function load() {
    try {
      description = await (await fetch("/openapi.json")).json();
    } catch (error) {
      get("summary").textContent = error.message;
      return;
    }
    get("summary").textContent = Common.visible(description.info.description + " Version " + description.info.version + ".");
    const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
    get("token-form").hidden = !operations.some(({ operation }) => operation.security);
    for (const tag of description.tags) {
      const section = element("section"), title = tag.name[0].toUpperCase() + tag.name.slice(1);
      section.append(element("h2", "", title), element("p", "lead", tag.description));
      section.append(...operations.filter(({ operation }) => operation.tags.includes(tag.name))
        .map(({ path, method, operation }) => operationNode(path, method, operation)));
      get("operations").append(section);
    }
    get("schemas").append(...Object.entries(description.components.schemas).map(([name, schema]) => schemaNode(name, schema)));
    get("schemas-section").hidden = false;
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }

  get("token-form").addEventListener("submit", (event) => event.preventDefault());
  load();
})();
