"use strict";
// The blueprint: shares of each action by betting line and bucket of hands, in steps of 1/15, a hexadecimal digit each.

const STEPS = 15;

// What a label means in dollars in a state, never an illegal action: as `legal_action` of holdem/lines.py.
function legalAction(label, labels, state) {
  const [pot, toCall] = potAndCall(state), [least, most] = legalRaises(state);
  if (label === FOLD) return { action: toCall ? "fold" : "call", amount: 0 };
  if (label === CALL || !least) return { action: "call", amount: 0 };
  if (label === labels.length - 1) return { action: "raise", amount: most };
  const size = Number(labels[label].replace("raise_", ""));
  return { action: "raise", amount: Math.min(Math.max(state.bets[1 - state.actor][state.street] + round(size * (pot + toCall)), least), most) };
}

// The blueprint's action as which an opponent's move is read: the likelier of the two sizes beside it (pseudo-harmonic mapping).
function likelier(now, actions, move) {
  const raises = actions.filter(one => one.action === "raise"), { before } = move;
  if (move.action !== "raise" || !raises.length) return actions.find(one => one.action === (move.action === "fold" ? "fold" : "call"));
  if (move.amount === legalRaises(before)[1]) return raises.at(-1);
  const [pot, toCall] = potAndCall(before), x = (move.amount - before.bets[1 - before.actor][before.street]) / (pot + toCall);
  const called = 2 * Math.max(...now.bets.map(sum)), base = now.bets[1 - now.actor][now.street];
  const sizes = raises.map(one => (one.amount - base) / called), above = sizes.findIndex(size => size > x);
  if (above <= 0) return raises.at(above);
  const [a, b] = sizes.slice(above - 1, above + 1);
  return raises[(b - x) * (1 + a) / ((b - a) * (1 + x)) > 0.5 ? above - 1 : above];
}

// The line of the blueprint's own bets as which the player to act reads a line; null where it has that player all-in already.
function readAs(line, menu, labels) {
  const { moves, state } = readLine(line);
  let own = "", now = START;
  for (const move of moves) {
    const actions = offered(now, menu, labels), mine = move.player === state.actor && actions.find(({ label }) => {
      const meant = legalAction(label, labels, move.before);
      return meant.action === move.action && (meant.action !== "raise" || meant.amount === move.amount);
    });
    const read = mine || likelier(now, actions, move);
    own = longer(own, read.action, read.amount);
    now = readLine(own).state;
    if (!now) return null;
  }
  return own;
}

// The group of a hand, from its features x (equity and deciles from 0 to 1, exact whole numbers before that).
function groupOf(blueprint, street, x, hole) {
  if (!street) return classOf(hole);
  if (street === 3) return Math.round(x[0] * UNITS[3]);
  const grid = blueprint.grids[street - 1], places = [[0, street, grid.equity_cells]];
  for (let later = street + 1; later < 4; later++) {
    for (const d of grid.deciles) places.push([(later - street - 1) * N_DECILES + d, later, grid.decile_cells]);
  }
  blueprint.groups ??= blueprint.cells.map(cells => new Map(cells.map((cell, group) => [cell, group])));
  return blueprint.groups[street - 1].get(places.reduce((key, [at, unit, cells]) =>
    key * (cells + 1) + Math.floor((2 * cells * Math.round(x[at] * UNITS[unit]) + UNITS[unit]) / (2 * UNITS[unit])), 0));
}

// The blueprint's shares at the decision that a line of its own bets leads to, for a bucket: one for each of n actions.
function blueprintShares(blueprint, street, own, group, n) {
  const { places, width, shares } = blueprint.streets[street], at = group * width + places[own];
  const upTo = k => k < 0 ? 0 : k < n - 1 ? parseInt(shares[at + k], 16) : STEPS;
  return Array.from({ length: n }, (_, k) => (upTo(k) - upTo(k - 1)) / STEPS);
}
