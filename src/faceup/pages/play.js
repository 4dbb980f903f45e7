"use strict";
// The view in which one plays against an agent. The cost of each of the visitor's decisions is shown after it; the agent's cards and
// reasons are shown once the hand is over.

let hand = null; // {seat, holes: [button's, big blind's], board, line, counted}: seat is the visitor's, 0 on the button
let results = []; // dollars won in each counted hand against the chosen bot

// A new hand; cards that are given (from a link, or picked in the other view) are kept, and such a hand is not counted.
function startHand({ seat, mine = [], theirs = [], board = [], line = "" }) {
  const given = [...mine, ...theirs, ...board], deck = shuffled(unusedCards(given));
  const fill = (cards, n) => [...cards, ...Array.from({ length: n - cards.length }, () => deck.pop())];
  const own = fill(mine, 2), other = fill(theirs, 2);
  hand = { seat, holes: seat ? [other, own] : [own, other], board: fill(board, 5), line, counted: !given.length, done: false };
  playOn();
}

const boardNow = state => hand.board.slice(0, state ? BOARD_CARDS[state.street] : readLine(hand.line).moves.at(-1).action === "fold"
  ? BOARD_CARDS[readLine(hand.line).moves.at(-1).before.street] : 5);

// Let the agent act until it is the visitor's turn, or the hand is over.
async function playOn() {
  const playing = hand;
  drawHand();
  for (let state = readLine(hand.line).state; state && state.actor !== hand.seat; state = readLine(hand.line).state) {
    const hole = holeIndex(...hand.holes[state.actor]);
    const { x } = await numbersOf(hole, boardNow(state));
    if (hand !== playing) return; // another hand was begun meanwhile
    const { actions, shares } = decide(state, x), action = actions[draws(shares)];
    hand.line = longer(hand.line, action.action, action.amount);
    drawHand();
  }
  if (!readLine(hand.line).state) finish();
}

// A place drawn with these probabilities.
function draws(shares) {
  let left = Math.random();
  for (let i = 0; i < shares.length; i++) if ((left -= shares[i]) < 0) return i;
  return shares.lastIndexOf(Math.max(...shares));
}

function finish() {
  if (hand.done) return;
  hand.done = true;
  if (hand.counted) results.push(wonNow());
  drawHand();
  drawScore();
  $("next").focus();
}

const wonNow = () => (hand.seat ? -1 : 1) * winnings(hand.line, hand.holes, hand.board);

function handRow(player, state) {
  const own = player === hand.seat, seen = own || !state || $("face-up").checked, board = boardNow(state);
  const cards = seen ? hand.holes[player].map(card => cardView(card))
    : [0, 1].map(() => element("span", { class: "card back", role: "img", "aria-label": "a card face down" }));
  const chips = state ? `: ${dollars(STACK - sum(state.bets[player]))} left, ${dollars(sum(state.bets[player]))} put in` : "";
  const made = seen && board.length ? handName(strength([...hand.holes[player], ...board])) : "";
  return element("div", { class: "seat" }, element("div", { class: "slots" }, ...cards),
    element("p", {}, element("b", {}, own ? "You" : agent.name), `, ${SEATS[player]}${chips}`, made && element("span", { class: "made" }, made)));
}

function drawHand() {
  const { state } = readLine(hand.line), names = SEATS.map((_, player) => player === hand.seat ? "you" : agent.name);
  const board = boardNow(state).map(card => cardView(card)), mine = state && state.actor === hand.seat;
  const middle = element("div", { class: "seat" }, element("div", { class: "slots" }, ...board),
    element("p", {}, board.length ? "" : "Before the flop. ", state ? `Pot ${dollars(potAndCall(state)[0])}` : ""));
  $("table").replaceChildren(element("div", { class: "felt" }, handRow(1 - hand.seat, state), middle, handRow(hand.seat, state)),
    element("ol", { class: "moves" }, ...movesView(hand.line, names)));
  $("your-turn").textContent = !state ? ended() : mine ? `Your turn: ${situation(state)}.` : `${agent.name} thinks.`;
  $("your-bets").replaceChildren(mine ? betsView(state, yourMove) : "");
  $("next").disabled = Boolean(state);
  remember("play", state ? {} : linkOfHand());
  drawReview(state);
}

const linkOfHand = () => ({ seat: hand.seat, mine: cardsText(hand.holes[hand.seat]), theirs: cardsText(hand.holes[1 - hand.seat]),
  board: cardsText(hand.board), bet: hand.line });

function ended() {
  const won = wonNow(), how = won > 0 ? `You win ${dollars(won)}.` : won < 0 ? `You lose ${dollars(-won)}.` : "The pot is split.";
  const last = readLine(hand.line).moves.at(-1);
  const why = last.action === "fold" ? `${last.player === hand.seat ? "You fold." : `${agent.name} folds.`} ` : "";
  return `${why}${how}${hand.counted ? "" : " A chosen hand is not counted."}`;
}

function yourMove(action, amount) {
  try {
    hand.line = longer(hand.line, action, amount);
    trouble("");
    playOn().then(() => hand.done || $("your-turn").focus()); // no action: Enter twice must not fold
  } catch (error) { trouble(error.message); }
}

// The decisions so far, the last one first: the visitor's with their costs, and the agent's once the hand is over or face up.
async function drawReview(state) {
  const playing = hand, line = hand.line, seen = !state || $("face-up").checked, views = [], stale = () => hand !== playing || hand.line !== line;
  for (const move of readLine(line).moves.filter(move => seen || move.player === hand.seat)) {
    const board = hand.board.slice(0, BOARD_CARDS[move.before.street]), { x } = await numbersOf(holeIndex(...hand.holes[move.player]), board);
    views.push(move.player === hand.seat ? costView(move, await costOf(move, board, stale), x)
      : decisionView(move, decide(move.before, x), board, await allNumbersOf(board)));
    if (stale()) return;
  }
  $("review").replaceChildren(...(views.length ? [...views.reverse(), note(`${ROUGH} On the river: ${exact("you play your best against these trees")}`)] : [note(seen
    ? "Nobody has decided anything." : "What each of your decisions cost is shown after it, and the bot’s reasons when the hand is over.")]));
}

// What the visitor's actions were worth at a move, once it is known: {actions, values}; null where the agent never comes there.
async function costOf(move, board, stale) {
  const key = [agent.file, agent.depth, move.line, move.amount].join();
  hand.costs ??= new Map();
  if (!hand.costs.has(key)) {
    const found = await valuesOf(move.line, board, stale, responses(move.before, MENU, LABELS, move.amount), true);
    if (stale()) return null;
    const hole = holeIndex(...hand.holes[move.player]), values = found.values.map(each => each[hole]);
    hand.costs.set(key, Number.isNaN(values[0]) ? null : { actions: found.actions, values });
  }
  return hand.costs.get(key);
}

function costView(move, found, x) {
  const { before } = move, title = element("h3", {}, `${STREETS[before.street]}: you – ${actionName(before, move)}`);
  if (!found) return element("article", { class: "decision" }, title, note("The bot’s trees never come here: nothing can be said of its cards."));
  const { actions, values } = found, best = Math.max(...values), name = k => actionName(before, actions[k]), worth = worths(before, values);
  const own = actions.findIndex(one => one.action === move.action && one.amount === move.amount), cost = best - values[own];
  const better = `Best against this bot: ${name(values.indexOf(best))}.`, river = before.street === 3;
  const verdict = river ? cost < 0.5 ? "It cost nothing against this bot." : `It cost ${money(cost)} against this bot. ${better}`
    : worth[own] === "worse" ? better : "No action is clearly better against this bot.";
  const rows = actions.map((_, k) => ({ name: name(k), mine: k === own, cells: [worth[k], ...(river ? [money(best - values[k])] : [])] }));
  return element("article", { class: "decision" }, title, element("p", {}, river ? element("b", {}, verdict) : verdict),
    actionTable(river ? ["value", "cost"] : ["against this bot"], rows), usualView(move, x));
}

// What the blueprint does in the visitor's place.
function usualView(move, x) {
  const at = blueprintAt(move.line);
  if (!at) return "";
  const shares = at.sharesOf(x, holeIndex(...hand.holes[move.player])), names = at.actions.map(({ label }) => DATA.names[label]);
  const said = names.map((name, k) => [name, shares[k]]).filter(([, share]) => share >= 0.01).sort((a, b) => b[1] - a[1]);
  return element("div", {}, element("p", {}, "The blueprint, which targets nobody: ", said.map(([name, share]) => `${name} ${percent(share, 2)}`).join(", "), "."),
    barView(shares, at.actions.map(one => one.label), names));
}

function decisionView(move, answer, board, rows) {
  const cards = cardsText([...hand.holes[move.player], ...board]);
  const ask = "#" + new URLSearchParams({ view: "ask", ...chosenAgent(), seat: move.player, cards, bet: move.line });
  return element("article", { class: "decision" },
    element("h3", {}, `${STREETS[move.before.street]}: ${agent.name} – ${actionName(move.before, move)}`),
    element("p", {}, situation(move.before) + "."), mixtureView(move.before, answer), reasonsView(move.before, answer, rows, move),
    element("a", { href: ask }, "Ask about this spot"));
}

// The sum so far, and how much of it luck makes of itself: 1.96 standard deviations.
function drawScore() {
  const n = results.length, money = sum(results), mean = money / Math.max(n, 1);
  const luck = 1.96 * Math.sqrt(sum(results.map(x => (x - mean) ** 2)) * n / Math.max(n - 1, 1)), blinds = x => Math.round(Math.abs(x) / BIG_BLIND);
  $("score").textContent = n ? `${n} ${n > 1 ? "hands" : "hand"}: you are ${money < 0 ? "down" : "up"} ${dollars(Math.abs(money))}${unit === 1 ? ` (${blinds(money)} bb)` : ""}.` +
    (n > 1 ? ` Luck alone makes ± ${blinds(luck)} bb of ${n} hands: what your decisions cost tells more.` : "") : "No hand is counted yet.";
}

function startPlay() {
  $("next").addEventListener("click", () => startHand({ seat: hand ? 1 - hand.seat : 0 }));
  $("face-up").addEventListener("change", () => hand && drawHand());
}
