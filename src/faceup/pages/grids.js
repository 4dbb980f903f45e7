"use strict";
// The 13 x 13 charts of all hands: what the bot does, and what the blueprint does.

// Shares of actions with every hand, averaged over the holes of each class: {n, hole: one of them, shares}. shares[action][hole].
function chartOf(actions, shares, rows) {
  const classes = Array.from({ length: 169 }, () => ({ n: 0, hole: -1, shares: actions.map(() => 0) }));
  rows.forEach((hand, h) => {
    if (!hand) return;
    const one = classes[classOf(h)];
    actions.forEach((_, k) => { one.shares[k] += shares[k][h]; });
    one.n++;
    one.hole = h;
  });
  for (const one of classes) one.shares = one.shares.map(share => share / Math.max(one.n, 1));
  return { actions, classes };
}

// What the bot does with every hand.
const agentChart = (state, rows) => {
  const actions = offered(state, MENU, LABELS);
  return chartOf(actions, allShares(treesOf(agent.file)[state.street], agent.depth, rows, state, actions), rows);
};

// The blueprint in the spot as which it reads a line: {own: that line, state, actions, sharesOf(hand's features, hole)}; null where it has none.
function blueprintAt(line) {
  const own = DATA.blueprint && readAs(line, MENU, LABELS);
  if (own === null) return null;
  const { state } = readLine(own), actions = offered(state, MENU, LABELS);
  const sharesOf = (hand, h) => blueprintShares(DATA.blueprint, state.street, own, groupOf(DATA.blueprint, state.street, hand, h), actions.length);
  return { own, state, actions, sharesOf };
}

// What it does with every hand.
function blueprintChart(line, rows) {
  const at = blueprintAt(line);
  if (!at) return null;
  const shares = at.actions.map(() => new Float64Array(N_HOLES));
  rows.forEach((hand, h) => hand && at.sharesOf(hand, h).forEach((share, k) => { shares[k][h] = share; }));
  return { ...at, ...chartOf(at.actions, shares, rows) };
}

// A chart: how often each action is taken with each hand, as shares of its cell. chosen: the class that is marked, or -1; pick(hole): called
// with a hole of the class that was clicked.
function gridView(name, state, { actions, classes }, chosen, pick) {
  const names = actions.map(action => actionName(state, action, LABELS));
  const made = element("div", { class: "grid", role: "group", "aria-label": `${name}: pairs on the diagonal, suited above it` });
  classes.forEach((one, k) => {
    let at = 0;
    const stops = one.shares.map((share, i) => `${DATA.colors[actions[i].label]} ${at}% ${at += 100 * share}%`);
    const said = names.map((name, i) => [name, one.shares[i]]).filter(([, share]) => share >= 0.005)
      .map(([name, share]) => `${name} ${(100 * share).toFixed(0)} %`).join(", ");
    const text = `${className(k)}: ${one.n ? said : "not possible"}`, cell = button(className(k), () => pick?.(one.hole), {
      title: text, "aria-label": text, "aria-pressed": String(k === chosen), tabindex: k === Math.max(chosen, 0) ? 0 : -1, disabled: !one.n });
    if (one.n) cell.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    made.append(cell);
  });
  withArrows(made, 13);
  return element("div", {}, made, keyView(actions.map(action => action.label), names));
}
