"use strict";
// The view of one threshold: a raise to $200, which the tree takes for none. Everything is counted from the tree.

const ASKED = "opponent_bet_preflop", TRAINED = 200;
const asksIt = tree => tree.feature.findIndex((k, node) => tree.names[k] === ASKED && tree.threshold[node] === TRAINED) >= 0;

// What the big blind does with each hand after a raise to an amount, if its tree asks at another number: {state, actions, shares, mean}.
function afterRaise(amount, asks, rows) {
  const tree = treesOf(agent.file)[0], { state } = readLine(`b${amount}`), actions = offered(state, MENU, LABELS);
  const threshold = tree.threshold.map((at, node) => tree.names[tree.feature[node]] === ASKED && at === TRAINED ? asks : at);
  const shares = allShares({ ...tree, threshold }, agent.depth, rows, state, actions);
  return { state, actions, shares, mean: shares.map(share => sum(share) / N_HOLES) };
}

async function drawStory() {
  if (!asksIt(treesOf(agent.file)[0])) choose("OCT", Infinity);
  const rows = await allNumbersOf([]), amount = Number($("raise").value), asks = Number($("asks").value);
  const here = afterRaise(amount, asks, rows), folds = at => afterRaise(at, asks, rows).mean[0];
  for (const [id, value] of [["raise", amount], ["asks", asks]]) {
    $(`${id}-now`).textContent = dollars(value);
    $(id).setAttribute("aria-valuetext", dollars(value));
  }
  $("story-said").textContent = `To a raise to ${dollars(amount)} ${agent.name} folds ${percent(here.mean[0])} of its hands and defends ${percent(1 - here.mean[0])}.`;
  const sizes = [...new Set([200, 201, 250, 300, amount])].sort((a, b) => a - b);
  $("raises").replaceChildren(element("table", { class: "raises" }, ...sizes.map(size => {
    const { state, actions, mean } = afterRaise(size, asks, rows), names = actions.map(action => actionName(state, action, LABELS));
    return element("tr", { class: size === amount ? "lit" : "" }, element("th", { scope: "row" }, dollars(size)),
      element("td", {}, barView(mean, actions.map(action => action.label), names)), element("td", {}, `folds ${percent(mean[0])}`));
  })), keyView(here.actions.map(action => action.label), here.actions.map(action => DATA.names[action.label])));
  const usual = blueprintChart("b300", rows), usualFolds = usual && sum(usual.classes.map(one => one.n * one.shares[0])) / N_HOLES;
  $("story-why").textContent = (asks === TRAINED ? `One dollar, from $200 to $201, moves ${percent(folds(201) - folds(200))} of its hands into the muck. `
    : `With the question at ${dollars(asks)} it folds ${percent(folds(200))} to $200 and ${percent(folds(201))} to $201. `) +
    "Any number from $100 to $299 fits the training equally well, as no case lies in between: the data cannot tell where the question should stand, a reader can." +
    (usual ? ` To $300, the smallest raise that it knows, the blueprint folds ${percent(usualFolds)}.` : "");
  $("story-grid").replaceChildren(gridView("the bot", here.state, chartOf(here.actions, here.shares, rows), -1, askAbout));
  remember("story", { raise: amount, asks });

  function askAbout(hole) {
    openSpot({ seat: "1", cards: cardText(HIGH[hole]) + cardText(LOW[hole]), bet: `b${amount}` });
    show("ask");
    draw();
  }
}

function startStory() {
  const set = (id, value) => { $(id).value = value; drawStory(); };
  for (const id of ["raise", "asks"]) $(id).addEventListener("input", drawStory);
  for (const value of [200, 201]) $(`raise-${value}`).addEventListener("click", () => set("raise", value));
  $("as-trained").addEventListener("click", () => set("asks", TRAINED));
}
