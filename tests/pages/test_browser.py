"""The pages in Chromium: hands are played with the mouse and by keyboard alone, links lead back,
nothing is wrong for screen readers or phones.

These need `pip install -e ".[browser]"` and a Chromium: playwright's own, or the one that the
variable CHROMIUM names.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
from time import sleep

import nbformat
import numpy as np
import pytest
from formulas import KNOWN, formulas
from questions import GRIDS, data_of, grouped_table, player

from faceup.cards.cards import N_HOLES, parse_cards
from faceup.holdem.agents import load_agent
from faceup.holdem.betting_tree import build_tree
from faceup.pages.explorer import SCRIPTS, blueprint_data, page_data, write_page
from faceup.util.paths import AGENTS, ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        try:
            path = os.environ.get("CHROMIUM") or shutil.which("chromium")
            found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except api.Error as error:
            pytest.skip(f"no Chromium: {str(error).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def addresses(equities, all_in_wins, tmp_path_factory):
    """Of the pages, by name."""
    folder = tmp_path_factory.mktemp("pages")
    players = [
        player(name, depth, AGENTS / f"{name.lower()}.json")
        for name in ("CART", "OCT")
        for depth in (3, 15)
    ]
    tree = build_tree(load_agent(players[0]["file"]).menu)
    table = blueprint_data(tree, grouped_table(tree, equities), equities, GRIDS)
    explorer = page_data(players, equities[0], all_in_wins, table)
    for name in SCRIPTS:
        data = explorer if name == "explorer" else data_of(name)
        write_page(folder / f"{name}.html", name, data)
    return {name: (folder / f"{name}.html").as_uri() for name in SCRIPTS}


@pytest.fixture(params=[1280, 390], ids=["desktop", "phone"])
def page(browser, request):
    """A window, of a desktop or a phone; no page in it may report an error."""
    size = {"width": request.param, "height": 844 if request.param < 700 else 800}
    found, errors = browser.new_page(viewport=size), []
    found.on("pageerror", lambda error: errors.append(str(error)))
    yield found
    found.close()
    assert not errors


def wrong_for_readers(page) -> list[str]:
    """What axe-core calls serious or critical."""
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    found = axe.run(page)["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def fits(page) -> bool:
    """Whether nothing is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def turn(page) -> str:
    """What is said once the agent has acted."""
    page.wait_for_function(
        r"/Your turn|win|lose|split/.test(document.getElementById('your-turn').textContent)"
    )
    return page.inner_text("#your-turn")


def test_the_papers_hand_is_asked_about_by_clicks(page, addresses):
    page.goto(addresses["explorer"])
    page.wait_for_selector("#grid:not([aria-busy]) button")
    brief = page.locator("#brief")
    assert brief.inner_text().startswith("With A♣ 3♥ on K♥ 3♠ J♣, $600 in the pot")
    assert brief.bounding_box()["y"] < 700
    page.evaluate("location.hash = '#view=ask'")
    page.wait_for_function("document.getElementById('brief').textContent === ''")
    for card in parse_cards("Ac3hKh3sJc"):
        page.click(f'#deck [data-card="{card}"]')
    page.select_option("#seat", "1")
    page.click("#bets >> text=raise to $300")
    page.click("#bets >> text=call $200")
    page.wait_for_selector("#grid:not([aria-busy]) button")
    assert page.locator("#why > div > .reasons li").all_inner_texts() == [
        "over 2 rivers in 10 leave more than 75 % equity (here 79.7 % equity)",
        "8 turns in 10 leave at most 86.8 % equity (here 65.7 % equity)",
    ]
    said = page.inner_text("#why")
    assert said.startswith("It most often chooses “check”, because")
    met = "The same is likeliest with 314 of the 329 hands that meet these conditions"
    assert f"{met}, of 1,176 possible." in said
    worth = page.locator("#answer tbody td:last-child").all_inner_texts()
    assert len(worth) == 4 and worth.count("best") == 1 and {*worth} <= {"best", "close", "worse"}
    assert page.locator("#tree .lit").count() > 5
    assert all(
        page.locator(f"#{grid} button").count() == 169 for grid in ("grid", "blueprint-grid")
    )
    assert "rounded to 1/15" in page.inner_text("#blueprint-said")
    assert fits(page) and not wrong_for_readers(page)
    answer, link = page.inner_text("#answer"), page.evaluate("location.hash")
    page.evaluate("location.hash = '#view=ask&bet=f'")
    page.wait_for_function("document.getElementById('turn-of').textContent.includes('over')")
    page.evaluate("link => { location.hash = link; }", link)
    page.wait_for_selector("#grid:not([aria-busy]) button")
    assert page.inner_text("#answer") == answer


RIVER_BET = "#review .decision:has-text('you – bet $437')"


def start(page, address: str) -> None:
    """Begin the paper's hand in the big blind."""
    page.goto(address)
    page.evaluate("location.hash = '#view=play&seat=1&mine=Ac3h&theirs=KdQs&board=Kh3sJc9d2c'")
    page.wait_for_function("document.getElementById('play').hidden === false")


def test_a_hand_is_played_from_deal_to_river_against_a_bet_of_any_size(page, addresses):
    """The paper's hand in the big blind: checks and calls, and an odd bet on the river."""
    start(page, addresses["explorer"])
    for _ in range(20):
        if "Your turn" not in (said := turn(page)):
            break
        last = page.locator("#your-bets button").last.bounding_box()
        assert last["y"] + last["height"] < page.viewport_size["height"]
        if page.locator("#table .card").count() == 9 and "no bet to call" in said:
            page.fill("#your-bets input", "437")
            page.press("#your-bets input", "Enter")
        else:
            page.click("#your-bets button >> text=/^(check|call)/")
        # no action has the focus: Enter twice folds nothing
        page.wait_for_function("['your-turn', 'next'].includes(document.activeElement.id)")
    assert re.search(r"You (win|lose) \$[\d,]+\.", page.inner_text("#your-turn"))
    assert "you: bet $437" in page.inner_text("#table")
    assert page.locator("#table .card").count() == 9
    made = page.locator("#table .made").all_inner_texts()
    assert made == ["a pair of kings, queen kicker", "a pair of 3s, ace kicker"]
    page.wait_for_selector("#review .decision a")
    assert page.locator("#review .decision a").count() >= 2
    mine = page.locator(RIVER_BET).inner_text()
    cost, values = told_cost(mine), numbers(page, f"{RIVER_BET} td:nth-of-type(1)")
    own = numbers(page, f"{RIVER_BET} .lit td")
    assert cost == own[1] == pytest.approx(max(values) - own[0], abs=1.01) and len(values) > 4
    assert ("Best against this bot" in mine) == (cost > 0) and "The blueprint" in mine
    early = page.locator("#review .decision:has-text('preflop: you')").inner_text()
    assert "best" in early and "cost" not in early  # it is only a guess
    assert fits(page) and not wrong_for_readers(page)
    page.select_option("#unit", "100")
    assert "you: bet 4.37 bb" in page.inner_text("#table") and "$" not in page.inner_text("#table")


def test_a_hand_is_played_by_keyboard_alone(page, addresses):
    """Calls, a bet in numbers, all-in, the next hand, and the way to another view."""
    start(page, addresses["explorer"])
    turn(page)
    page.keyboard.press("c")
    turn(page)
    page.keyboard.press("b")
    assert page.evaluate("document.activeElement.matches('#your-bets input')")
    page.keyboard.type("437")
    page.keyboard.press("f")  # in a number it is no fold
    page.keyboard.press("Enter")
    assert "you: bet $437" in (turn(page), page.inner_text("#table"))[1]
    for _ in range(9):
        if "Your turn" not in turn(page):
            break
        page.keyboard.press("c")
    assert re.search(r"You (win|lose)", turn(page))
    for n, key in enumerate(("Enter", "n"), start=1):  # the focus is on the next hand
        page.keyboard.press(key)
        text, over = "document.getElementById('your-turn').textContent", f"results.length === {n}"
        while not page.evaluate(over):
            page.keyboard.press("a")
            page.keyboard.press("c")  # where the bot is all-in
            page.wait_for_function(f"{over} || /Your turn/.test({text})")
    assert "2 hands: you are" in page.inner_text("#score")
    for _ in range(50):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "to-ask":
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.body.dataset.view") == "ask"


def test_the_story_of_200_dollars(page, addresses, equities):
    """The shares of hands that fold are Python's; the threshold can be moved."""
    agent, every = load_agent(AGENTS / "oct.json", equities), np.arange(N_HOLES)
    folds = [100 * agent.probabilities(every, [], f"b{x}")[:, 0].mean() for x in (200, 201)]
    assert folds[1] - folds[0] > 20
    page.goto(addresses["explorer"] + "#view=story")
    page.wait_for_selector("#story-grid button")
    assert fits(page) and not wrong_for_readers(page)

    def told(button: str) -> float:
        page.click(f"#story button >> text='{button}'")
        page.wait_for_function(
            "x => document.getElementById('story-said').textContent.includes(`to ${x} `)",
            arg=button,
        )
        return float(re.search(r"folds ([\d.]+) %", page.inner_text("#story-said"))[1])

    assert [told("$200"), told("$201")] == pytest.approx(folds, abs=0.051)
    page.fill("#asks", "199")
    assert [told("$201"), told("$200")] == pytest.approx([folds[1]] * 2, abs=0.051)
    page.click("#as-trained")
    page.wait_for_function("/^One dollar/.test(document.getElementById('story-why').textContent)")
    page.click("#story-grid button >> nth=168")
    page.wait_for_function("document.getElementById('brief').textContent.includes('2')")
    assert "$100 to call" in page.inner_text("#turn-of")


def told_cost(text: str) -> float:
    """The cost in a sentence such as "It cost $0.653: .." or "Your call cost nothing: ..."."""
    found = re.search(r"cost (?:\$?(\d[\d,]*(?:\.\d+)?)|nothing)", text)
    return float((found[1] or "0").replace(",", ""))


def numbers(page, selector: str) -> list[float]:
    """The numbers in cells of a table."""
    texts = page.locator(selector).all_inner_texts()
    return [
        float(text.replace("\u2212", "-").replace("$", "").replace(",", ""))
        for text in texts
        if text
    ]


def test_a_card_is_bet_and_the_bets_cost_is_told(page, addresses):
    """A bet of $2.80 with card 6 of the first game costs the best value less its own."""
    page.goto(addresses["one_card"])
    page.evaluate("deal(DATA.games[0], 5)")
    assert fits(page) and not wrong_for_readers(page)
    assert "You hold card 6. It beats 56.77 %" in page.inner_text("#turn")
    assert page.locator("#cost table").count() == 0
    page.fill("#bet", "28")
    assert page.inner_text("#go") == "Bet $2.80"
    page.click("#go")
    values = numbers(page, "#cost tbody td:nth-of-type(1)")
    own = numbers(page, "#cost .lit td:nth-of-type(-n+2)")
    assert (
        told_cost(page.inner_text("#cost"))
        == own[1]
        == pytest.approx(max(values) - own[0], abs=0.0015)
    )
    assert own[1] > 0.5
    assert "1 bet: yours cost $0.653 on average" in page.inner_text("#score")
    assert page.is_disabled("#go") and fits(page) and not wrong_for_readers(page)
    page.keyboard.press("n")
    page.keyboard.press("b")
    assert "2 bets" in page.inner_text("#score")


def test_leduc_is_played_and_a_mistake_is_followed_by_advice(page, addresses):
    """Folds or calls with a king where the sheet raises; then the page says what to do."""
    page.goto(addresses["leduc"])
    for opponent in ("sheet", "equilibrium", "answer"):
        page.select_option("#opponent", opponent)
        page.evaluate("deal(0, [2, 1, 0])")
        assert fits(page) and not wrong_for_readers(page) and page.inner_text("#advice") == ""
        page.click('#choices [data-action="fold"]')
        own = numbers(page, "#review .lit td:nth-of-type(-n+2)")
        assert own == [-0.5, told_cost(page.inner_text("#last"))] and own[1] > 0.5
        assert "The sheet: raise." in page.inner_text("#last")
        assert "You fold. You lose 0.5 big blinds." in page.inner_text("#turn")
    page.select_option("#opponent", "sheet")
    page.evaluate("Math.random = () => 0.3; deal(0, [1, 2, 0])")
    page.click('#choices [data-action="call"]')
    assert "After your mistake, the sheet says now: call" in page.inner_text("#advice")
    while page.locator("#choices button").count():
        page.click("#choices button >> nth=0")
    assert page.locator("#review .decision").count() >= 2
    assert re.search(r"You (win|lose|split)", page.inner_text("#turn"))
    page.click("#sheet >> text=Round two")
    assert page.locator("#sheet tbody tr").count() == 72
    assert fits(page)
    assert not wrong_for_readers(page)


@pytest.fixture
def jupyter(tmp_path):
    """The address of a JupyterLab over a folder, which renders all cells of a notebook at once."""
    settings = tmp_path / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    around = os.environ | {name: str(tmp_path / "own") for name in names}
    around["JUPYTERLAB_SETTINGS_DIR"] = str(tmp_path / "settings")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = f"--no-browser --allow-root --port={port} --IdentityProvider.token="
    lab = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options.split()], cwd=tmp_path, env=around
    )
    for _ in range(300):
        with socket.socket() as found:
            if found.connect_ex(("127.0.0.1", port)) == 0:
                break
        sleep(0.1)
    yield f"http://127.0.0.1:{port}/lab/tree"
    lab.kill()
    lab.wait()


def test_jupyterlab_shows_formulas_where_the_rule_finds_them(browser, jupyter, tmp_path):
    """In texts with known answers and in a report, whose tables are not left as pipes."""
    nb = nbformat.read(ROOT / "reports" / "13_exploitability.ipynb", as_version=4)
    nb.cells = [*map(nbformat.v4.new_markdown_cell, KNOWN), *nb.cells]
    nbformat.write(nb, tmp_path / "report.ipynb")
    page = browser.new_page()
    page.goto(f"{jupyter}/report.ipynb")
    page.wait_for_selector("mjx-container", timeout=60_000)
    page.wait_for_timeout(2000)
    cells = page.locator(".jp-Notebook .jp-Cell").all()
    found = [cell.locator("mjx-container").count() > 0 for cell in cells]
    meant = [cell.cell_type == "markdown" and formulas(cell.source) != [] for cell in nb.cells]
    assert found == meant and found[: len(KNOWN)] == [*KNOWN.values()]
    assert not page.locator(".jp-RenderedMarkdown p", has_text=re.compile(r"\|.*\|.*\|")).count()
