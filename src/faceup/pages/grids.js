"use strict";
// The 13 x 13 charts of all hands: what the agent does, what the blueprint does, and how the two differ.

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

// What the agent does with every hand.
function agentChart(state, rows) {
  const actions = offered(state, MENU, LABELS);
  return chartOf(actions, allShares(treesOf(agent.file)[state.street], agent.depth, rows, state, actions), rows);
}

// What the blueprint does with every hand in the spot as which it reads a line; null where it has none.
function blueprintChart(line, rows) {
  const own = DATA.blueprint && readAs(line, MENU, LABELS);
  if (own === null) return null;
  const { state } = readLine(own), actions = offered(state, MENU, LABELS), shares = actions.map(() => new Float64Array(N_HOLES));
  rows.forEach((hand, h) => {
    if (!hand) return;
    const group = groupOf(DATA.blueprint, state.street, hand, h);
    blueprintShares(DATA.blueprint, state.street, own, group, actions.length).forEach((share, k) => { shares[k][h] = share; });
  });
  return { own, state, ...chartOf(actions, shares, rows) };
}

// A chart of buttons. chosen: the class that is marked, or -1; pick(hole): a hole of the class that was clicked; look(class): {said, background}.
function cellsView(name, classes, chosen, pick, look) {
  const made = element("div", { class: "grid", role: "group", "aria-label": `${name}: pairs on the diagonal, suited above it` });
  classes.forEach((one, k) => {
    const { said, background } = one.n ? look(one, k) : { said: "not possible", background: "" }, text = `${className(k)}: ${said}`;
    const cell = button(className(k), () => pick(one.hole), {
      title: text, "aria-label": text, "aria-pressed": String(k === chosen), tabindex: k === Math.max(chosen, 0) ? 0 : -1,
    });
    cell.disabled = !one.n;
    cell.style.background = background;
    made.append(cell);
  });
  withArrows(made, 13);
  return made;
}

// How often each action is taken with each hand, as shares of its cell.
function gridView(name, state, { actions, classes }, chosen, pick) {
  const names = actions.map(action => actionName(state, action, LABELS));
  const look = one => {
    let at = 0;
    const stops = one.shares.map((share, i) => `${DATA.colours[actions[i].label]} ${at}% ${at += 100 * share}%`);
    const said = names.map((name, i) => [name, one.shares[i]]).filter(([, share]) => share >= 0.005)
      .map(([name, share]) => `${name} ${(100 * share).toFixed(0)} %`).join(", ");
    return { said, background: `linear-gradient(to right, ${stops.join(", ")})` };
  };
  return element("div", {}, cellsView(name, classes, chosen, pick, look), keyView(actions.map(action => action.label), names));
}

// Shares by label of a class in a chart, in the order of LABELS.
const byLabel = (chart, k) => LABELS.map((_, label) => sum(chart.classes[k].shares.filter((_, i) => chart.actions[i].label === label)));

// Where the agent departs from the blueprint: {n, hole, more: its shares less the blueprint's by label, apart: the part of its play that differs}.
function differences(agents, blueprint) {
  return agents.classes.map(({ n, hole }, k) => {
    const usual = byLabel(blueprint, k), more = byLabel(agents, k).map((share, i) => share - usual[i]);
    return { n, hole, more, apart: sum(more.map(Math.abs)) / 2 };
  });
}

// A cell has the colour of what the agent does more often than the blueprint, in full where half of its play or more differs.
function differenceView(classes, chosen, pick) {
  const look = ({ more, apart }) => {
    const colour = DATA.colours[more.indexOf(Math.max(...more))], moved = more.map((x, i) => [DATA.names[i], 100 * x])
      .filter(([, x]) => Math.abs(x) >= 0.5).map(([name, x]) => `${name} ${x > 0 ? "+" : "−"}${Math.abs(x).toFixed(0)}`);
    const said = `${(100 * apart).toFixed(0)} % of its play differs${moved.length ? ": " : ""}${moved.join(", ")}`;
    return { said, background: `color-mix(in srgb, ${colour} ${Math.min(100, 200 * apart).toFixed(0)}%, white)` };
  };
  return element("div", {}, cellsView("the difference", classes, chosen, pick, look),
    element("p", { class: "note" }, "Colour: the action that the agent takes more often than the blueprint, in full where half of its play or more differs."));
}
