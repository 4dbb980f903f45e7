"use strict";
// Cards, strengths and exact equities: the same whole numbers as src/faceup/cards makes, for one board at a time.
// A card is 4 * rank + suit, rank 0..12 for 2..A. A hole (two private cards) is hi * (hi - 1) / 2 + lo, 0..1325.

const RANKS = "23456789TJQKA", SUITS = "cdhs", STREETS = ["preflop", "flop", "turn", "river"];
const BOARD_CARDS = [0, 3, 4, 5], N_HOLES = 1326, N_DECILES = 10;
const UNITS = [2 * 2097572400, 1081 * 1980, 46 * 1980, 1980]; // the equity 1 on each street, as a whole number
const BLOCKED = -1; // in the place of an equity where a card of the hole lies on the board

const parseCards = text => {
  const packed = text.replace(/\s/g, ""), cards = [];
  for (let i = 0; i < packed.length; i += 2) {
    const rank = RANKS.indexOf((packed[i] || "?").toUpperCase()), suit = SUITS.indexOf((packed[i + 1] || "?").toLowerCase());
    if (rank < 0 || suit < 0) throw new Error(`"${packed.slice(i, i + 2)}" is no card: write Ah, Td, 7c, 2s`);
    cards.push(4 * rank + suit);
  }
  if (new Set(cards).size < cards.length) throw new Error("a card is named twice");
  return cards;
};
const cardText = card => RANKS[card >> 2] + SUITS[card & 3];
const holeIndex = (a, b) => Math.max(a, b) * (Math.max(a, b) - 1) / 2 + Math.min(a, b);

const HIGH = new Uint8Array(N_HOLES), LOW = new Uint8Array(N_HOLES);
for (let hi = 0, h = 0; hi < 52; hi++) for (let lo = 0; lo < hi; lo++, h++) { HIGH[h] = hi; LOW[h] = lo; }

// Place of a hole in the 13 x 13 chart, row by row: aces first, suited hands above the diagonal.
function classOf(hole) {
  const high = 12 - (HIGH[hole] >> 2), low = 12 - (LOW[hole] >> 2);
  return (HIGH[hole] & 3) === (LOW[hole] & 3) ? 13 * high + low : 13 * low + high;
}

function className(k) {
  const row = Math.floor(k / 13), column = k % 13;
  const ranks = RANKS[12 - Math.min(row, column)] + RANKS[12 - Math.max(row, column)];
  return ranks + (row === column ? "" : row < column ? "s" : "o");
}

// --- strength: category << 20 plus up to five ranks of four bits, so that hands compare as their numbers do ---------

const TOP = new Int32Array(8192), STRAIGHT = new Uint8Array(8192); // by a 13-bit mask of ranks
for (let mask = 0; mask < 8192; mask++) {
  for (let r = 12, shift = 16; r >= 0 && shift >= 0; r--) if (mask >> r & 1) { TOP[mask] |= r << shift; shift -= 4; }
  const wheel = mask << 1 | mask >> 12; // the ace stands below the two, too
  for (let high = 3; high < 13; high++) if ((wheel >> high - 3 & 31) === 31) STRAIGHT[mask] = high + 1;
}

const FLUSH = new Int32Array(8192); // strength of five cards or more of a suit, 0 of fewer
for (let mask = 0; mask < 8192; mask++) {
  if ([...RANKS].filter((_, r) => mask >> r & 1).length >= 5) FLUSH[mask] = STRAIGHT[mask] ? 8 << 20 | STRAIGHT[mask] - 1 << 16 : 5 << 20 | TOP[mask];
}

// From the ranks held at least once, twice, three and four times.
function rankStrength(ones, twos, threes, fours) {
  if (fours) {
    const high = TOP[fours] & 0xf0000;
    return 7 << 20 | high | TOP[ones & ~(1 << (high >> 16))] >> 16 << 12;
  }
  const set = TOP[threes] & 0xf0000, below = twos & ~(1 << (set >> 16));
  if (threes && below) return 6 << 20 | set | TOP[below] >> 16 << 12;
  if (STRAIGHT[ones]) return 4 << 20 | STRAIGHT[ones] - 1 << 16;
  if (threes) return 3 << 20 | set | TOP[ones & ~(1 << (set >> 16))] >> 12 << 8;
  if (!twos) return TOP[ones];
  const first = TOP[twos] >> 16, rest = twos & ~(1 << first);
  if (!rest) return 1 << 20 | first << 16 | TOP[ones & ~(1 << first)] >> 8 << 4;
  const second = TOP[rest] >> 16;
  return 2 << 20 | first << 16 | second << 12 | TOP[ones & ~(1 << first | 1 << second)] >> 16 << 8;
}

// The ranks that cards hold at least once, twice, three and four times, as masks.
function heldRanks(cards) {
  const held = [0, 0, 0, 0];
  for (const card of cards) {
    const bit = 1 << (card >> 2);
    for (let k = 3; k; k--) held[k] |= held[k - 1] & bit;
    held[0] |= bit;
  }
  return held;
}

// The ranks that cards have in a suit, as a mask.
const suitMask = (cards, suit) => cards.reduce((mask, card) => (card & 3) === suit ? mask | 1 << (card >> 2) : mask, 0);

const strength = cards => Math.max(rankStrength(...heldRanks(cards)), ...[0, 1, 2, 3].map(suit => FLUSH[suitMask(cards, suit)]));

// A hand's name from its strength: "two pair, aces and 3s".
const RANK_NAMES = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace"];
function handName(value) {
  const [a, b, c] = [16, 12, 8].map(shift => RANK_NAMES[value >> shift & 15]);
  return [`${a} high`, `a pair of ${a}s, ${b} kicker`, `two pair, ${a}s and ${b}s, ${c} kicker`, `three ${a}s, ${b} kicker`, `a straight to the ${a}`,
    `a flush, ${a} high`, `a full house, ${a}s over ${b}s`, `four ${a}s`, `a straight flush to the ${a}`][value >> 20];
}

// --- a river board: the equity of every hole --------------------------------------------------------------------------

const unusedCards = used => [...Array(52).keys()].filter(card => !used.includes(card));

// The 1,081 holes of a river board from weakest to strongest, and the end of each class of equal ones.
function riverOrder(board) {
  const free = unusedCards(board), keys = new Float64Array(1081), [b1, b2, b3, b4] = heldRanks(board);
  const suit = [0, 1, 2, 3].find(s => board.filter(card => (card & 3) === s).length >= 3), suited = suitMask(board, suit);
  for (let i = 1, n = 0; i < 47; i++) {
    const x = 1 << (free[i] >> 2), a1 = b1 | x, a2 = b2 | b1 & x, a3 = b3 | b2 & x, a4 = b4 | b3 & x;
    const mask = (free[i] & 3) === suit ? suited | x : suited;
    for (let j = 0; j < i; j++) {
      const y = 1 << (free[j] >> 2), ranks = rankStrength(a1 | y, a2 | a1 & y, a3 | a2 & y, a4 | a3 & y);
      keys[n++] = 2048 * Math.max(ranks, FLUSH[(free[j] & 3) === suit ? mask | y : mask]) + holeIndex(free[i], free[j]);
    }
  }
  keys.sort();
  const order = new Int16Array(1081), ends = [];
  let last = 0;
  keys.forEach((key, i) => {
    const value = Math.floor(key / 2048);
    order[i] = key - 2048 * value;
    if (i && value > last) ends.push(i);
    last = value;
  });
  return { order, ends: [...ends, 1081] };
}

// Weight of all holes that share no card with each hole of a board.
function disjointWeight(weights, { order }) {
  const card = new Float64Array(52), out = new Float64Array(N_HOLES);
  let all = 0;
  for (const h of order) { all += weights[h]; card[HIGH[h]] += weights[h]; card[LOW[h]] += weights[h]; }
  for (const h of order) out[h] = all - card[HIGH[h]] - card[LOW[h]] + weights[h];
  return out;
}

// Weight of the weaker holes less that of the stronger ones, for each hole of a board.
function showdownWeight(weights, sorted) {
  const { order, ends } = sorted, total = disjointWeight(weights, sorted), out = new Float64Array(N_HOLES);
  const below = new Float64Array(52), inside = new Float64Array(52);
  let weaker = 0, first = 0;
  for (const end of ends) {
    let equal = 0;
    for (let i = first; i < end; i++) {
      const h = order[i];
      equal += weights[h];
      inside[HIGH[h]] += weights[h];
      inside[LOW[h]] += weights[h];
    }
    for (let i = first; i < end; i++) {
      const h = order[i], a = HIGH[h], b = LOW[h];
      const win = weaker - below[a] - below[b], tie = equal - inside[a] - inside[b] + weights[h];
      out[h] = 2 * win + tie - total[h];
    }
    for (let card = 0; card < 52; card++) below[card] += inside[card];
    inside.fill(0);
    weaker += equal;
    first = end;
  }
  return out;
}

// 2 * wins + ties of each hole against the 990 opponents that share no card with it.
function riverEquity(board) {
  const sorted = riverOrder(board), won = showdownWeight(new Float64Array(N_HOLES).fill(1), sorted);
  const out = new Int32Array(N_HOLES).fill(BLOCKED);
  for (const h of sorted.order) out[h] = won[h] + 990;
  return out;
}

// --- all hands of a board --------------------------------------------------------------------------------------------

// Equities of every hole on a flop, turn or river: `equity` on the board itself, and `later[street]`, a row of 1,326 for each way
// in which the next cards can fall. One sweep over the river boards serves all hands.
function sweep(board) {
  const street = BOARD_CARDS.indexOf(board.length), left = unusedCards(board), later = {};
  if (street === 3) return { street, equity: riverEquity(board), later };
  if (street === 2) later[3] = left.map(card => riverEquity([...board, card]));
  else {
    later[2] = left.map(() => new Int32Array(N_HOLES));
    later[3] = left.flatMap((turn, i) => left.slice(0, i).map((river, j) => {
      const row = riverEquity([...board, turn, river]);
      addTo(later[2][i], row);
      addTo(later[2][j], row);
      return row;
    }));
    left.forEach((card, i) => block(later[2][i], [...board, card]));
  }
  const equity = new Int32Array(N_HOLES);
  for (const row of later[3]) addTo(equity, row);
  block(equity, board);
  return { street, equity, later };
}

function addTo(sum, row) {
  for (let h = 0; h < N_HOLES; h++) if (row[h] !== BLOCKED) sum[h] += row[h];
}

function block(row, cards) {
  for (const card of cards) for (let other = 0; other < 52; other++) if (other !== card) row[holeIndex(card, other)] = BLOCKED;
}

// One hole of a sweep: its equity, and its equities on each later street, ascending; whole numbers out of UNITS.
function handOf(swept, hole) {
  const later = {};
  for (const [street, rows] of Object.entries(swept.later)) {
    const found = new Int32Array(rows.length);
    let n = 0;
    for (const row of rows) if (row[hole] !== BLOCKED) found[n++] = row[hole];
    later[street] = found.subarray(0, n).sort();
  }
  return { equity: swept.equity[hole], later };
}

// Decile d = 1..10: the smallest value with at least d * 10 % of them at or below it.
const decilesOf = sorted => Array.from({ length: N_DECILES }, (_, d) => sorted[Math.ceil(sorted.length * (d + 1) / 10) - 1]);

// A hand as whole numbers, in the order of the models' features: its equity, then the deciles of each later street.
// preflop: the tables of the 169 starting hands, {equity: (169), deciles: 3 x (169) x (10)}; swept: of the board after that.
function wholeFeatures(hole, swept, preflop) {
  if (!swept) return [preflop.equity[classOf(hole)], ...preflop.deciles.flatMap(street => street[classOf(hole)])];
  const hand = handOf(swept, hole);
  return [hand.equity, ...Object.keys(hand.later).flatMap(street => decilesOf(hand.later[street]))];
}

// The same as float32 from 0 to 1, as the trees read them.
function features(whole, street) {
  return whole.map((number, i) => Math.fround(number / UNITS[i ? street + 1 + Math.floor((i - 1) / N_DECILES) : street]));
}
