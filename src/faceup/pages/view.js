"use strict";
// Pieces of the page that both views use.

const { labels: LABELS, menu: MENU } = DATA;
const SUIT_SIGNS = ["♣", "♦", "♥", "♠"], SUIT_NAMES = ["clubs", "diamonds", "hearts", "spades"];
const SEATS = ["button", "big blind"];

const cardName = card => `${RANK_NAMES[card >> 2]} of ${SUIT_NAMES[card & 3]}`;
const cardsText = cards => cards.map(cardText).join("");

function cardView(card, attributes = {}) {
  const shown = RANKS[card >> 2] + SUIT_SIGNS[card & 3];
  return element("span", { class: `card ${SUITS[card & 3]}`, role: "img", "aria-label": cardName(card), ...attributes }, shown);
}

// One tab stop for many buttons in rows: the arrow keys move among them.
function withArrows(container, columns) {
  const buttons = () => [...container.querySelectorAll("button")];
  const focus = target => {
    for (const each of buttons()) each.tabIndex = each === target ? 0 : -1;
    target.focus();
  };
  container.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    const all = buttons(), next = all[all.indexOf(document.activeElement) + step];
    if (step && next) { event.preventDefault(); focus(next); }
  });
}

// --- hands: computed by a worker, so that the page stays alive; without workers (some sandboxed frames) on the page itself ---

let worker = null, asked = 0;
const waiting = new Map(); // number of a question -> {question, done}
try {
  const scripts = ["cards", "exploit", "worker"].map(name => $(`script-${name}`).textContent).join("\n");
  worker = new Worker(URL.createObjectURL(new Blob([scripts], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => { waiting.get(data.id).done(data); waiting.delete(data.id); };
  worker.onerror = () => {
    worker = null;
    for (const { question, done } of waiting.values()) done(serve(question));
    waiting.clear();
  };
} catch { /* not allowed here */ }

function compute(question) {
  if (!worker) return new Promise(done => setTimeout(() => done(serve(question))));
  return new Promise(done => { waiting.set(++asked, { question, done }); worker.postMessage({ ...question, id: asked }); });
}

// A hand's numbers on a board: {whole, x, later}; all hands': a row of features each, null where the board blocks it.
async function numbersOf(hole, board) {
  const street = BOARD_CARDS.indexOf(board.length);
  const found = street ? await compute({ board, hole }) : { whole: wholeFeatures(hole, null, DATA.preflop), later: {} };
  return { ...found, x: features(found.whole, street) };
}

async function allNumbersOf(board) {
  if (board.length) return (await compute({ board })).rows;
  return Array.from({ length: N_HOLES }, (_, h) => features(wholeFeatures(h, null, DATA.preflop), 0));
}

// --- the chosen agent ------------------------------------------------------------------------------------------------

const unpacked = new Map();
const treesOf = file => unpacked.get(file) ?? unpacked.set(file, STREETS.map(street => unpack(DATA.files[file][street]))).get(file);
let agent = DATA.agents.at(-1);

// What the agent does with a hand: tree, features, way through the tree, and the share of each action that it offers.
function decide(state, hand) {
  const tree = treesOf(agent.file)[state.street], x = rowOf(tree, hand, state), path = pathOf(tree, x, agent.depth);
  const actions = offered(state, MENU, LABELS);
  return { tree, x, path, actions, shares: legalShares(tree.value[path.at(-1)], actions) };
}

// --- answers -----------------------------------------------------------------------------------------------------------

// A bar of shares; names: what each is called.
function barView(shares, labels, names) {
  const made = element("span", { class: "bar", role: "img" }), said = [];
  shares.forEach((share, i) => {
    if (share < 0.0005) return;
    const text = `${names[i]} ${(100 * share).toFixed(1)} %`, k = labels[i];
    const part = element("span", { class: DATA.dark[k] ? "dark" : "", title: text }, share >= 0.1 ? (100 * share).toFixed(0) : "");
    part.style.width = 100 * share + "%";
    part.style.background = DATA.colors[k];
    said.push(text);
    made.append(part);
  });
  made.setAttribute("aria-label", said.join(", "));
  return made;
}

const swatch = label => {
  const made = element("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = DATA.colors[label];
  return made;
};

const money = amount => (amount <= -0.5 ? "−" : "") + dollars(Math.abs(amount));

// What actions are worth against the bot: dollars on the river; before it, where the betting to come is left out, only which are better.
function worths(state, values) {
  const best = Math.max(...values), close = potAndCall(state)[0] / 20;
  return values.map(value => state.street === 3 ? money(value) : value === best ? "best" : best - value < close ? "close" : "worse");
}

const ROUGH = "“Best”, “close” (within 5 % of the pot) and “worse” are a rough guess, as if both only checked or called from here on.";
const exact = after => `Value: what is won from here on against the cards that the other may hold by these trees, if ${after}; folding is 0.`;

// values: what each action is worth, where that is known.
function mixtureView(state, { actions, shares }, values = null) {
  const names = actions.map(action => actionName(state, action, LABELS)), worth = values && worths(state, values);
  const rows = actions.map((action, i) => ({ name: element("span", {}, swatch(action.label), names[i]),
    cells: [percent(shares[i]), ...(values ? [worth[i]] : [])] }));
  return element("div", {}, barView(shares, actions.map(a => a.label), names), actionTable(values ? ["share", "value"] : ["share"], rows));
}

// Why the bot does what it mostly does: the conditions that decide, how far they carry, and the whole path on request.
// rows: features of all hands on the board; took: the action that it drew, if it has acted.
function reasonsView(state, { tree, path, x, actions, shares }, rows, took = null) {
  const hands = rows.filter(hand => hand).map(hand => rowOf(tree, hand, state)), { ranges, met, kept } = deciding(tree, x, hands, actions, agent.depth, state);
  const list = found => element("ul", { class: "reasons" }, ...Object.entries(found).map(([feature, range]) =>
    element("li", {}, rangeWords(DATA.wording[feature], ...range, x[tree.names.indexOf(feature)]))));
  const whole = rangesOn(tree, path, x), n = Object.keys(whole).length, some = Object.keys(ranges).length, count = number => number.toLocaleString("en-US");
  const likeliest = shares.indexOf(Math.max(...shares)), name = k => `“${actionName(state, actions[k], LABELS)}”`, same = one => one.amount === took.amount && one.action === took.action;
  const k = took ? actions.findIndex(same) : likeliest, action = (k < 0 || k === likeliest ? "" : `${name(k)} was drawn by chance, as in ${percent(shares[k], 2)} of cases. `) + `It most often chooses ${name(likeliest)}`;
  if (!n) return element("p", {}, "The tree asks nothing: it has one answer for all hands.");
  return element("div", {}, element("p", {}, some ? `${action}, because` : `${action}, as with nearly every hand here.`), some ? list(ranges) : "",
    note(`The same is likeliest with ${count(kept)} of the ${count(met)} hands ${some ? `that meet these conditions, of ${count(hands.length)} possible` : "possible"}. Equity is that against a random hand.`),
    element("details", {}, element("summary", {}, `The whole path: ${n} condition${n > 1 ? "s" : ""}`), list(whole)));
}

// How often each equity will occur on the last street to come.
function histogramView({ later }) {
  const street = Object.keys(later).at(-1);
  if (!street) return "";
  const W = 600, H = 125, BINS = 60, counts = new Array(BINS).fill(0), said = `The hand’s equity on each possible ${STREETS[street]}`;
  for (const value of later[street]) counts[Math.min(BINS - 1, Math.floor(BINS * value / UNITS[street]))]++;
  const made = svg("svg", { viewBox: `0 0 ${W} ${H + 20}`, class: "histogram", role: "img", "aria-label": said });
  counts.forEach((n, i) => {
    const h = H * n / Math.max(...counts);
    made.append(svg("rect", { x: i * W / BINS, y: H - h, width: W / BINS - 1, height: h, fill: "#8fb8d4" }));
  });
  for (const tick of [0, 25, 50, 75, 100]) {
    made.append(svg("text", { x: W * tick / 100, y: H + 15, "font-size": 16, "text-anchor": tick ? tick === 100 ? "end" : "middle" : "start" }, `${tick} %`));
  }
  return element("figure", { style: "margin:0.4rem 0" }, made, element("figcaption", { class: "note" }, said));
}

// --- the tree: branches are written out when first opened ----------------------------------------------------------------

// open: how many levels are written out at first, beside the way of the hand.
function treeView({ tree, path, x }, open = 0) {
  const lit = new Set(path), most = agent.depth;
  const branch = (node, depth, text) => {
    const end = tree.feature[node] < 0 || depth >= most, share = 100 * tree.weight[node] / tree.weight[0];
    const row = element("span", { class: "row" }, element("span", { class: "text" }, text),
      !end && element("span", { class: "size" }, `${leavesOf(tree, most - depth, node).toLocaleString("en-US")} leaves`),
      barView(tree.value[node], LABELS.map((_, k) => k), DATA.names),
      element("span", { class: "share" }, share < 0.005 ? "< 0.01 %" : `${share.toFixed(share < 9.95 ? 2 : 1)} %`));
    const mark = lit.has(node) ? " lit" : "";
    if (end) return element("div", { class: "leaf" + mark }, row);
    const made = element("details", { class: mark.trim() || undefined }, element("summary", {}, row));
    made.addEventListener("toggle", () => made.open && fill(made, node, depth));
    if (lit.has(node) || depth < open) { made.open = true; fill(made, node, depth); }
    return made;
  };
  const fill = (made, node, depth) => {
    if (made.childElementCount > 1) return;
    const name = tree.names[tree.feature[node]], wording = DATA.wording[name], at = tree.threshold[node];
    for (const [child, above] of [[tree.left[node], false], [tree.right[node], true]]) {
      const own = lit.has(child) && element("b", {}, ` – here ${numbers(wording, [x[tree.feature[node]]])[0]}`);
      const text = element("span", {}, condition(wording, at, above), own || "");
      made.append(branch(child, depth + 1, text));
    }
  };
  const top = branch(0, 0, "all decisions of the round");
  return element("div", { class: "tree" }, keyView(LABELS.map((_, k) => k), DATA.names), top);
}

// What the colors of actions mean.
function keyView(labels, names) {
  return element("p", { class: "note" }, ...labels.map((label, i) => element("span", { class: "named" }, swatch(label), names[i])));
}

// --- bets ------------------------------------------------------------------------------------------------------------------

// Buttons for every legal action, bets of any size among them; chosen(action, amount).
function betsView(state, chosen) {
  const [pot, toCall] = potAndCall(state), [least, most] = legalRaises(state), base = state.bets[1 - state.actor][state.street];
  const made = element("div", { class: "choices" });
  const add = (action, amount, text, key) => made.append(
    button(text ?? actionName(state, { action, amount }), () => chosen(action, amount), key && { "data-key": key }));
  if (toCall) add("fold", 0, null, "F");
  add("call", 0, null, "C");
  if (!least) return made;
  const word = base ? "raise to" : "bet";
  const sizes = [[0.5, "½ pot"], [1, "pot"], [2, "2 × pot"]].map(([size, name]) => [base + round(size * (pot + toCall)), name]);
  for (const [amount, name] of sizes) if (amount >= least && amount < most) add("raise", amount, `${word} ${dollars(amount)} (${name})`);
  add("raise", most, null, "A");
  if (least === most) return made;
  const amount = element("input", { type: "number", min: least / unit, max: most / unit, step: 1 / unit, required: true, value: least / unit,
    "aria-label": `${word}, from ${dollars(least)} to ${dollars(most)}` });
  const send = () => amount.reportValidity() && chosen("raise", Math.round(amount.value * unit));
  amount.addEventListener("keydown", event => {
    if (event.key !== "Enter") return; // a form cannot be sent in JupyterLab
    event.preventDefault(); // else the key would press what is focused next
    send();
  });
  made.append(element("span", { class: "any", "data-key": base ? "R" : "B" }, unit === 1 ? "$" : "bb", amount, button(word, send)));
  return made;
}

// The moves of a line, a street a line: "flop: big blind checks, button bets $300".
function movesView(line, names) {
  const streets = [[], [], [], []];
  for (const move of readLine(line).moves) {
    streets[move.before.street].push(`${names[move.player]}: ${actionName(move.before, move)}`);
  }
  return STREETS.map((street, s) => streets[s].length && element("li", {}, `${street} – ${streets[s].join(", ")}`)).filter(Boolean);
}

// Cards in random order (Fisher and Yates).
function shuffled(cards) {
  const deck = [...cards];
  for (let i = deck.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}
