"use strict";
// What the pages share: elements whose text is never markup, and the theme.
const Common = (function () {
  const get = (id) => document.getElementById(id);

  // Characters that could hide or reverse other text are shown as escapes.
  const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;
  const visible = (text) =>
    String(text).replace(CONTROL, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

  function element(name, className, text) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = visible(text);
    return node;
  }

  const show = (id, text) => { get(id).textContent = text; get(id).hidden = !text; };

  const problemText = (problem) =>
    problem.detail + (problem.advice ? " (" + problem.advice + ")" : "");

  const THEMES = { system: "System", light: "Light", dark: "Dark" };
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  let theme = stored() in THEMES ? stored() : "system";

  function setTheme(name) {
    theme = name;
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    get("theme-name").textContent = THEMES[name];
    get("theme").setAttribute("aria-label", "Theme: " + THEMES[name]);
    try { localStorage.setItem("theme", name); } catch { /* it is forgotten, then */ }
  }

  get("theme").addEventListener("click", () => {
    const names = Object.keys(THEMES);
    setTheme(names[(names.indexOf(theme) + 1) % names.length]);
  });
  setTheme(theme);
  return { get, visible, element, show, problemText };
})();
