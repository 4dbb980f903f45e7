"use strict";
// What every page is made with: its data, and elements of HTML.

const DATA = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);

// element("button", {type: "button", class: "x", onclick: f}, "text", child, ..)
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter(child => child !== undefined && child !== null && child !== false));
  return made;
}

const button = (text, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, text);
// Signs for the eye, and their name for a screen reader.
const named = (signs, name) => element("span", {}, element("span", { "aria-hidden": "true" }, signs), element("span", { class: "said" }, name));
const note = text => element("p", { class: "note" }, text);

// An element of a drawing.
function svg(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// A key presses the button that has it as data-key, or goes to the field inside; not while a number is written. B and R are the same.
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input[type=number], select")) return;
  const same = key => key.toUpperCase().replace("R", "B"), shown = one => one.offsetParent && !one.disabled;
  const found = [...document.querySelectorAll("[data-key]")].find(one => shown(one) && same(one.dataset.key) === same(event.key));
  if (!found) return;
  event.preventDefault();
  const field = found.querySelector("input");
  field?.select();
  (field ?? found)[field ? "focus" : "click"]();
});

// A table of actions: heads of the columns, and rows {name, mine: whether the reader took it, cells}.
function actionTable(heads, rows) {
  const line = ({ name, mine, cells }) => element("tr", { class: mine ? "lit" : "" },
    element("th", { scope: "row" }, name, mine && element("b", {}, " (you)")), ...cells.map(text => element("td", {}, text)));
  const head = element("tr", {}, element("td"), ...heads.map(text => element("th", { scope: "col" }, text)));
  return element("table", { class: "mixture" }, element("thead", {}, head), element("tbody", {}, ...rows.map(line)));
}
