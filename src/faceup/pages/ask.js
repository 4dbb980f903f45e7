"use strict";
// The view in which the bot is asked about a hand: cards[0..1] are its own, cards[2..6] the board's.

const spot = { cards: Array(7).fill(null), seat: 0, line: "", marked: 0 };
const SLOTS = ["hand, first card", "hand, second card", "flop, first card", "flop, second card", "flop, third card", "turn", "river"];
let drawing = 0; // answers that come after the next question are dropped

function drawCards() {
  $("slots").replaceChildren(...spot.cards.flatMap((card, i) => {
    const name = `${SLOTS[i]}: ${card === null ? "empty" : cardName(card)}`;
    const text = card === null ? ["hand", "hand", "flop", "flop", "flop", "turn", "river"][i] : RANKS[card >> 2] + SUIT_SIGNS[card & 3];
    const style = `card ${card === null ? "none" : SUITS[card & 3]}${i === spot.marked ? " marked" : ""}`;
    const made = button(named(text, name), () => { spot.cards[i] = null; spot.marked = i; draw(); }, { class: style, "aria-pressed": String(i === spot.marked) });
    return i === 2 || i > 4 ? [element("span", { class: "gap" }), made] : [made];
  }));
  for (const each of $("deck").children) {
    each.setAttribute("aria-pressed", String(spot.cards.includes(Number(each.dataset.card))));
  }
}

// A card of the deck goes to the marked place, and the next empty one is marked; a card in use is taken back.
function pickCard(card) {
  const at = spot.cards.indexOf(card);
  if (at >= 0) { spot.cards[at] = null; spot.marked = at; } else if (spot.marked >= 0) {
    spot.cards[spot.marked] = card;
    spot.marked = spot.cards.indexOf(null);
  }
  draw();
}

function makeDeck() {
  for (let suit = 3; suit >= 0; suit--) {
    for (let rank = 12; rank >= 0; rank--) {
      const card = 4 * rank + suit, made = button(named(RANKS[rank] + SUIT_SIGNS[suit], cardName(card)), () => pickCard(card),
        { class: SUITS[suit], "data-card": card, "aria-pressed": "false", tabindex: rank === 12 && suit === 3 ? 0 : -1 });
      $("deck").append(made);
    }
  }
  withArrows($("deck"), 13);
}

// Random cards for the hand and the board of the street; those that are picked stay.
function fillAtRandom(upTo) {
  const deck = shuffled(unusedCards(spot.cards.filter(card => card !== null)));
  spot.cards = spot.cards.map((card, i) => card === null && i < upTo ? deck.pop() : card);
  spot.marked = spot.cards.indexOf(null);
  draw();
}

function drawBetting(state) {
  $("moves").replaceChildren(...movesView(spot.line, SEATS.map((seat, player) => player === spot.seat ? "bot" : `opponent (${seat})`)));
  $("undo").disabled = !spot.line;
  $("seat").value = spot.seat;
  const chosen = (action, amount) => {
    try { spot.line = longer(spot.line, action, amount); } catch (error) { return trouble(error.message); }
    draw();
    $("bets").querySelector("button")?.focus();
  };
  if (!state) {
    $("turn-of").textContent = "The hand is over.";
    $("bets").replaceChildren();
    return;
  }
  const mine = state.actor === spot.seat, names = [`the bot (${SEATS[spot.seat]})`, `the opponent (${SEATS[1 - spot.seat]})`];
  $("turn-of").textContent = `${STREETS[state.street]}, ${situation(state)}. To act: ${names[mine ? 0 : 1]}.`;
  $("bets").replaceChildren(betsView(state, chosen));
}

// What is missing before the bot can be asked, with a button that helps.
function missing(state, hole, board) {
  if (!state) return "The hand is over: take a move back.";
  if (state.actor !== spot.seat) return "The opponent acts first: choose its action under “The betting”.";
  if (board && hole !== null) return null;
  const n = state.street ? BOARD_CARDS[state.street] : 0;
  const what = hole === null ? "the bot’s two cards" : `the ${n} cards of the ${STREETS[state.street]}’s board`;
  return element("span", {}, `Pick ${what}, or `, button("deal them at random", () => fillAtRandom(2 + n)));
}

// What was answered before is pale until the new answer is there.
function busy(yes) {
  for (const id of ["answer", "why", "grid", "blueprint-grid", "tree", "exploit"]) $(id).ariaBusy = yes ? "true" : null;
}

// The tree of a round: with the way of a hand, or its first questions.
function drawTree(street, answer = null) {
  $("street").value = street;
  $("tree").replaceChildren(treeView(answer ?? { tree: treesOf(agent.file)[street], path: [], x: [] }, answer ? 0 : 2));
}

// What it mostly does, in a sentence.
function brief(state, board, { actions, shares }) {
  const often = shares.indexOf(Math.max(...shares)), said = cards => cards.map(card => RANKS[card >> 2] + SUIT_SIGNS[card & 3]).join(" ");
  const hand = `${said(spot.cards.slice(0, 2))}${board.length ? ` on ${said(board)}` : ""}`;
  const action = actionName(state, actions[often], LABELS);
  return `With ${hand}, ${situation(state)}, ${agent.name} chooses “${action}” ${percent(shares[often], 2)} of the time.`;
}

// What the bot's actions are worth with its hand, beside their shares.
async function drawValues(state, board, hole, answer, stale) {
  const found = await valuesOf(spot.line, board, stale, offered(state, MENU, LABELS), false);
  if (!found || Number.isNaN(found.values[0][hole])) return;
  const values = found.values.map(each => each[hole]);
  $("answer").replaceChildren(mixtureView(state, answer, values), note(state.street < 3 ? ROUGH : exact("both play by these trees")));
}

// All hands in this spot: the bot's chart, and the blueprint's beside it. rows: features of all hands; null where the board is not complete.
function drawGrids(state, rows, hole) {
  const usual = rows && blueprintChart(spot.line, rows), chosen = hole === null ? -1 : classOf(hole);
  $("blueprint-part").hidden = !usual;
  $("blueprint-said").textContent = usual ? blueprintSaid(usual) : "";
  const where = state?.actor ? "in the big blind" : "on the button", does = state?.actor === spot.seat ? "does" : "would do in the opponent’s place,";
  $("grid-said").textContent = rows ? `What the bot ${does} ${where} with each hand, suits averaged. Click a hand to ask about it.`
    : state ? `The board of the ${STREETS[state.street]} is not complete.` : "";
  $("grid").replaceChildren(rows ? gridView("the bot", state, agentChart(state, rows), chosen, pickHole) : "");
  if (usual) $("blueprint-grid").replaceChildren(gridView("the blueprint", usual.state, usual, chosen, pickHole));
}

// How the blueprint reads bets that it does not have.
function blueprintSaid({ own }) {
  if (own.replaceAll("/", "") === spot.line.replaceAll("/", "")) return "The blueprint’s shares are rounded to 1/15: each may be off by up to 7 points.";
  const bets = readLine(own).moves.filter(move => move.action === "raise").map(move => actionName(move.before, move));
  return `The blueprint does not have all of these bets. It reads them as ${bets.join(", ") || "no bet"}.`;
}

// Before the opponent acts: what it does if it knows the bot's strategy.
async function drawExploit(state, board, stale) {
  const found = await valuesOf(spot.line, board, stale, responses(state, MENU, LABELS), true);
  if (!found) return;
  const { actions, values, imitated, rows } = found, hands = [...Array(N_HOLES).keys()].filter(h => rows.at(-1)[h] && !Number.isNaN(values[0][h]));
  $("exploit-grid").replaceChildren();
  if (!hands.length) {
    $("exploit-said").textContent = "The bot never plays the moves above: no hand of its own comes here.";
    return;
  }
  const best = h => values.reduce((at, one, k) => one[h] > values[at][h] ? k : at, 0);
  const mean = of => money(sum(hands.map(of)) / hands.length);
  $("exploit-said").textContent = "The opponent’s best action with each hand, if it knows the bot’s trees but not its cards (bets: the bot’s " +
    "sizes, half the pot, the pot, twice the pot, all-in). " + (imitated
    ? `From here on it wins ${mean(h => values[best(h)][h])} on average; if it played as the bot would in its place, ${mean(h => imitated[h])}. All hands count alike.`
    : "It looks one action ahead, as if both only checked or called afterwards (a local best response).");
  const shares = actions.map((_, k) => Float64Array.from(rows.at(-1), (hand, h) => Number(hand && best(h) === k)));
  $("exploit-grid").replaceChildren(gridView("the opponent", state, chartOf(actions, shares, rows.at(-1)), -1));
}

// The values of actions with each hand of the player to act, the other being the agent: exact on the river, local before it; null where
// `stale` by then. best: whether the opponent plays a best response from then on, or as the agent would.
async function valuesOf(line, board, stale, actions, best) {
  const asked = { trees: treesOf(agent.file), depth: agent.depth, menu: MENU, labels: LABELS }, rows = [], { state } = readLine(line);
  for (const n of BOARD_CARDS.slice(0, state.street + 1)) rows.push(await allNumbersOf(board.slice(0, n)));
  if (stale()) return null;
  if (state.street === 3) return { ...respond(asked, line, board, rows, actions, best), rows };
  const choices = localChoices(asked, line, rows, actions);
  const edges = state.street ? (await compute({ board, weights: choices.staying })).edges : startingEdges(DATA.edges, choices.staying);
  return stale() ? null : { actions, values: localValues(choices, edges, board), rows };
}

function pickHole(hole) {
  [spot.cards[0], spot.cards[1]] = [HIGH[hole], LOW[hole]];
  spot.seat = readLine(spot.line).state.actor;
  spot.marked = spot.cards.indexOf(null);
  draw();
}

async function draw() {
  trouble("");
  const turn = ++drawing, stale = () => turn !== drawing, { state } = readLine(spot.line), [own, other] = spot.cards;
  const picked = (cards, value) => cards.includes(null) ? null : value, dealt = spot.cards.slice(2, 2 + BOARD_CARDS[state?.street ?? 0]);
  const hole = picked([own, other], holeIndex(own, other)), board = state && picked(dealt, dealt), lack = missing(state, hole, board);
  drawCards();
  drawBetting(state);
  remember("ask", { seat: spot.seat, cards: spot.cards.map(c => c === null ? "__" : cardText(c)).join(""), bet: spot.line });
  $("why-part").hidden = Boolean(lack);
  $("exploit").hidden = !board || state.actor === spot.seat;
  $("brief").textContent = "";
  busy(true);
  const rows = board && await allNumbersOf(board), found = !lack && await numbersOf(hole, board);
  if (stale()) return;
  const answer = lack ? null : decide(state, found.x);
  if (answer) {
    $("brief").textContent = brief(state, board, answer);
    $("why").replaceChildren(reasonsView(state, answer, rows), histogramView(found));
  }
  $("answer").replaceChildren(answer ? mixtureView(state, answer) : lack);
  drawTree(state?.street ?? 3, answer);
  drawGrids(state, rows, hole);
  if (answer) await drawValues(state, board, hole, answer, stale);
  if (!$("exploit").hidden) await drawExploit(state, board, stale);
  if (!stale()) busy(false);
}

function openSpot({ seat, cards, bet }) {
  readLine(bet ?? ""); // throws on a line that is none
  spot.cards = (cards?.match(/../g) ?? []).concat(Array(7).fill("__")).slice(0, 7).map(text => text === "__" ? null : parseCards(text)[0]);
  const picked = spot.cards.filter(card => card !== null);
  if (new Set(picked).size < picked.length) throw new Error("a card is named twice");
  spot.seat = seat === "1" ? 1 : 0;
  spot.line = bet ?? "";
  spot.marked = spot.cards.indexOf(null);
}

function startAsk() {
  makeDeck();
  $("random").addEventListener("click", () => {
    spot.cards.fill(null);
    fillAtRandom(2 + BOARD_CARDS[readLine(spot.line).state?.street ?? 3]);
  });
  $("seat").addEventListener("change", () => { spot.seat = Number($("seat").value); draw(); });
  $("street").append(...STREETS.map((street, k) => element("option", { value: k }, street)));
  $("street").addEventListener("change", () => {
    const street = Number($("street").value);
    if (street === readLine(spot.line).state?.street) draw();
    else drawTree(street);
  });
  $("undo").addEventListener("click", () => { spot.line = withoutLast(spot.line); draw(); });
  $("play-this").addEventListener("click", () => {
    show("play");
    startHand({ seat: 1 - spot.seat, mine: spot.cards.slice(0, 2).filter(c => c !== null), board: spot.cards.slice(2).filter(c => c !== null) });
  });
}
