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

const flushStrength = mask => STRAIGHT[mask] ? 8 << 20 | STRAIGHT[mask] - 1 << 16 : 5 << 20 | TOP[mask];

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

function strength(cards) {
  let ones = 0, twos = 0, threes = 0, fours = 0;
  const suits = [0, 0, 0, 0];
  for (const card of cards) {
    const bit = 1 << (card >> 2);
    fours |= threes & bit;
    threes |= twos & bit;
    twos |= ones & bit;
    ones |= bit;
    suits[card & 3] |= bit;
  }
  const flushes = suits.filter(mask => count(mask) >= 5).map(flushStrength);
  return Math.max(rankStrength(ones, twos, threes, fours), ...flushes);
}

function count(mask) {
  let n = 0;
  for (; mask; mask &= mask - 1) n++;
  return n;
}

// --- a river board: the equity of every hole --------------------------------------------------------------------------

const values = new Int32Array(160), packed = new Uint32Array(160), rankOf = new Uint8Array(160), start = new Int32Array(162);
const pairValue = new Int32Array(169), oneSuited = new Int32Array(13), bothSuited = new Int32Array(169);
const holeValue = new Uint8Array(N_HOLES), order = new Int16Array(1081), free = new Uint8Array(47);
const below = new Int32Array(52), inside = new Int32Array(52);

// Number in `values` of what any two private ranks make, suits aside; returns how many values there are.
function rankPairs(board) {
  let b1 = 0, b2 = 0, b3 = 0, b4 = 0, n = 0;
  for (const card of board) {
    const bit = 1 << (card >> 2);
    b4 |= b3 & bit; b3 |= b2 & bit; b2 |= b1 & bit; b1 |= bit;
  }
  for (let a = 0; a < 13; a++) {
    const x = 1 << a, a1 = b1 | x, a2 = b2 | b1 & x, a3 = b3 | b2 & x, a4 = b4 | b3 & x;
    for (let b = 0; b <= a; b++) {
      const y = 1 << b;
      values[n] = rankStrength(a1 | y, a2 | a1 & y, a3 | a2 & y, a4 | a3 & y);
      pairValue[13 * a + b] = pairValue[13 * b + a] = n++;
    }
  }
  return n;
}

// Add the flushes that two, one or no private cards of the suit make; -1 where there is none.
function flushes(mask, n) {
  const onBoard = count(mask);
  oneSuited.fill(-1);
  bothSuited.fill(-1);
  for (let a = 0; a < 13; a++) {
    if (mask >> a & 1) continue;
    for (let b = 0; b < a; b++) {
      if (mask >> b & 1) continue;
      values[n] = flushStrength(mask | 1 << a | 1 << b);
      bothSuited[13 * a + b] = bothSuited[13 * b + a] = n++;
    }
    if (onBoard >= 4) { values[n] = flushStrength(mask | 1 << a); oneSuited[a] = n++; }
  }
  if (onBoard === 5) values[n++] = flushStrength(mask);
  return n;
}

// Sort the 1,081 holes into `order` by strength; `start` gets the first place of each class of equal holes. Returns the classes.
function sortHoles(board) {
  let n = rankPairs(board), suit = -1, onBoard = 0;
  for (let s = 0; s < 4; s++) {
    let mask = 0;
    for (const card of board) if ((card & 3) === s) mask |= 1 << (card >> 2);
    if (count(mask) >= 3) { suit = s; onBoard = count(mask); n = flushes(mask, n); }
  }
  for (let i = 0; i < n; i++) packed[i] = values[i] * 256 + i;
  packed.subarray(0, n).sort();
  let classes = 0;
  for (let i = 0; i < n; i++) {
    if (i && packed[i] >>> 8 !== packed[i - 1] >>> 8) classes++;
    rankOf[packed[i] & 255] = classes;
  }
  classes++;
  start.fill(0);
  let k = 0;
  for (let card = 0; card < 52; card++) if (!board.includes(card)) free[k++] = card;
  for (let i = 1; i < 47; i++) {
    for (let j = 0; j < i; j++) {
      const hi = free[i], lo = free[j], high = (hi & 3) === suit, low = (lo & 3) === suit;
      let value = pairValue[13 * (hi >> 2) + (lo >> 2)], flush = -1;
      if (high && low) flush = bothSuited[13 * (hi >> 2) + (lo >> 2)];
      else if (high || low) flush = oneSuited[(high ? hi : lo) >> 2];
      if (flush < 0 && onBoard === 5) flush = n - 1; // the board's own flush, listed last
      if (flush >= 0 && values[flush] > values[value]) value = flush;
      const h = hi * (hi - 1) / 2 + lo;
      holeValue[h] = rankOf[value];
      start[holeValue[h] + 2]++;
    }
  }
  for (let c = 2; c <= classes; c++) start[c] += start[c - 1];
  for (let i = 1; i < 47; i++) {
    for (let j = 0; j < i; j++) {
      const h = free[i] * (free[i] - 1) / 2 + free[j];
      order[start[holeValue[h] + 1]++] = h;
    }
  }
  return classes;
}

// 2 * wins + ties of each hole against the 990 opponents that share no card with it, out[0..1325], from weakest to strongest.
function riverEquity(board, out) {
  const classes = sortHoles(board);
  out.fill(BLOCKED);
  below.fill(0); // weaker holes with each card
  inside.fill(0); // and equal ones
  for (let c = 0, first = 0; c < classes; c++) {
    const end = start[c + 1];
    for (let i = first; i < end; i++) { inside[HIGH[order[i]]]++; inside[LOW[order[i]]]++; }
    for (let i = first; i < end; i++) {
      const h = order[i], a = HIGH[h], b = LOW[h];
      const wins = first - below[a] - below[b], ties = end - first - inside[a] - inside[b] + 1;
      out[h] = 2 * wins + ties;
    }
    for (let i = first; i < end; i++) {
      const a = HIGH[order[i]], b = LOW[order[i]];
      below[a] += inside[a];
      inside[a] = 0;
      below[b] += inside[b];
      inside[b] = 0;
    }
    first = end;
  }
}

// --- all hands of a board --------------------------------------------------------------------------------------------

// Equities of every hole on a flop, turn or river: `equity` on the board itself, and `later[street]`, a row of 1,326 for each way
// in which the next cards can fall. One sweep over the river boards serves all hands.
function sweep(board) {
  const left = [...Array(52).keys()].filter(card => !board.includes(card));
  const equity = new Int32Array(N_HOLES), later = {};
  if (board.length === 5) riverEquity(board, equity);
  if (board.length === 4) {
    later[3] = left.map(() => new Int32Array(N_HOLES));
    left.forEach((card, i) => riverEquity([...board, card], later[3][i]));
    for (const row of later[3]) addTo(equity, row);
  }
  if (board.length === 3) {
    later[2] = left.map(() => new Int32Array(N_HOLES));
    later[3] = [];
    for (let i = 1; i < 49; i++) {
      for (let j = 0; j < i; j++) {
        const row = new Int32Array(N_HOLES);
        riverEquity([...board, left[i], left[j]], row);
        later[3].push(row);
        for (const sum of [later[2][i], later[2][j], equity]) addTo(sum, row);
      }
    }
    left.forEach((card, i) => block(later[2][i], [card]));
  }
  block(equity, board);
  if (later[2]) for (const row of later[2]) block(row, board);
  return { street: BOARD_CARDS.indexOf(board.length), equity, later };
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
