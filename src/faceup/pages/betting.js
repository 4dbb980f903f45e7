"use strict";
// The rules of betting, as src/faceup/holdem/rules.py has them. Player 0 is the button and small blind, and acts first before the
// flop and last after it. A line of betting is written as Slumbot writes it: k check, c call, f fold, bN bet or raise to N dollars
// on this street, "/" between streets.

const SMALL_BLIND = 50, BIG_BLIND = 100, STACK = 20000, FOLD = 0, CALL = 1; // the first two labels of every agent
const START = {
  street: 0, actor: 0, bets: [[SMALL_BLIND, 0, 0, 0], [BIG_BLIND, 0, 0, 0]], raises: 0, lastRaise: BIG_BLIND, acted: 0,
};
const sum = numbers => numbers.reduce((a, b) => a + b, 0);

// Dollars in the pot, and what the player to act must add to call.
function potAndCall(state) {
  const put = state.bets.map(sum);
  return [put[0] + put[1], put[1 - state.actor] - put[state.actor]];
}

// Least and largest amount that a raise may bring the player's bet on this street to; [0, 0] where none is legal.
function legalRaises(state) {
  const toCall = potAndCall(state)[1], own = state.bets[state.actor], other = state.bets[1 - state.actor];
  const most = STACK - sum(own) + own[state.street];
  if (sum(other) >= STACK || STACK - sum(own) <= toCall) return [0, 0];
  return [Math.min(other[state.street] + Math.max(state.lastRaise, BIG_BLIND), most), most];
}

// The state after "fold", "call" or "raise" to an amount; null where the hand is over. Throws on an illegal action.
function act(state, action, amount = 0) {
  const toCall = potAndCall(state)[1], [least, most] = legalRaises(state);
  if (action === "fold") {
    if (!toCall) throw new Error("there is nothing to fold to: check or bet");
    return null;
  }
  if (action === "raise") {
    if (!least) throw new Error("no raise is legal here");
    if (!(amount >= least && amount <= most)) throw new Error(`$${amount}: expected from $${least} to $${most}`);
    return put(state, amount, state.raises + 1, amount - state.bets[1 - state.actor][state.street]);
  }
  const after = put(state, state.bets[state.actor][state.street] + toCall, state.raises, state.lastRaise);
  if (sum(after.bets[0]) >= STACK || (state.street === 3 && state.acted > 0)) return null;
  if (!state.acted) return after; // a limp or a first check leaves the street open
  return { street: state.street + 1, actor: 1, bets: after.bets, raises: 0, lastRaise: BIG_BLIND, acted: 0 };
}

function put(state, amount, raises, lastRaise) {
  const bets = state.bets.map(own => [...own]);
  bets[state.actor][state.street] = amount;
  return { street: state.street, actor: 1 - state.actor, bets, raises, lastRaise, acted: state.acted + 1 };
}

// All moves of a line, {player, action, amount, before, line: the line up to it}, and the state it leads to: null once the hand is over.
function readLine(line) {
  let state = START, played = "";
  const moves = [];
  for (const token of line.replaceAll("/", "").match(/[kcf]|b[0-9]+|./g) || []) {
    const action = { k: "call", c: "call", f: "fold", b: "raise" }[token[0]];
    const wrong = { k: toCall => toCall, c: toCall => !toCall }[token[0]];
    if (!state || !action || wrong?.(potAndCall(state)[1])) throw new Error(`betting "${line}": "${token}" is not possible there`);
    const move = { player: state.actor, action, amount: Number(token.slice(1)), before: state, line: played };
    state = act(state, action, move.amount);
    played += token + (state && state.street > move.before.street ? "/" : "");
    moves.push(move);
  }
  return { moves, state };
}

// A line with one more action.
function longer(line, action, amount = 0) {
  const { state } = readLine(line), after = act(state, action, amount);
  const token = action === "raise" ? `b${amount}` : action === "fold" ? "f" : potAndCall(state)[1] ? "c" : "k";
  return line + token + (after && after.street > state.street ? "/" : "");
}

const withoutLast = line => readLine(line).moves.at(-1)?.line ?? "";

// To the nearest whole number, halves to the even one, as Python rounds.
function round(x) {
  const low = Math.floor(x);
  return x - low === 0.5 ? low + low % 2 : Math.round(x);
}

// What an agent's menu of sizes offers: [{label, action, amount}]; label is a place in the list of labels.
function offered(state, menu, labels) {
  const [pot, toCall] = potAndCall(state), [least, most] = legalRaises(state);
  const actions = toCall ? [{ label: FOLD, action: "fold", amount: 0 }] : [];
  actions.push({ label: CALL, action: "call", amount: 0 });
  if (!least) return actions;
  const levels = menu[STREETS[state.street]], sizes = levels.length ? levels[Math.min(state.raises, levels.length - 1)] : [];
  for (const size of [...sizes].sort((a, b) => a - b)) {
    const amount = state.bets[1 - state.actor][state.street] + round(size * (pot + toCall));
    if (amount >= least && amount < most) actions.push({ label: labels.indexOf(`raise_${size}`), action: "raise", amount });
  }
  return [...actions, { label: labels.length - 1, action: "raise", amount: most }];
}

// Dollars that the first player has won at the end of a line; holes: the cards of both; board: five cards.
function winnings(line, holes, board) {
  const { moves, state } = readLine(line), last = moves.at(-1);
  if (state) throw new Error("the hand goes on");
  const matched = Math.min(...last.before.bets.map(sum));
  if (last.action === "fold") return last.player === 0 ? -matched : matched;
  const called = Math.max(...last.before.bets.map(sum));
  return called * Math.sign(strength([...holes[0], ...board]) - strength([...holes[1], ...board]));
}
