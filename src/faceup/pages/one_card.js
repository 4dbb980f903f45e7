"use strict";
// The page of the one-card game: the reader bets with a card, and sees what each bet is worth.

const { sizes } = DATA.game, CALLERS = {
  equilibrium: ["the equilibrium’s caller", "It calls exactly so often that no bets win more than an equilibrium’s. Where the equilibrium " +
    "mixes bets, all of them are worth the same.", game => game.called],
  pocket: ["a caller with a rule", `It calls a bet of $b with the best 1 / (1 + b) of its cards above your best bluff, the card where your weakest ${
    100 * DATA.caller.weakest} % end. Who knows this can win a little more from it.`, game => pocketShare(game, DATA.caller.weakest)],
};
let now = null; // {game, card, caller, values, rule, done}: the cards on the table and what each size is worth
let past = []; // of each bet so far: {cost, rule: what the rules would have cost}

const money = x => `${x <= -0.0005 ? "−" : ""}$${Math.abs(x).toFixed(3)}`, share = x => `${(100 * x).toFixed(x > 0 && x < 0.0995 ? 1 : 0)} %`;
const betName = s => s ? `bet $${sizes[s].toFixed(2)}` : "check";
const bestOf = values => values.indexOf(Math.max(...values));

// A place drawn with these weights.
function draw(weights) {
  let left = Math.random() * sum(weights);
  for (let i = 0; i < weights.length; i++) if ((left -= weights[i]) < 0) return i;
  return weights.findLastIndex(weight => weight > 0);
}

// New cards; game and card may be given, as tests do.
function deal(game = DATA.games[Math.floor(Math.random() * DATA.games.length)], card = null) {
  const met = game.own.map((p, i) => p * (1 - game.other[i])); // the same card is never dealt twice
  now = { game, card: card ?? draw(met), done: null };
  $("bet").value = 0;
  weigh();
}

// What each size is worth against the chosen caller, and what the chosen rules bet.
function weigh() {
  now.caller = CALLERS[$("caller").value];
  now.calls = callsOf(now.game.other, now.caller[2](now.game), sizes);
  now.values = betValues(now.game, now.calls, sizes, now.card);
  now.rule = ruleShares(DATA.lists[$("list").value].rules, now.game, sizes)[now.card];
  show();
}

function bet() {
  const s = Number($("bet").value), { game, card, calls, values, rule } = now, best = Math.max(...values);
  const other = draw(game.other.map((p, j) => j === card ? 0 : p)), called = Math.random() < calls[s][other];
  now.done = { s, other, called, won: !called ? 1 : card > other ? 1 + sizes[s] : -sizes[s] };
  past.push({ cost: best - values[s], rule: best - sum(rule.map((part, k) => part * values[k])) });
  show();
  $("next").focus();
}

// How likely each card is for one player; the own card, or the one that is seen, is marked.
function chart(title, chances, marked) {
  const most = Math.max(...chances), said = chances.map((p, i) => `${i + 1}: ${share(p)}`).join(", ");
  return element("figure", { class: "chances" }, element("figcaption", {}, title),
    element("div", { class: "bars", role: "img", "aria-label": `${title}. ${said}` }, ...chances.map((p, i) =>
      element("div", { class: i === marked ? "marked" : "" }, element("small", {}, (100 * p).toFixed(0)),
        element("i", { style: `height:${(70 * p / most).toFixed(1)}px` }), element("b", {}, String(i + 1))))));
}

function show() {
  const { game, card, done } = now, beaten = percentBeaten(strengths(game.other)[card]);
  $("charts").replaceChildren(chart("How likely your card is, in %", game.own, card),
    chart("How likely the opponent’s card is, in %", game.other, done?.other));
  $("turn").textContent = `You hold card ${card + 1}. It beats ${beaten} % of the opponent’s cards (the same card counts half).`;
  $("go").disabled = $("bet").disabled = Boolean(done);
  $("caller-said").textContent = now.caller[1];
  size();
  $("cost").replaceChildren(...(done ? answer() : [note("Choose a bet: the value of every size is shown after it.")]));
  score();
}

function size() {
  const s = Number($("bet").value);
  $("size").textContent = betName(s);
  $("go").textContent = s ? `Bet $${sizes[s].toFixed(2)}` : "Check";
  $("bet").setAttribute("aria-valuetext", betName(s));
}

function answer() {
  const { game, card, values, rule, done: { s, other, called, won } } = now, best = bestOf(values), cost = values[best] - values[s];
  const equal = Object.fromEntries(game.bets.filter(([i]) => i === card).map(([, k, part]) => [k, part]));
  const how = s ? called ? " and calls" : " and folds" : "", what = won > 0 ? "win" : won < 0 ? "lose" : "get";
  const result = `The opponent has card ${other + 1}${how}: you ${what} ${won ? "$" + Math.abs(won).toFixed(2) : "nothing"}.`;
  const verdict = cost < 0.0005 ? "It cost nothing: no size is worth more." : `It cost ${money(cost)}. Better: ${betName(best)}.`;
  const kept = sizes.map((_, k) => k).filter(k => k === s || k === best || k === 0 || equal[k] > 0.0005 || rule[k] > 0.0005);
  const often = part => part > 0.0005 ? share(part) : "";
  const rows = kept.map(k => ({ name: betName(k), mine: k === s,
    cells: [money(values[k]), money(values[best] - values[k]), often(equal[k]), often(rule[k])] }));
  return [element("p", {}, result, " ", element("b", {}, verdict)), curve(values, equal, s),
    actionTable(["value", "cost", "equilibrium", "rules"], rows),
    note("Value: dollars won on average with this card against this opponent, over all cards that the opponent may hold. “equilibrium” and “rules” say how " +
      "often they bet each size with it.")];
}

// The value of every size; dots where the equilibrium bets, a line where the reader did.
function curve(values, equal, s) {
  const W = 600, H = 150, low = Math.min(...values), span = Math.max(Math.max(...values) - low, 0.05);
  const x = k => 20 + (W - 40) * k / (sizes.length - 1), y = v => 15 + (H - 40) * (1 - (v - low) / span);
  const made = svg("svg", { viewBox: `0 0 ${W} ${H + 12}`, class: "histogram", role: "img",
    "aria-label": `Value of each bet from $0 to $3: best ${betName(bestOf(values))}, ${money(Math.max(...values))}; least ${money(low)}` });
  made.append(svg("line", { x1: x(s), x2: x(s), y1: 5, y2: H - 20, stroke: "#8a1c1c", "stroke-width": 2, "stroke-dasharray": "4 3" }),
    svg("polyline", { points: values.map((v, k) => `${x(k)},${y(v)}`).join(" "), fill: "none", stroke: "#0072b2", "stroke-width": 2 }));
  for (const [k, part] of Object.entries(equal)) made.append(svg("circle", { cx: x(k), cy: y(values[k]), r: 3 + 5 * part, fill: "#0072b2" }));
  const best = bestOf(values), left = best > 20;
  made.append(svg("text", { x: x(best) + (left ? -12 : 12), y: 14, "font-size": 16, "text-anchor": left ? "end" : "start" }, money(values[best])));
  for (const k of [0, 10, 20, 30]) made.append(svg("text", { x: x(k), y: H + 5, "font-size": 16, "text-anchor": "middle" }, `$${sizes[k]}`));
  return element("figure", { style: "margin:0.4rem 0" }, made,
    element("figcaption", { class: "note" }, "The value of every bet. Dots: the equilibrium’s bets, larger where more frequent. Dashed: you."));
}

function score() {
  const mean = of => money(sum(past.map(of)) / past.length);
  $("score").textContent = !past.length ? "No bet yet." : `${past.length} ${past.length > 1 ? "bets" : "bet"}: yours cost ${mean(one => one.cost)
    } on average, those of the rules below ${mean(one => one.rule)} with the same cards. Luck has no part in these numbers.`;
}

function rules() {
  const one = DATA.lists[$("list").value];
  $("sentences").replaceChildren(...one.sentences.map(text => element("li", {}, text)));
  $("list-said").textContent = `Bets are in dollars. Played with all cards, against the best opponent who knows them, these rules win ${
    money(one.exploitability)} a game less than an equilibrium, on average over random charts.`;
}

function main() {
  for (const [key, [name]] of Object.entries(CALLERS)) $("caller").append(element("option", { value: key }, name));
  DATA.lists.forEach((one, k) => $("list").append(element("option", { value: k }, one.name)));
  $("caller").addEventListener("change", () => { past = []; deal(now.game, now.card); });
  $("list").addEventListener("change", () => { past = []; rules(); deal(now.game, now.card); });
  $("bet").addEventListener("input", size);
  $("go").addEventListener("click", bet);
  $("next").addEventListener("click", () => deal());
  rules();
  deal();
}

main();
