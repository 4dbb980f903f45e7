"use strict";
// Answers questions about hands, in a worker or on the page: {board, hole} for one hand, {board} for all of them,
// {board, weights} for their edges against weighted hands.

const known = {}; // the last board swept on each street

function serve({ board, hole, weights, id }) {
  if (weights) return { id, edges: runoutEdges(board, weights) };
  const street = BOARD_CARDS.indexOf(board.length), key = [...board].sort((a, b) => a - b).join();
  if (known[street]?.key !== key) known[street] = { key, swept: sweep(board) };
  const entry = known[street];
  if (hole !== undefined) return { id, whole: wholeFeatures(hole, entry.swept), later: handOf(entry.swept, hole).later };
  const one = h => entry.swept.equity[h] === BLOCKED ? null : features(wholeFeatures(h, entry.swept), street);
  entry.rows ??= Array.from({ length: N_HOLES }, (_, h) => one(h));
  return { id, rows: entry.rows };
}

if (typeof document === "undefined" && typeof postMessage === "function") onmessage = ({ data }) => postMessage(serve(data));
