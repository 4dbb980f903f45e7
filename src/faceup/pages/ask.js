"use strict";
// The view in which an agent is asked about a hand: cards[0..1] are its own, cards[2..6] the board's.

const spot = { cards: Array(7).fill(null), seat: 0, line: "", marked: 0 };
const SLOTS = ["hand, first card", "hand, second card", "flop, first card", "flop, second card", "flop, third card", "turn", "river"];
let drawing = 0; // answers that come after the next question are dropped

const holeOf = cards => cards[0] !== null && cards[1] !== null ? holeIndex(cards[0], cards[1]) : null;

// The board that lies on a street; null where not all of its cards are picked.
function boardOn(cards, street) {
  const board = cards.slice(2, 2 + BOARD_CARDS[street]);
  return board.includes(null) ? null : board;
}

function drawCards() {
  $("slots").replaceChildren(...spot.cards.flatMap((card, i) => {
    const mark = i === spot.marked ? " marked" : "", pressed = String(i === spot.marked);
    const name = `${SLOTS[i]}: ${card === null ? "empty" : cardName(card)}`;
    const text = card === null ? ["hand", "hand", "flop", "flop", "flop", "turn", "river"][i] : RANKS[card >> 2] + SUIT_SIGNS[card & 3];
    const style = card === null ? "card none" : `card ${SUITS[card & 3]}`;
    const made = button(named(text, name), () => { spot.cards[i] = null; spot.marked = i; draw(); },
      { class: style + mark, "aria-pressed": pressed });
    return i === 2 || i > 4 ? [element("span", { class: "gap" }), made] : [made];
  }));
  for (const each of $("deck").children) {
    each.setAttribute("aria-pressed", String(spot.cards.includes(Number(each.dataset.card))));
  }
  $("typed-hole").value = cardsText(spot.cards.slice(0, 2).filter(card => card !== null));
  $("typed-board").value = cardsText(spot.cards.slice(2).filter(card => card !== null));
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

function setTyped() {
  try {
    const hole = parseCards($("typed-hole").value), board = parseCards($("typed-board").value);
    if (hole.length > 2 || board.length > 5) throw new Error("a hand has two cards, a board at most five");
    if (new Set([...hole, ...board]).size < hole.length + board.length) throw new Error("a card is named twice");
    spot.cards = [...hole, ...Array(2 - hole.length).fill(null), ...board, ...Array(5 - board.length).fill(null)];
    spot.marked = spot.cards.indexOf(null);
    draw();
  } catch (error) { trouble(error.message); }
}

// Random cards for the hand and the board of the street; those that are picked stay.
function fillAtRandom(upTo) {
  const deck = shuffled(unusedCards(spot.cards.filter(card => card !== null)));
  spot.cards = spot.cards.map((card, i) => card === null && i < upTo ? deck.pop() : card);
  spot.marked = spot.cards.indexOf(null);
  draw();
}

const namesInAsk = () => SEATS.map((seat, player) => player === spot.seat ? "agent" : `opponent (${seat})`);

function drawBetting(state) {
  $("moves").replaceChildren(...movesView(spot.line, namesInAsk()));
  $("undo").disabled = $("restart").disabled = !spot.line;
  for (const radio of document.getElementsByName("seat")) radio.checked = Number(radio.value) === spot.seat;
  const move = (action, amount) => { spot.line = longer(spot.line, action, amount); draw(); focusIn("bets"); };
  const checked = (action, amount) => { try { move(action, amount); } catch (error) { trouble(error.message); } };
  if (!state) {
    $("turn-of").textContent = "The hand is over.";
    $("bets").replaceChildren();
    return;
  }
  const mine = state.actor === spot.seat, names = [`the agent (${SEATS[spot.seat]})`, `the opponent (${SEATS[1 - spot.seat]})`];
  $("turn-of").textContent = `${STREETS[state.street]}, ${situation(state)}. To act: ${names[mine ? 0 : 1]}.`;
  $("bets").replaceChildren(betsView(state, checked));
}

// The spot as a link holds it.
const spotState = () => ({ seat: spot.seat, cards: spot.cards.map(c => c === null ? "__" : cardText(c)).join(""), bet: spot.line });

const focusIn = id => $(id).querySelector("button")?.focus();

// What is missing before the agent can be asked, with a button that helps.
function missing(state, hole, board) {
  if (!state) return "The hand is over: take a move back.";
  if (state.actor !== spot.seat) return "The opponent acts first: choose its action below.";
  if (board && hole !== null) return null;
  const n = state.street ? BOARD_CARDS[state.street] : 0;
  const what = hole === null ? "the agent’s two cards" : `the ${n} cards of the ${STREETS[state.street]}’s board`;
  return element("span", {}, `Pick ${what}, or `, button("deal them at random", () => fillAtRandom(2 + n)));
}

// What was answered before is pale until the new answer is there.
function busy(yes) {
  for (const id of ["answer", "why", "grid", "blueprint-grid", "difference", "tree", "exploit"]) {
    if (yes) $(id).setAttribute("aria-busy", "true");
    else $(id).removeAttribute("aria-busy");
  }
}

async function drawAnswer(state, turn) {
  const hole = holeOf(spot.cards), board = state && boardOn(spot.cards, state.street), lack = missing(state, hole, board);
  $("why-part").hidden = $("tree-part").hidden = Boolean(lack);
  $("brief").textContent = "";
  if (lack) $("answer").replaceChildren(lack);
  else {
    const found = await numbersOf(hole, board);
    if (turn !== drawing) return;
    const answer = decide(state, found.x);
    $("brief").textContent = brief(state, board, answer);
    $("answer").replaceChildren(mixtureView(state, answer));
    $("tree").replaceChildren(treeView(answer));
    const rows = await allNumbersOf(board);
    if (turn !== drawing) return;
    $("why").replaceChildren(element("p", {}, situation(state) + "."), reasonsView(state, answer, rows), histogramView(found, answer) ?? "");
  }
  await drawGrids(state, board, hole, turn);
}

// What it mostly does, in a sentence.
function brief(state, board, { actions, shares }) {
  const often = shares.indexOf(Math.max(...shares)), said = cards => cards.map(card => RANKS[card >> 2] + SUIT_SIGNS[card & 3]).join(" ");
  const hand = `${said(spot.cards.slice(0, 2))}${board.length ? ` on ${said(board)}` : ""}`;
  const action = actionName(state, actions[often], LABELS);
  return `With ${hand}, ${situation(state)}, ${agent.name} chooses “${action}” ${percent(shares[often], 2)} of the time.`;
}

// What the agent's actions are worth with its hand, beside their shares.
async function drawValues(state, turn) {
  const hole = holeOf(spot.cards), board = state && boardOn(spot.cards, state.street);
  if (missing(state, hole, board)) return;
  const found = await valuesOf(spot.line, board, () => turn !== drawing, offered(state, MENU, LABELS), false);
  if (!found || Number.isNaN(found.values[0][hole])) return;
  const answer = decide(state, (await numbersOf(hole, board)).x), values = found.values.map(each => each[hole]);
  if (turn === drawing) $("answer").replaceChildren(mixtureView(state, answer, values), note(valueSaid("both play by these trees")));
}

// How values are counted; after: how the hand goes on after an action on the river.
const valueSaid = after => "Value: dollars won from here on, on average over the cards that the other may hold by these trees; folding is $0. " +
  `Before the river it is rough, as if both only checked or called afterwards; on the river it is exact, if ${after} afterwards.`;

// All hands in this spot: the agent's chart, the blueprint's beside it, and the difference.
async function drawGrids(state, board, hole, turn) {
  const rows = state && board && await allNumbersOf(board);
  if (turn !== drawing) return;
  const chart = rows && agentChart(state, rows), usual = rows && blueprintChart(spot.line, rows);
  $("blueprint-part").hidden = $("difference-part").hidden = !usual;
  $("blueprint-said").textContent = "";
  if (!rows) {
    $("grid-said").textContent = state ? `The board of the ${STREETS[state.street]} is not complete.` : "";
    $("grid").replaceChildren();
    return;
  }
  const chosen = hole === null ? -1 : classOf(hole), where = state.actor ? "in the big blind" : "on the button";
  $("grid-said").textContent = `What the agent does ${where} in this spot with each hand, suits averaged. Click a hand to ask about it.`;
  $("grid").replaceChildren(gridView("the agent", state, chart, chosen, pickHole));
  if (!usual) return;
  const apart = differences(chart, usual), mean = sum(apart.map(one => one.n * one.apart)) / sum(apart.map(one => one.n));
  $("blueprint-grid").replaceChildren(gridView("the blueprint", usual.state, usual, chosen, pickHole));
  $("difference").replaceChildren(differenceView(apart, chosen, pickHole));
  $("blueprint-said").textContent = `${percent(mean, 2)} of the agent’s play differs from the blueprint’s, averaged over hands. ${blueprintSaid(usual)}`;
}

// How the blueprint reads bets that it does not have.
function blueprintSaid({ own }) {
  if (own.replaceAll("/", "") === spot.line.replaceAll("/", "")) return "The blueprint’s shares are rounded to 1/15: each may be off by up to 7 points.";
  const bets = readLine(own).moves.filter(move => move.action === "raise").map(move => actionName(move.before, move));
  return `The blueprint does not have all of these bets. It reads them as ${bets.join(", ") || "no bet"}.`;
}

// Before the opponent acts: what it does if it knows the agent's strategy.
async function drawExploit(state, turn) {
  const board = state && boardOn(spot.cards, state.street), here = board && state.actor !== spot.seat;
  $("exploit").hidden = !here;
  if (!here) return;
  const found = await valuesOf(spot.line, board, () => turn !== drawing, responses(state, MENU, LABELS), true);
  if (!found) return;
  const { actions, values, imitated, rows } = found, hands = [...Array(N_HOLES).keys()].filter(h => rows.at(-1)[h] && !Number.isNaN(values[0][h]));
  $("exploit-grid").replaceChildren();
  $("exploit-hand").textContent = "";
  if (!hands.length) {
    $("exploit-said").textContent = "The agent never plays the moves above: no hand of its own comes here.";
    return;
  }
  const best = h => values.reduce((at, one, k) => one[h] > values[at][h] ? k : at, 0);
  const mean = of => money(sum(hands.map(of)) / hands.length), wins = mean(h => values[best(h)][h]);
  $("exploit-said").textContent = "The opponent’s best action with each hand, if it knows the agent’s trees but not its cards (bets: the agent’s " +
    "sizes, half the pot, the pot, twice the pot, all-in). " + (imitated
    ? `From here on it wins ${wins} on average; if it played as the agent would in its place, ${mean(h => imitated[h])}.`
    : `It looks one action ahead, as if both only checked or called afterwards (a local best response). Counted so, it wins ${wins} on average.`) +
    " All its hands count alike, and folding counts as $0. Click a hand for its numbers.";
  const shares = actions.map((_, k) => Float64Array.from(rows.at(-1), (hand, h) => Number(hand && best(h) === k)));
  const show = h => { $("exploit-hand").textContent = handValues(state, actions, values, h); };
  $("exploit-grid").replaceChildren(gridView("the opponent", state, chartOf(actions, shares, rows.at(-1)), -1, show));
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

// What the opponent's actions are worth with one hand.
function handValues(state, actions, values, h) {
  const said = actions.map((one, k) => `${actionName(state, one)} ${money(values[k][h])}`);
  return `With ${cardText(HIGH[h])}${cardText(LOW[h])} its actions are worth: ${said.join("; ")}.`;
}

function pickHole(hole) {
  [spot.cards[0], spot.cards[1]] = [HIGH[hole], LOW[hole]];
  spot.seat = readLine(spot.line).state.actor;
  spot.marked = spot.cards.indexOf(null);
  draw();
}

async function draw() {
  trouble("");
  const turn = ++drawing, { state } = readLine(spot.line);
  drawCards();
  drawBetting(state);
  $("link").href = remember("ask", spotState());
  busy(true);
  await drawAnswer(state, turn);
  if (turn === drawing) await drawValues(state, turn);
  if (turn === drawing) await drawExploit(state, turn);
  if (turn === drawing) busy(false);
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
  $("set").addEventListener("click", setTyped);
  for (const id of ["typed-hole", "typed-board"]) $(id).addEventListener("keydown", onEnter(setTyped));
  $("random").addEventListener("click", () => {
    spot.cards.fill(null);
    fillAtRandom(2 + BOARD_CARDS[readLine(spot.line).state?.street ?? 3]);
  });
  for (const radio of document.getElementsByName("seat")) {
    radio.addEventListener("change", () => { spot.seat = Number(radio.value); draw(); });
  }
  $("undo").addEventListener("click", () => { spot.line = withoutLast(spot.line); draw(); });
  $("restart").addEventListener("click", () => { spot.line = ""; draw(); });
  $("play-this").addEventListener("click", () => {
    show("play");
    startHand({ seat: 1 - spot.seat, mine: spot.cards.slice(0, 2).filter(c => c !== null), board: spot.cards.slice(2).filter(c => c !== null) });
  });
}
