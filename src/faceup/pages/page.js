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

// A table of actions: heads of the columns, and rows {name, mine: whether the reader took it, cells}.
function actionTable(heads, rows) {
  const line = ({ name, mine, cells }) => element("tr", { class: mine ? "lit" : "" },
    element("th", { scope: "row" }, name, mine && element("b", {}, " (you)")), ...cells.map(text => element("td", {}, text)));
  const head = element("tr", {}, element("td"), ...heads.map(text => element("th", { scope: "col" }, text)));
  return element("table", { class: "mixture" }, element("thead", {}, head), element("tbody", {}, ...rows.map(line)));
}
