"use strict";
// Which view is shown, which agent is chosen, and the link that brings one back there.

const chosenAgent = () => ({ agent: agent.name, depth: agent.depth });
const trouble = text => { $("trouble").textContent = text; $("trouble").hidden = !text; };
const VIEWS = ["ask", "play", "story"];
const EXAMPLE = { seat: "1", cards: "Ac3hKh3sJc____", bet: "b300c/" }; // the paper's hand: what the page shows at first
let written = ""; // the last link that the page wrote itself

// Put the view's state into the address, which is a link to it.
function remember(view, state) {
  if ($(view).hidden) return;
  written = "#" + new URLSearchParams({ view, ...chosenAgent(), ...state });
  try { history.replaceState(null, "", written); } catch { /* a sandboxed frame has no address of its own */ }
}

function show(view) {
  document.body.dataset.view = view;
  for (const name of VIEWS) {
    $(name).hidden = name !== view;
    $(`to-${name}`).ariaCurrent = name === view ? "page" : null;
  }
}

const versions = () => DATA.agents.filter(one => one.name === agent.name);

function drawAgent() {
  const all = versions(), at = all.indexOf(agent), leaves = sum(treesOf(agent.file).map(tree => leavesOf(tree, agent.depth)));
  drawScore();
  $("agent").value = agent.name;
  Object.assign($("depth"), { max: all.length - 1, value: at, disabled: all.length < 2 });
  $("depth").setAttribute("aria-valuetext", $("depth-now").textContent = agent.depth);
  const { blueprint, br_pot, br_blueprint, lbr_56 } = agent.facts, blinds = x => (x / 1000).toFixed(2).replace("-", "−");
  const measured = [[blueprint, "won from the blueprint"], [br_blueprint, "lost to a best response with the blueprint’s bet sizes"],
    [br_blueprint ? null : br_pot, "lost to a best response limited to pot and all-in"], [lbr_56, "lost to a local best response with 56 bets"]];
  const said = measured.filter(([found]) => found).map(([[mbb, ci95], what]) => `${blinds(mbb)} ± ${blinds(ci95)} ${what}`).join("; ");
  $("facts").textContent = `${leaves.toLocaleString("en-US")} leaves; what the names mean`;
  $("measured").textContent = said && `${agent.name}, measured in big blinds a hand: ${said}.`;
}

function choose(name, depth) {
  const all = DATA.agents.filter(one => one.name.toLowerCase() === name.toLowerCase());
  if (!all.length) return;
  const found = all.find(one => one.depth === Number(depth)) ?? all.at(-1);
  if (found !== agent) results = [];
  agent = found;
  drawAgent();
}

function drawView() {
  if (!$("ask").hidden) draw();
  else if (!$("story").hidden) drawStory();
  else if (hand) drawHand();
  else startHand({ seat: 0 });
}

// Go where the address points.
function follow() {
  const state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  choose(state.agent ?? agent.name, state.depth ?? agent.depth);
  show(VIEWS.includes(state.view) ? state.view : "ask");
  for (const id of ["raise", "asks"]) if (state[id]) $(id).value = state[id];
  try {
    if (state.view !== "play") openSpot(location.hash.length > 1 ? state : EXAMPLE);
    else if (state.mine || !hand) {
      const cards = name => parseCards(state[name] ?? "");
      readLine(state.bet ?? "");
      return startHand({ seat: state.seat === "1" ? 1 : 0, mine: cards("mine"), theirs: cards("theirs"), board: cards("board"), line: state.bet });
    }
    drawView();
  } catch (error) { trouble(`The link cannot be read: ${error.message}`); }
}

// What is large in the data is compressed, as explorer.py says.
async function readLarge() {
  const bytes = Uint8Array.from(atob($("large").textContent), c => c.charCodeAt(0));
  Object.assign(DATA, await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json());
}

function main() {
  $("agent").append(...[...new Set(DATA.agents.map(one => one.name))].map(name => element("option", { value: name }, name)));
  $("agent").addEventListener("change", () => { choose($("agent").value, agent.depth); drawView(); });
  $("depth").addEventListener("input", () => { choose(agent.name, versions()[Number($("depth").value)].depth); drawView(); });
  $("unit").addEventListener("change", () => { unit = Number($("unit").value); drawView(); drawScore(); });
  for (const view of VIEWS) $(`to-${view}`).addEventListener("click", () => { show(view); drawView(); });
  startAsk();
  startPlay();
  startStory();
  window.addEventListener("hashchange", () => location.hash !== written && follow());
  follow();
}

readLarge().then(main, error => trouble(`The page needs a browser of 2023 or later: ${error.message}`));
