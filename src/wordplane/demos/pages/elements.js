// Nodes of the page. All text is added as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

function element(name, attributes = {}, ...children) {
  const node = setAttributes(document.createElement(name), attributes);
  node.append(...children);
  return node;
}

function shape(name, attributes = {}, ...children) {
  const node = setAttributes(document.createElementNS(SVG, name), attributes);
  node.append(...children);
  return node;
}

function button(label, press, title) {
  const node = element("button", { type: "button", title }, label);
  node.addEventListener("click", press);
  return node;
}

// A number for reading: three digits, and no minus before a zero.
function shown(value, digits = 3) {
  if (value === Infinity || value === -Infinity) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 10 ** -digits / 2)) {
    if (size < 1e-9) return "0";
    return value.toExponential(1).replace("e+", "e").replaceAll("-", "−");
  }
  const text = size >= 1000 ? value.toFixed(0) : value.toFixed(digits);
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return (short === "-0" ? "0" : short).replace("-", "−");
}

const percent = (share) => `${shown(100 * share, 1)} %`;
const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

function tableOf({ caption, head, rows }) {
  const body = rows.map(({ cells, mark }) =>
    element(
      "tr",
      { class: mark ? "mark" : undefined },
      ...cells.map((cell, i) => {
        const inner = typeof cell === "number" ? shown(cell) : cell;
        return element(i ? "td" : "th", i ? { class: typeof cell === "number" ? "number" : undefined } : { scope: "row" }, inner);
      }),
    ),
  );
  const numeric = (i) => rows.length > 0 && typeof rows[0].cells[i] === "number";
  const heads = head.map((name, i) => element("th", { scope: "col", class: numeric(i) ? "number" : undefined }, name));
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...body),
  );
}

// A share from 0 to 1 as a bar in a cell of a table.
function bar(share, className) {
  const node = element("span", { class: `bar ${className || ""}` });
  node.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element("span", { class: "bars", "aria-hidden": "true" }, node);
}
