"use strict";
// An agent: four decision trees, one a street, over a hand's features and the bets so far; and its reasons in words.

// A file lists a tree's nodes in preorder: a split, its left branch, its right branch. Splits get the mean of what is below them.
function unpack(file) {
  const n = file.feature.length;
  const tree = { feature: file.feature, names: file.feature_names, threshold: [], left: [], right: [], value: [], weight: [] };
  let split = file.threshold.length, leaf = file.value.length;
  const waiting = [];
  for (let i = n - 1; i >= 0; i--) {
    if (file.feature[i] < 0) {
      leaf--;
      tree.value[i] = file.value[leaf].map(part => part / sum(file.value[leaf]));
      tree.weight[i] = file.weight[leaf];
    } else {
      tree.threshold[i] = Math.fround(file.threshold[--split]);
      const l = tree.left[i] = waiting.pop(), r = tree.right[i] = waiting.pop();
      tree.weight[i] = tree.weight[l] + tree.weight[r];
      tree.value[i] = tree.value[l].map((v, k) => (v * tree.weight[l] + tree.value[r][k] * tree.weight[r]) / tree.weight[i]);
    }
    waiting.push(i);
  }
  return tree;
}

// The betting features of the models, by name; the player to act is "own".
function betFeatures(state) {
  const put = sum(state.bets[state.actor]), faced = sum(state.bets[1 - state.actor]) - put;
  const found = {
    button: state.actor === 0 ? 1 : 0, bet_faced: Math.fround(faced / (2 * put)), stack_to_pot: Math.fround((STACK - put) / (2 * put)),
  };
  STREETS.forEach((street, s) => {
    found[`opponent_bet_${street}`] = state.bets[1 - state.actor][s];
    found[`own_bet_${street}`] = state.bets[state.actor][s];
  });
  return found;
}

// A row of a tree's features: the hand's, then those of the betting that the tree has.
function rowOf(tree, hand, state) {
  const betting = betFeatures(state);
  return [...hand, ...tree.names.slice(hand.length).map(name => betting[name])];
}

// The nodes from the root to where row x ends; a tree is cut after `most` questions.
function pathOf(tree, x, most = Infinity) {
  const path = [0];
  for (let node = 0; tree.feature[node] >= 0 && path.length <= most; path.push(node)) {
    node = x[tree.feature[node]] <= tree.threshold[node] ? tree.left[node] : tree.right[node];
  }
  return path;
}

// A tree's answer over the legal actions alone; where nothing is left it checks or calls.
function legalShares(value, actions) {
  const shares = actions.map(action => value[action.label]), total = sum(shares);
  return shares.map((share, i) => total > 0 ? share / total : actions[i].label === CALL ? 1 : 0);
}

// Leaves of a tree that is cut after `most` questions.
function leavesOf(tree, most, node = 0) {
  if (tree.feature[node] < 0 || most === 0) return 1;
  return leavesOf(tree, most - 1, tree.left[node]) + leavesOf(tree, most - 1, tree.right[node]);
}

// --- words -------------------------------------------------------------------------------------------------------------

let unit = 1; // in which amounts are shown: dollars, or big blinds of 100
const dollars = amount => unit === 1 ? "$" + round(amount).toLocaleString("en-US") : `${Number((amount / unit).toFixed(2)).toLocaleString("en-US")} bb`;
const percent = (share, digits = 3) => Number((100 * share).toPrecision(digits)) + " %";

// Numbers with their unit, as Python says them: with the fewest digits that tell different ones apart, and from 0 and 1.
function numbers(wording, values) {
  if (wording.dollars) return values.map(value => dollars(Math.floor(value)));
  const scale = wording.percent ? 100 : 1, all = [...new Set([...values, 0, 1])];
  let digits = 3;
  const text = x => String(Number((scale * x).toPrecision(digits)));
  while (digits < 9 && new Set(all.map(text)).size < all.length) digits++;
  return values.map(value => text(value) + (wording.percent ? " %" : ""));
}

// A feature between two limits, with its own value in brackets where that is known; wording: from faceup.holdem.wording.
function rangeWords(wording, low, high, value = null) {
  if (high < wording.least) return wording.none;
  if (low < wording.least && high === Infinity) return wording.some;
  const form = low === -Infinity ? wording.at_most : high === Infinity ? wording.above : wording.between;
  const limits = [low, high].filter(Number.isFinite), texts = numbers(wording, value === null ? limits : [...limits, value]);
  const unit = form.includes("{} equity") ? " equity" : ""; // the share of boards is another number
  const here = value !== null && form.includes("{}") ? ` (here ${texts.at(-1)}${unit})` : "";
  return form.replace(/\{\}/g, () => texts.shift()) + here;
}

const condition = (wording, threshold, above) => rangeWords(wording, above ? threshold : -Infinity, above ? Infinity : threshold);

// --- reasons: what decides the likeliest action, as src/faceup/holdem/deciding.py finds it ----------------------------------

const ENOUGH = 0.9, MOST = 4;
const isHand = name => name.includes("equity");

// Conditions put together by feature, {feature: [above, at most]}; a condition: {name, limit, above}.
function merged(conditions) {
  const ranges = {};
  for (const { name, limit, above } of conditions) {
    const range = ranges[name] ??= [-Infinity, Infinity];
    if (above) range[0] = Math.max(range[0], limit);
    else range[1] = Math.min(range[1], limit);
  }
  return ranges;
}

// The conditions on a path with features x.
const rangesOn = (tree, path, x) => merged(path.slice(0, -1).map(node => (
  { name: tree.names[tree.feature[node]], limit: tree.threshold[node], above: x[tree.feature[node]] > tree.threshold[node] })));

const combinations = (items, n, from = 0) => n ? items.slice(from).flatMap((one, i) =>
  combinations(items, n - 1, from + i + 1).map(rest => [one, ...rest])) : [[]];

// The fewest conditions with a share of at least ENOUGH, or else those with the largest share; share(conditions): [share, preference].
function fewest(conditions, most, share) {
  let found = [], best = -1, enough = false;
  for (let n = 0; n <= Math.min(most, conditions.length) && !enough; n++) {
    for (const chosen of combinations(conditions, n)) {
      const [part, preferred] = share(chosen), better = part >= ENOUGH ? !enough || preferred > best : !enough && part > best;
      if (better) [found, best, enough] = [chosen, part >= ENOUGH ? preferred : part, part >= ENOUGH];
    }
  }
  return found;
}

// What decides a tree's answer to features x: ranges, and how many hands meet them, and how many of these have the same likeliest
// action. hands: features of all hands with the same betting; actions: the legal ones; depth: at which the tree is cut. In the state, with
// nothing to call, it is clear what the opponent put in.
function deciding(tree, x, hands, actions, depth, state) {
  const given = potAndCall(state)[1] ? [] : ["bet_faced", `opponent_bet_${STREETS[state.street]}`], fixed = name => isHand(name) || given.includes(name);
  const known = [], path = pathOf(tree, x, depth);
  const first = shares => shares.indexOf(Math.max(...shares)), likeliest = node => known[node] ??= first(legalShares(tree.value[node], actions));
  const wanted = likeliest(path.at(-1)), same = hands.map(row => Number(likeliest(pathOf(tree, row, depth).at(-1)) === wanted));
  const conditions = Object.entries(rangesOn(tree, path, x)).flatMap(([name, range]) => range.map((limit, side) => (
    { name, limit, above: !side, column: tree.names.indexOf(name) }))).filter(({ limit }) => Number.isFinite(limit));
  const bits = hands.map(row => conditions.reduce((all, { column, limit, above }, k) => all | (row[column] > limit === above) << k, 0));
  const count = chosen => {
    const wants = chosen.reduce((all, one) => all | 1 << conditions.indexOf(one), 0);
    let met = 0, kept = 0;
    for (let h = 0; h < hands.length; h++) if ((bits[h] & wants) === wants) { met++; kept += same[h]; }
    return { met, kept };
  };
  const handShare = chosen => { const { met, kept } = count(chosen); return [kept / met, met]; };
  const weighted = (ranges, node, below) => { // the share of the branch's weight with the action, at any betting in the ranges
    const k = tree.feature[node], at = tree.threshold[node];
    if (k < 0 || below === depth) return Number(likeliest(node) === wanted);
    const [low, high] = ranges[tree.names[k]] ?? [-Infinity, Infinity], is = fixed(tree.names[k]);
    const sides = [(is ? x[k] <= at : low < at) && tree.left[node], (is ? x[k] > at : high > at) && tree.right[node]].filter(Boolean);
    return sum(sides.map(side => weighted(ranges, side, below + 1) * tree.weight[side])) / sum(sides.map(side => tree.weight[side]));
  };
  const betShare = chosen => Array(2).fill(weighted(merged(chosen), 0, 0));
  const hand = fewest(conditions.filter(one => isHand(one.name)), MOST, handShare), room = MOST - Object.keys(merged(hand)).length;
  return { ranges: merged([...hand, ...fewest(conditions.filter(one => !fixed(one.name)), room, betShare)]), ...count(hand) };
}

// What is at stake: "$900 in the pot, $300 to call: pot odds 3 to 1, so that a call needs 25 % to win".
function situation(state) {
  const [pot, toCall] = potAndCall(state);
  if (!toCall) return `${dollars(pot)} in the pot, no bet to call`;
  const odds = Number((pot / toCall).toPrecision(2)), needs = percent(toCall / (pot + toCall), 2);
  return `${dollars(pot)} in the pot, ${dollars(toCall)} to call: pot odds ${odds} to 1, so a call needs ${needs} equity to break even`;
}

// What an offered action is called: "check", "call $300", "bet $600 (pot)", "raise to $900 (pot)", "all-in, $20,000".
// A size that is not the agent's own (`other`) is named in dollars alone.
function actionName(state, { action, amount, label, other }, labels) {
  const [, toCall] = potAndCall(state), [, most] = legalRaises(state);
  if (action === "fold") return "fold";
  if (action === "call") return toCall ? `call ${dollars(Math.min(toCall, STACK - sum(state.bets[state.actor])))}` : "check";
  if (amount === most) return `all-in, ${dollars(amount)}`;
  const size = labels && !other && label > CALL ? labels[label].replace("raise_", "") : "", pots = size === "1" ? "pot" : `${size} × pot`;
  return `${state.bets[1 - state.actor][state.street] ? "raise to" : "bet"} ${dollars(amount)}${size ? ` (${pots})` : ""}`;
}
