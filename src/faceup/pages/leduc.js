"use strict";
// The page of Leduc hold'em: the reader plays a hand, and sees what each decision cost and what to do after a mistake.

const STRATEGIES = strategiesOf(DATA.situations), LOSES = Number(DATA.about.sheet_loses_at_most.toPrecision(2));
const ROWS = Object.fromEntries(DATA.situations.map(row => [`${row.card}${row.public ?? ""}:${row.line}`, row]));
const OPPONENTS = {
  sheet: ["the cheat sheet", `It plays by the sheet below. The best play wins at most ${
    LOSES} big blinds a hand from it.`],
  equilibrium: ["an equilibrium", "Over both seats nobody wins from it in the long run. Where it mixes actions, they are worth the same."],
  answer: ["one who knows the sheet", "The best play against somebody who follows the sheet. Follow it yourself and see how little that loses; or find " +
    "out how this opponent loses in turn."],
};
const KEYS = { call: "C", check: "C", raise: "R", fold: "F" }, CARD_NAMES = ["jack", "queen", "king"], SEATS = ["small blind", "big blind"], MISTAKE = 0.0005;
let hand = null; // {seat, cards: [small blind's, big blind's, public], state, log: decisions of the reader, done}
let past = { hands: 0, won: 0, costs: [] };

const bigBlinds = x => `${x} big blind${x === 1 ? "" : "s"}`;
const blinds = x => `${x <= -MISTAKE ? "−" : ""}${Math.abs(x).toFixed(3)}`, percent = share => `${share < 0.0005 ? 0 : Number((100 * share).toPrecision(3))} %`;
const shownIn = state => state.line.length > 1 ? hand.cards[2] : null;
const situation = state => nameOf(hand.cards[state.player], hand.cards[2], state);
const valuesAt = state => actionValues(STRATEGIES[$("opponent").value], hand.cards[state.player], shownIn(state), state.line.join("/"));
const bestOf = values => Object.keys(values).reduce((best, action) => values[action] > values[best] ? action : best);

// A share of the sheet in words: "raise 75 %, else fold".
function mixture(shares) {
  const kept = Object.entries(shares).filter(([, share]) => share > 0.0005).sort((a, b) => b[1] - a[1]);
  if (kept.length === 1) return kept[0][0];
  return kept.map(([action, share], k) => k === kept.length - 1 ? `else ${action}` : `${action} ${percent(share)}`).join(", ");
}

// What the reader may do: the rules allow a fold where nothing is to call, too, but who would.
const choices = state => legal(state).filter((action, _, all) => action !== "fold" || all.includes("call"));

// A random deal; seat and cards may be given, as tests do.
function deal(seat = hand ? 1 - hand.seat : 0, cards = null) {
  const deck = [0, 0, 1, 1, 2, 2].map(card => [Math.random(), card]).sort((a, b) => a[0] - b[0]).map(([, card]) => card);
  hand = { seat, cards: cards ?? deck.slice(0, 3), state: START, log: [], done: false };
  go();
}

// The opponent acts until it is the reader's turn or the hand is over.
function go() {
  while (!hand.state.over && hand.state.player !== hand.seat) {
    const shares = STRATEGIES[$("opponent").value][situation(hand.state)], actions = legal(hand.state);
    let left = Math.random() * sum(actions.map(action => shares[action]));
    hand.state = next(hand.state, actions.find(action => (left -= shares[action]) < 0) ?? actions[0]);
  }
  if (hand.state.over && !hand.done) {
    hand.done = true;
    past.hands++;
    past.won += won();
  }
  show();
}

const won = () => winnings(hand.state, hand.seat, hand.cards[hand.seat], hand.cards[1 - hand.seat], hand.cards[2]);
const slipped = () => hand.log.some(one => one.cost >= MISTAKE);

function choose(action) {
  const { state } = hand, values = valuesAt(state), cost = values[bestOf(values)] - values[action];
  hand.log.push({ state, action, values, cost });
  past.costs.push(cost);
  hand.state = next(state, action);
  go();
  (hand.done ? $("next") : $("choices").querySelector("button")).focus();
}

function cardView(card) {
  if (card === null) return element("span", { class: "card back", role: "img", "aria-label": "a card face down" });
  return element("span", { class: "card s", role: "img", "aria-label": CARD_NAMES[card] }, RANKS[card]);
}

const cards = (title, card) => element("div", {}, element("p", {}, title), element("div", { class: "slots" }, cardView(card)));

// The moves of a line: "you: raise to 2; opponent: call".
function moves(state) {
  const rounds = [[], []];
  for (const move of replay(state.line.join("/")).moves) {
    rounds[move.state.line.length - 1].push(`${move.state.player === hand.seat ? "you" : "opponent"}: ${actionName(move.state, move.action)}`);
  }
  return rounds.filter(said => said.length).map((said, k) => element("li", {}, `round ${["one", "two"][k]} – ${said.join("; ")}`));
}

// An action with what it puts in, in big blinds.
function actionName(state, action) {
  const now = state.line.length - 1, most = Math.max(...state.chips.map(own => own[now]));
  if (action === "raise") return `${most ? "raise to" : "bet"} ${(most + RAISES[now]) / UNIT}`;
  return action === "call" ? `call ${(most - state.chips[state.player][now]) / UNIT}` : action;
}

function show() {
  const { seat, state, done } = hand, mine = !done, put = state.chips.map(own => sum(own) / UNIT);
  $("table").replaceChildren(element("div", { class: "trio" }, cards("You", hand.cards[seat]), cards("Public", shownIn(state)),
    cards("Opponent", done ? hand.cards[1 - seat] : null)),
    element("p", {}, `You are the ${SEATS[seat]}. In the pot, in big blinds: you ${put[seat]}, the opponent ${put[1 - seat]}.`),
    element("ol", { class: "moves" }, ...moves(state)));
  $("turn").textContent = done ? ended() : "Your turn.";
  $("choices").replaceChildren(...(mine ? choices(state) : []).map(one =>
    button(actionName(state, one), () => choose(one), { "data-action": one, "data-key": KEYS[one] })));
  $("next").disabled = !done;
  $("last").textContent = hand.log.length ? verdict(hand.log.at(-1)) : "";
  $("advice").replaceChildren(...(mine ? advice(state) : []));
  $("review").replaceChildren(...(hand.log.length ? hand.log.map(decision).reverse() : [note("Each decision is judged as soon as it is made.")]));
  $("opponent-said").textContent = OPPONENTS[$("opponent").value][1];
  score();
  $("sheet").querySelectorAll("tbody tr").forEach((row, k) => row.classList.toggle("lit", mine && k === ROWS[situation(state)].cell));
}

function ended() {
  const x = won(), why = hand.state.folded < 0 ? "" : hand.state.folded === hand.seat ? "You fold. " : "The opponent folds. ";
  return `${why}You ${x > 0 ? "win" : x < 0 ? "lose" : "split the pot"}${x ? ` ${bigBlinds(Math.abs(x))}` : ""}.`;
}

// What to do now: shown before a decision if the reader wants it, and always after a mistake.
function advice(state) {
  if (!$("always").checked && !slipped()) return [];
  const values = valuesAt(state), best = bestOf(values);
  const off = ROWS[situation(state)].needed ? "" : " Who follows the sheet never comes here: this line of it is for those who have made a mistake.";
  return [element("p", { class: "advice" }, slipped() ? "After your mistake, the sheet says now: " : "The sheet says: ",
    element("b", {}, mixture(STRATEGIES.sheet[situation(state)])), `. Against this opponent ${best} is worth most, ${blinds(values[best])}.${off}`)];
}

function verdict({ state, action, values, cost }) {
  const said = cost < MISTAKE ? "cost nothing: no action is worth more." : `cost ${blinds(cost)} big blinds. Better: ${bestOf(values)}. The sheet: ${
    mixture(STRATEGIES.sheet[situation(state)])}.`;
  return `Your ${action} ${said}`;
}

// One decision of the reader's: what it cost, and each action's value beside the shares of the equilibrium and the sheet.
function decision(made) {
  const { state, action, values } = made;
  const name = situation(state), where = `${RANKS[hand.cards[hand.seat]]}${state.line.length > 1 ? ` on ${RANKS[hand.cards[2]]}` : ""}`;
  const best = bestOf(values);
  const rows = choices(state).map(one => ({ name: one, mine: one === action, cells: [blinds(values[one]), blinds(values[best] - values[one]),
    percent(STRATEGIES.equilibrium[name][one]), percent(STRATEGIES.sheet[name][one])] }));
  return element("article", { class: "decision" }, element("h3", {}, `${where}: ${actionName(state, action)}`),
    element("p", {}, element("b", {}, verdict(made))), actionTable(["value", "cost", "equilibrium", "sheet"], rows));
}

function score() {
  const many = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`, n = past.costs.length;
  $("score").textContent = !n ? "No decision yet." : `${many(past.hands, "hand")} over: you have won ${blinds(past.won)} big blinds, most of it luck. Your ${many(n, "decision")} cost ${
    blinds(sum(past.costs))}, which is no luck.`;
}

// The sheet as two tables, one a round.
function drawSheet() {
  const line = one => {
    const at = one.cell.indexOf(": "), said = mixture({ fold: one.fold, "check or call": one.check_or_call, raise: one.raise });
    const cells = [one.cell.slice(11, at), one.cell.slice(at + 2), element("b", {}, said)];
    return element("tr", { class: one.needed ? "" : "spare" }, ...cells.map(text => element("td", {}, text)));
  };
  const part = round => element("details", {}, element("summary", {}, `Round ${round}`), element("table", { class: "mixture" },
    element("thead", {}, element("tr", {}, ...["card", "betting of this round", "what to do"].map(text => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...DATA.sheet.filter(one => one.cell.startsWith(`round ${round}`)).map(line))));
  $("sheet").replaceChildren(part("one"), part("two"));
  $("sheet-said").textContent = `It loses at most ${LOSES} big blinds a hand, whoever plays against it. “K on J”: you hold a ` +
    "king, the public card is a jack. Gray lines are for those who have made a mistake: who follows the sheet never needs them.";
}

function main() {
  for (const [key, [name]] of Object.entries(OPPONENTS)) $("opponent").append(element("option", { value: key }, name));
  $("opponent").addEventListener("change", () => { past = { hands: 0, won: 0, costs: [] }; deal(hand.seat); });
  $("always").addEventListener("change", show);
  $("next").addEventListener("click", () => deal());
  drawSheet();
  deal();
}

main();
