"use strict";
// The view of a whole tree: every branch can be opened, and the way of the hand that was asked about is lit.

async function drawTree() {
  const turn = ++drawing, street = Number($("street").value), { state } = readLine(spot.line);
  const hole = holeOf(spot.cards), board = boardOn(spot.cards, street);
  const asked = state?.street === street && state.actor === spot.seat && hole !== null && board;
  const answer = asked ? decide(state, (await numbersOf(hole, board)).x) : { tree: treesOf(agent.file)[street], path: [], x: [] };
  if (turn !== drawing) return;
  $("whole").replaceChildren(treeView(answer, 2));
  $("tree-link").href = remember("trees", { street: STREETS[street], ...spotState() });
}

function startTrees() {
  $("street").append(...STREETS.map((street, k) => element("option", { value: k }, street)));
  $("street").addEventListener("change", drawTree);
  $("to-trees").addEventListener("click", () => { $("street").value = readLine(spot.line).state?.street ?? 3; });
}
