"""How long the explorer's page takes in Chromium: first paint, one hand's numbers, the charts of all hands on the flop."""

from statistics import median

from report import record
from test_browser import address, browser  # noqa: F401 - fixtures

BOARDS = ("Kh3sJc", "Td9d8d", "7c7h2s", "AsQh5c", "6d4c2h")
TIME = """async boards => {
  const time = async work => { const start = performance.now(); await work(); return performance.now() - start; };
  const hole = board => unusedCards(board).slice(0, 2), found = { flop: [], turn: [], river: [], chart: [] };
  for (const text of boards) {
    const flop = parseCards(text), [turn, river] = unusedCards(flop).slice(-2);
    for (const board of [flop, [...flop, turn], [...flop, turn, river]]) {
      const street = STREETS[BOARD_CARDS.indexOf(board.length)];
      found[street].push(await time(() => compute({ board, hole: holeIndex(...hole(board)) })));
    }
    const other = [...flop.slice(0, 2), turn]; // not swept yet
    const { state } = readLine("b300c/");
    found.chart.push(await time(async () => {
      const rows = await allNumbersOf(other), chart = agentChart(state, rows), table = tableChart("b300c/", rows);
      gridView("agent", state, chart, -1, () => {});
      gridView("table", state, table, -1, () => {});
      differenceView(differences(chart, table), -1, () => {});
    }));
  }
  const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  return { ...found, paint: [paint] };
}"""


def test_the_page(browser, address):  # noqa: F811
    page = browser.new_page()
    page.goto(address)
    page.wait_for_selector("#deck button")
    found = {name: round(median(values)) for name, values in page.evaluate(TIME, BOARDS).items()}
    record("explorer", {f"{name}_milliseconds": found[name] for name in ("paint", "flop", "turn", "river", "chart")})
