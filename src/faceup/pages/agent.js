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

const dollars = amount => "$" + round(amount).toLocaleString("en-US");
const percent = (share, digits = 3) => Number((100 * share).toPrecision(digits)) + " %";

// A threshold with its unit, as Python says it; wording: of the feature, from faceup.holdem.play.words.
function number(wording, value) {
  if (wording.dollars) return dollars(value);
  return Number((wording.percent ? 100 * value : value).toPrecision(4)) + (wording.percent ? " %" : "");
}

const condition = (wording, threshold, above) => (above ? wording.above : wording.at_most).replace("{}", number(wording, threshold));

// The answers on a path, those about one feature put together: {feature, value, low, high}, in the order of first mention.
function answersOn(tree, path, x) {
  const answers = {};
  for (const node of path.slice(0, -1)) {
    const k = tree.feature[node], at = tree.threshold[node];
    const found = answers[tree.names[k]] ??= { feature: tree.names[k], value: x[k], low: -Infinity, high: Infinity };
    if (x[k] <= at) found.high = Math.min(found.high, at);
    else found.low = Math.max(found.low, at);
  }
  return Object.values(answers);
}

// One reason as a poker player says it: [what the hand has, between which limits the tree saw it]. x[0] is the hand's equity.
function reason(answer, equity, state, wording) {
  const limits = [];
  if (answer.low > -Infinity) limits.push("above " + number(wording, answer.low));
  if (answer.high < Infinity) limits.push("at most " + number(wording, answer.high));
  const later = answer.feature.match(/^(\w+)_equity_p(\d+)$/);
  return later ? [laterFact(answer, later[1], Number(later[2]), equity, state), `this hand’s mark: ${percent(answer.value)}`]
    : [fact(answer, state), limits.join(", ")];
}

// A limit of a mark among later equities: "the best 30 % of rivers leave the hand above 71 %".
function laterFact({ value, low, high }, street, share, equity, state) {
  const kind = !state.street ? "" : share >= 70 && value >= equity + 0.2 ? "draw: " : share <= 30 && value <= equity - 0.2 ? "vulnerable: " : "";
  const said = [];
  const best = share === 100 ? `the best ${street} leaves` : `the best ${100 - share} % of ${street}s leave`;
  const rest = share === 100 ? `no ${street} leaves the hand above` : `the worst ${share} % of ${street}s leave the hand at most at`;
  if (low > -Infinity) said.push(`${best} the hand above ${percent(low)}`);
  if (high < Infinity) said.push(`${rest} ${percent(high)}`);
  return kind + said.join(", and ");
}

function fact({ feature, value }, state) {
  const bet = feature.match(/^(opponent|own)_bet_(\w+)$/);
  if (feature === "equity") return `equity ${percent(value)}`;
  if (feature === "button") return value ? "on the button" : "in the big blind";
  if (feature === "bet_faced") return value ? `bet faced ${percent(value)} of the pot` : "no bet to call";
  if (feature === "stack_to_pot") return `stack ${Number(value.toPrecision(3))} pots`;
  if (bet) return betFact(bet[1], bet[2], value, state);
  return `${feature} is ${value}`;
}

function betFact(who, street, value, state) {
  const own = who === "own", now = STREETS[state.street] === street;
  if (!value) return `${own ? "own bet" : "opponent"}: nothing ${now ? "yet " : ""}on the ${street}`;
  if (street === "preflop" && value <= BIG_BLIND) return `${own ? "own" : "opponent’s"} blind only (${dollars(value)}): no raise before the flop`;
  return `${own ? "own" : "opponent’s"} ${street} bet ${dollars(value)}`;
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
