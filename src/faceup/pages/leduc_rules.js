"use strict";
// Leduc hold'em by RLCard's rules, as src/faceup/papers/leduc has it, and what each action is worth against a known opponent.
// A state knows the betting alone; cards are ranks 0 to 2. A strategy: name of a situation -> {action: share}.

const RANKS = "JQK", COPIES = 2, RAISES = [2, 4], MOST_RAISES = 2, UNIT = 2; // chips; the big blind is 2 of them
const LETTERS = { call: "c", raise: "r", fold: "f", check: "k" };
const START = { line: [""], player: 0, chips: [[1, 0], [2, 0]], raises: 0, folded: -1, over: false };
const sum = numbers => numbers.reduce((a, b) => a + b, 0);

// Actions of the player to act.
function legal({ line, player, chips, raises }) {
  const now = line.length - 1, facing = chips[1 - player][now] > chips[player][now];
  return [...(facing ? ["call"] : []), ...(raises < MOST_RAISES ? ["raise"] : []), "fold", ...(facing ? [] : ["check"])];
}

function next(state, action) {
  const now = state.line.length - 1, other = 1 - state.player;
  const line = [...state.line.slice(0, -1), state.line[now] + LETTERS[action]];
  if (action === "fold") return { ...state, line, folded: state.player, over: true };
  const to = Math.max(...state.chips.map(own => own[now])) + (action === "raise" ? RAISES[now] : 0);
  const chips = state.chips.map((own, p) => p === state.player ? own.map((x, r) => r === now ? to : x) : own);
  const after = { ...state, line, player: other, chips, raises: state.raises + Number(action === "raise") };
  if (action === "raise" || line[now].length === 1) return after; // a first call or check leaves the round open
  return now ? { ...after, over: true } : { ...after, line: [...line, ""], raises: 0 };
}

// The moves of a line, {state: the one before it, action}, and the state that it leads to.
function replay(line) {
  const moves = [];
  let state = START;
  for (const letter of line.replace("/", "")) {
    const action = Object.keys(LETTERS).find(name => LETTERS[name] === letter);
    moves.push({ state, action });
    state = next(state, action);
  }
  return { moves, state };
}

// Big blinds that a player wins at the end, with own card, the other's, and the public one: a pair wins, else the higher card.
function winnings({ folded, chips }, player, own, other, shown) {
  if (folded >= 0) return (folded === player ? -1 : 1) * sum(chips[folded]) / UNIT;
  const worth = card => card + (card === shown ? RANKS.length : 0);
  return Math.sign(worth(own) - worth(other)) * sum(chips[player]) / UNIT;
}

const nameOf = (card, shown, state) => `${RANKS[card]}${state.line.length > 1 ? RANKS[shown] : ""}:${state.line.join("/")}`;

// All that an own card can meet: {other, shown, weight}, the weight a number of ways to deal it.
function dealsWith(own) {
  const ranks = [0, 1, 2], left = (rank, ...taken) => COPIES - taken.filter(card => card === rank).length;
  return ranks.flatMap(other => ranks.map(shown => ({ other, shown, weight: left(other, own) * left(shown, own, other) })));
}

// The same deals, each as likely as the opponent takes an action there.
const follow = (deals, state, action, strategy) => deals
  .map(deal => ({ ...deal, weight: deal.weight * strategy[nameOf(deal.other, deal.shown, state)][action] })).filter(deal => deal.weight > 0);

// What a player wins from a state on with the best answers to the strategy: a sum over deals, not yet divided by their weights.
function bestValue(state, player, own, deals, strategy) {
  if (!deals.length) return 0;
  if (state.over) return sum(deals.map(({ other, shown, weight }) => weight * winnings(state, player, own, other, shown)));
  const after = (action, some) => bestValue(next(state, action), player, own, some, strategy);
  if (state.player !== player) return sum(legal(state).map(action => after(action, follow(deals, state, action, strategy))));
  const seen = state.line.length > 1 ? [0, 1, 2].map(card => deals.filter(deal => deal.shown === card)) : [deals];
  return sum(seen.map(some => Math.max(...legal(state).map(action => after(action, some)))));
}

// Big blinds, from the start of the hand, that each action wins if the rest is played best, {action: value};
// null where the strategy never lets this come. shown: the public card, or null.
function actionValues(strategy, own, shown, line) {
  const { moves, state } = replay(line);
  let deals = dealsWith(own).filter(deal => deal.weight > 0 && (shown === null || deal.shown === shown));
  for (const move of moves) if (move.state.player !== state.player) deals = follow(deals, move.state, move.action, strategy);
  const total = sum(deals.map(deal => deal.weight));
  if (!total) return null;
  const value = action => bestValue(next(state, action), state.player, own, deals, strategy) / total;
  return Object.fromEntries(legal(state).map(action => [action, value(action)]));
}

// Strategies by name from the situations of the page's data. A best response has no answer of its own where the sheet never lets it
// come; there it plays the equilibrium.
function strategiesOf(situations) {
  const made = { sheet: {}, equilibrium: {}, answer: {} };
  for (const row of situations) {
    const name = `${row.card}${row.public ?? ""}:${row.line}`, of = shares => Object.fromEntries(row.actions.map((a, k) => [a, shares[k]]));
    made.sheet[name] = of(row.sheet);
    made.equilibrium[name] = of(row.equilibrium);
    made.answer[name] = of(row.value_against_sheet[0] === null ? row.equilibrium : row.best_response_to_sheet);
  }
  return made;
}
