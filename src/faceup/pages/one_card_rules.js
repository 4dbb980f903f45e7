"use strict";
// The one-card game, as src/faceup/papers/onecard has it: ten cards, a pot of $1, a bet of up to three pots, and a call or a fold.
// A game: {own, other: how likely each card is, value, called, bets}; sizes: all bets in dollars, the first is the check.

const sum = numbers => numbers.reduce((a, b) => a + b, 0);

// The share of the other player's cards that each card beats, the same card counting half.
const strengths = other => other.map((p, i) => Number((sum(other.slice(0, i)) + p / 2).toFixed(12)));

// The same in percent, as it is shown: exact enough for every rule to hold of it that holds of the strength.
const percentBeaten = strength => Number((100 * strength).toFixed(2));

// How often each card calls each size, calls[size][card], if the top share / (1 + bet) of the cards calls. A check is always shown down.
function callsOf(other, share, sizes) {
  return sizes.map(bet => other.map((p, j) => {
    const above = sum(other.slice(j + 1)), part = share / (1 + bet) - above;
    return bet === 0 ? 1 : p > 0 ? Math.min(Math.max(part / p, 0), 1) : Number(part > 0);
  }));
}

// The share that the caller's rule on the pocket card starts from: the cards above the bettor's best bluff.
function pocketShare({ own, other }, weakest) {
  const below = own.findIndex((_, i) => sum(own.slice(0, i + 1)) >= weakest - 1e-12);
  return sum(other.slice((below < 0 ? own.length - 1 : below) + 1));
}

// Dollars that each size is worth with a card: the pot after a fold, the pot and the bet with the better card, less the bet with the worse.
function betValues({ other }, calls, sizes, card) {
  const met = other.map((p, j) => j === card ? 0 : p), total = sum(met);
  return sizes.map((bet, s) => sum(met.map((p, j) => p * (1 - calls[s][j] + calls[s][j] * (card > j ? 1 + bet : -bet)))) / total);
}

// How often a rule list bets each size with each card, shares[card][size]; lines are read from the top, what is left checks.
function ruleShares(rules, { own, other }, sizes) {
  const strength = strengths(other), left = own.map(() => 1), shares = own.map(() => sizes.map(() => 0)), wanted = sizes.map(() => 0);
  const give = (i, s, part) => { shares[i][s] += part; left[i] = Math.max(left[i] - part, 0); };
  for (const { kind, threshold, size, bluffs_for_a_bet: bluffs } of rules) {
    const s = sizes.indexOf(size);
    own.forEach((p, i) => {
      if (kind === "strong" && strength[i] >= threshold) {
        wanted[s] += bluffs * left[i] * p;
        give(i, s, left[i]);
      }
    });
    if (kind === "balance") bluff(wanted, threshold, strength, own, left, give);
  }
  shares.forEach((row, i) => { row[0] += left[i]; });
  return shares;
}

// Bluffs as they are wanted, from the largest size and the weakest card on.
function bluff(wanted, limit, strength, own, left, give) {
  let i = 0;
  for (let s = wanted.length - 1; s > 0; s--) {
    for (let needed = wanted[s]; needed > 1e-15 && i < own.length && strength[i] <= limit;) {
      const given = Math.min(needed, own[i] * left[i]);
      if (given > 0) give(i, s, given / own[i]);
      needed -= given;
      if (needed > 1e-15) i++;
    }
  }
}
