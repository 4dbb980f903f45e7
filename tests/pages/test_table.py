"""The self-play table in the page: groups, shares and readings of bets that it does not have are those of Python."""

import numpy as np
import pytest
from questions import GRIDS, NO_WINS, grouped_table, random_agent, random_questions, run
from random_tables import node_after

from faceup.cards.cards import hole_index
from faceup.holdem.groups import hole_groups
from faceup.holdem.lines import line_to, state_after
from faceup.holdem.rules import DECISION, menu_from
from faceup.holdem.tree import build_tree, children, columns
from faceup.pages.explorer import STEPS, Player, page_data, table_data

MENU = menu_from([[1, 2], []], [[1], []], [[1]], [[1, 2], []])
ASK = """
const { menu, labels, data: { table, preflop } } = given;
function answerOf({ hole, board, betting }) {
  const own = readAs(betting, menu, labels), cards = holeIndex(...hole), street = readLine(betting).state.street;
  if (own === null) return { own };
  const whole = street ? serve({ board, hole: cards }).whole : wholeFeatures(cards, null, preflop);
  const actions = offered(readLine(own).state, menu, labels), group = groupOf(table, street, features(whole, street), cards);
  const shares = tableShares(table, street, own, group, actions.length);
  return { own, group, labels: actions.map(one => labels[one.label]), shares };
}
"""


@pytest.fixture(scope="module")
def taught(tables):
    tree = build_tree(MENU)
    return tree, grouped_table(tree, tables)


def test_the_pages_table_is_pythons(tables, taught, tmp_path):
    tree, policy = taught
    data = page_data([Player("it", 15, random_agent(tmp_path))], tables[0], NO_WINS, table_data(tree, policy, tables, GRIDS))
    questions, met = random_questions(96), set()
    given = {"data": data, "menu": MENU, "labels": tree.labels, "questions": questions}
    for asked, found in zip(questions, run("given.questions.map(answerOf)", given, ASK), strict=True):
        street = state_after(asked["betting"]).street
        node = node_after(tree, asked["betting"], state_after(asked["betting"]).actor, lambda i: 0.5)
        if tree.kind[node] != DECISION:
            assert found["own"] is None, asked
            continue
        assert found["own"] == line_to(tree, node), asked
        assert found["labels"] == [tree.labels[tree.label[c]] for c in children(tree, node)]
        group = hole_groups(policy.groups, street, asked["board"])[hole_index(*asked["hole"])]
        assert found["group"] == group, asked
        row = policy.tables[street][group, columns(tree, node)]
        np.testing.assert_allclose(found["shares"], row, atol=1 / STEPS)
        assert sum(found["shares"]) == pytest.approx(1)
        met.add((street, found["own"].replace("/", "") == asked["betting"].replace("/", "")))
    assert met == {(street, same) for street in range(4) for same in (True, False)}
