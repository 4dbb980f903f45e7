"""An iteration of self-play as torch operations on a batch of boards, on a GPU where there is one.

All boards of a batch are played from one strategy, and what is learnt is what solve/selfplay learns from each of them. The way
there differs, for a GPU wants few and large operations.

Actions are kept in sequence form (von Stengel 1996): a row stands for an action and all earlier ones of the same player. Its
reach is the product of their probabilities, its value that of what follows before this player acts again. So one row an action
serves both players. Row 0 is the empty sequence. Rows are ordered so that each of `runs` is a slice that is computed at once.

A showdown before the river is a product with the matrix of who beats whom. On the river the holes of one strength and one equity
play alike: they are a cell (solve/board). Let D[h, c] be an opponent's weight in cell h with card c, n[g] the holes of cell g,
and k[g, c] those with card c. Then M[h, g] = sum over c of D[h, c] (n[g] / 2 - k[g, c]) is the weight in h that shares no card
with a hole of g, summed over these (each hole counts twice in D, hence the half). Values of all ends of a river subtree are
products with M, signed by who wins, and values of its root go the same way back.

Float32 products must keep full precision, which is torch's default. On a GPU sums come in no fixed order, unless
torch.use_deterministic_algorithms is set: that costs more than half of the speed.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from faceup.holdem.betting.betting_tree import DECISION, FOLD_END, SHOWDOWN, BettingTree
from faceup.holdem.scale.batches import Batch, batches
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.layout import stakes_at


class Sequences(NamedTuple):
    """Rows of the streets before the river, or of the river, where each subtree begins anew."""

    nodes: np.ndarray  # (n,) node of each row, from row 1 on
    row: np.ndarray  # (n_nodes,) row of each node, 0 for those of the other part
    before: Tensor  # (1 + n,) row of the same player's action before
    runs: list[tuple[int, int, int]]  # first row, last plus one, and actions a decision


class Ends(NamedTuple):
    """Ends of a part, once for each player who is paid: (2 n,) all paid to player 0, then to player 1; on the river (2 n, E)."""

    theirs: Tensor  # row of the other player's last action
    mine: Tensor  # row of the paid player's last action
    stake: Tensor  # dollars, as `stakes_at` has them; 0 in padding


class TorchSweep:
    """Sweeps of a tree that add to tables on a torch device.

    regrets, averages: four tables each, (width, n_groups): transposed, and with a row for each action in the order of
    `Sequences`; see `load` and `in_tree_order`.
    """

    def __init__(self, tree: BettingTree, groups: Groups, device: str = "cpu", at_once: int = 32):
        """Nothing learnt yet. at_once: boards that are in memory together; some 120 MB each on the default tree."""
        self.tree, self.groups, self.device, self.at_once = tree, groups, torch.device(device), at_once
        last, start = _last_actions(tree), tree.street_start.tolist()
        self._top, self._river = (_sequences(tree, last, a, b, device) for a, b in ((1, start[3]), (start[3], start[4])))
        self._rows = [*(slice(a, b) for a, b in zip(start[:3], start[1:4], strict=True)), slice(1, 1 + start[4] - start[3])]
        kind = tree.kind[: start[3]]
        roots = np.flatnonzero((kind == DECISION) & (tree.street[: start[3]] == 3))
        root_of = np.full(len(tree.kind), -1)
        root_of[roots] = np.arange(len(roots))
        for c in range(start[3], start[4]):
            root_of[c] = root_of[tree.parent[c]]
        self._folds, self._shows = (self._ends(np.flatnonzero(kind == k), self._top, last) for k in (FOLD_END, SHOWDOWN))
        self._roots = self._ends(roots, self._top, last)
        self._river_folds, self._river_shows = (
            self._ends(_by_root(np.flatnonzero((tree.kind == k) & (root_of >= 0)), root_of, len(roots)), self._river, last)
            for k in (FOLD_END, SHOWDOWN)
        )
        owner = tree.actor[tree.parent[self._river.nodes]].astype(np.int64)
        self._root_of_row = self._tensor((1 - owner) * len(roots) + root_of[self._river.nodes])
        shapes = zip(np.diff(start).tolist(), groups.n_groups, strict=True)
        self.regrets = [torch.zeros(shape, device=device) for shape in shapes]
        self.averages = [torch.zeros_like(table) for table in self.regrets]

    def load(self, tables: tuple[np.ndarray, ...]) -> list[Tensor]:
        """Tables with a column for each node of the tree, as `SelfPlay.in_tree_order` gives, in this sweep's order."""
        return [self._tensor(table.T[nodes]) for table, nodes in zip(tables, self._columns(), strict=True)]

    def in_tree_order(self, tables: list[Tensor]) -> tuple[np.ndarray, ...]:
        """The reverse of `load`."""
        back = [table.cpu().numpy()[np.argsort(nodes)] for table, nodes in zip(tables, self._columns(), strict=True)]
        return tuple(np.ascontiguousarray(table.T) for table in back)

    def _columns(self) -> list[np.ndarray]:
        nodes = np.concatenate([self._top.nodes, self._river.nodes])
        start = self.tree.street_start
        return [nodes[a - 1 : b - 1] - a for a, b in zip(start[:4], start[1:], strict=True)]

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.as_tensor(np.ascontiguousarray(array), device=self.device)

    def _ends(self, nodes: np.ndarray, part: Sequences, last: np.ndarray) -> Ends:
        """Ends at nodes (n,), or (n, E) where 0 is padding."""
        stake = stakes_at(self.tree, nodes.ravel()).T.reshape(2, *nodes.shape) * (nodes > 0)
        mine = self._tensor(part.row[last[:, nodes]])
        return Ends(mine.flip(0).flatten(0, 1), mine.flatten(0, 1), self._tensor(stake.astype(np.float32)).flatten(0, 1))

    def sweep(self, boards: np.ndarray) -> None:
        """Play boards (n, 5) from one strategy, and add what both players learn to the tables. Raises ValueError as `batches`."""
        strategy = [self._strategy(street) for street in range(4)]
        for batch in batches(boards, self.groups, self.at_once, self.device):
            self._sweep(strategy, batch)

    def _strategy(self, street: int) -> Tensor:
        """Regret matching: a street's probabilities; uniform where no regret is positive."""
        strategy, rows = self.regrets[street].clamp(min=0), self._rows[street]
        for first, end, k in (self._top if street < 3 else self._river).runs:
            if rows.start <= first < rows.stop:
                chance = strategy[first - rows.start : end - rows.start].unflatten(0, (-1, k))
                total = chance.sum(dim=1, keepdim=True)
                chance.copy_(torch.where(total > 0, chance / total, 1 / k))
        return strategy

    def _sweep(self, strategy: list[Tensor], batch: Batch) -> None:
        chance = strategy[0].new_ones(1 + len(self._top.nodes), *batch.cell.shape)
        for street, rows in enumerate(self._rows[:3]):
            _look_up(strategy[street], batch.group[street], chance[rows])
        reach = _down(self._top, chance)
        value = torch.zeros_like(reach)
        for ends, values in ((self._folds, _fold_values), (self._shows, _showdown_values)):
            worth = values(batch, reach[ends.theirs]).mul_(ends.stake[:, None, None])
            value.index_add_(0, ends.mine, worth)
        self._sweep_rivers(strategy[3], batch, reach, value)
        _up(self._top, chance, value)
        for street, rows in enumerate(self._rows[:3]):
            self._learn(street, batch.group[street], value[rows], reach[rows])

    def _learn(self, street: int, groups: Tensor, gain: Tensor, weight: Tensor) -> None:
        """Add to the tables' columns of groups (B, X) what was gained and played there, (width, B, X)."""
        for table, added in ((self.regrets[street], gain), (self.averages[street], weight)):
            table.index_add_(1, groups.flatten(), added.flatten(1))

    def _sweep_rivers(self, strategy: Tensor, batch: Batch, reach: Tensor, value: Tensor) -> None:
        """Add the values of all river subtrees to rows of value, and what is learnt there to the tables.

        J: roots, once for each player who is paid; E: ends of a root. Matrices (G, G) have the opponent's cell first.
        """
        n_boards, n_cells = batch.level.shape
        chance = strategy.new_ones(1 + len(self._river.nodes), n_boards, n_cells)
        _look_up(strategy, batch.level, chance[1:])
        since = _down(self._river, chance)  # reach from the root on
        theirs = reach[self._roots.theirs]  # (J, B, 1081)
        by_card = _by_card(batch, theirs)  # (B, 48, J, G)
        total = by_card.sum(dim=1).mul_(0.5)  # (B, J, G)
        count = batch.in_cell.sum(dim=2)  # (B, 48, G)
        weight = by_card.flatten(2).mT @ (count.sum(dim=1, keepdim=True) / 4 - count)
        weight = weight.view(-1, n_cells, n_cells)  # M of each board and root
        of_cell = torch.zeros_like(chance)
        ends = self._river_folds, self._river_shows
        folds, shows = ([_by_board(since, e.theirs), _by_board(since, e.mine) * _stakes(e, n_boards)] for e in ends)
        alone = folds[0] * total.view(-1, 1, n_cells)  # the hole itself was taken off twice, once with each card
        _pay(ends[0], folds[0] @ weight + alone, of_cell)
        _pay(ends[1], shows[0] @ _sign(weight, batch), of_cell)
        matrix = _sign(torch.bmm(shows[0].mT, shows[1], out=weight), batch).baddbmm_(folds[0].mT, folds[1])
        at_root = by_card.transpose(1, 2) @ matrix.view(n_boards, -1, n_cells, n_cells)  # (B, J, 48, G)
        own = (folds[0] * folds[1]).sum(dim=1).view(n_boards, -1, n_cells).transpose(0, 1)
        worth = _to_holes(batch, at_root) + theirs * own.gather(2, batch.cell.expand(len(theirs), -1, -1))
        value.index_add_(0, self._roots.mine, worth)
        _up(self._river, chance, of_cell)
        self._learn(3, batch.level, of_cell[1:], since[1:] * total.transpose(0, 1)[self._root_of_row])


def _last_actions(tree: BettingTree) -> np.ndarray:
    """The last action of each player that leads to each node, (2, n_nodes), 0 where it has not acted."""
    last = np.zeros((2, len(tree.kind)), dtype=np.int64)
    for node in range(1, len(tree.kind)):
        above = tree.parent[node]
        last[:, node] = last[:, above]
        last[tree.actor[above], node] = node
    return last


def _sequences(tree: BettingTree, last: np.ndarray, first: int, end: int, device: str) -> Sequences:
    """Rows of the actions that lead to nodes first..end - 1."""
    nodes = np.arange(first, end)
    above = tree.parent[nodes]
    street, before = tree.street[above], last[tree.actor[above], above]
    depth = np.zeros(end, dtype=np.int64)  # of the same player's actions on the street
    for node, b, s in zip(nodes, before, street, strict=True):
        depth[node] = 1 + (depth[b] if b >= tree.street_start[s] else 0)
    keys = np.stack([street, depth[nodes], tree.n_children[above]])
    order = np.lexsort((nodes, *keys[::-1]))
    row = np.zeros(len(tree.kind), dtype=np.int64)
    row[nodes[order]] = 1 + np.arange(len(nodes))
    keys = keys[:, order]
    starts = 1 + np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    runs = zip(starts, [*starts[1:], 1 + len(nodes)], keys[2, starts - 1], strict=True)
    rows_before = torch.as_tensor(np.append(0, row[before[order]]), device=device)
    return Sequences(nodes[order], row, rows_before, [(int(a), int(b), int(k)) for a, b, k in runs])


def _by_root(nodes: np.ndarray, root_of: np.ndarray, n_roots: int) -> np.ndarray:
    """Nodes of each root's subtree, (n_roots, most), padded with 0."""
    lists = [nodes[root_of[nodes] == r] for r in range(n_roots)]
    out = np.zeros((n_roots, max(map(len, lists), default=0)), dtype=np.int64)
    for r, below in enumerate(lists):
        out[r, : len(below)] = below
    return out


def _down(part: Sequences, chance: Tensor) -> Tensor:
    """Reach of all rows, (1 + n, B, X), from the probabilities of their actions; row 0, and rows after it, begin with 1."""
    reach = chance.clone()
    for first, end, _ in part.runs:
        reach[first:end] *= reach[part.before[first:end]]
    return reach


def _up(part: Sequences, chance: Tensor, value: Tensor) -> None:
    """Turn the values of rows' own ends (1 + n, B, X) into regrets: each action's value less its decision's."""
    for first, end, k in reversed(part.runs):
        actions = value[first:end].unflatten(0, (-1, k))
        at = (actions * chance[first:end].unflatten(0, (-1, k))).sum(dim=1)
        actions -= at[:, None]
        value.index_add_(0, part.before[first:end:k], at)


def _look_up(strategy: Tensor, groups: Tensor, out: Tensor) -> None:
    """Probabilities (width, B, X) of groups (B, X)."""
    torch.index_select(strategy, 1, groups.flatten(), out=out.flatten(1))


def _by_board(rows: Tensor, chosen: Tensor) -> Tensor:
    """Rows (n, B, G) that are chosen (J, E), as matrices (B J, E, G)."""
    return rows[chosen].permute(2, 0, 1, 3).flatten(0, 1)


def _stakes(ends: Ends, n_boards: int) -> Tensor:
    """Stakes of river ends for rows as `_by_board` has them, (B J, E, 1)."""
    return ends.stake.repeat(n_boards, 1)[..., None]


def _pay(ends: Ends, worth: Tensor, value: Tensor) -> None:
    """Add what river ends are worth for a dollar, (B J, E, G), to the rows of those who are paid, value (1 + n, B, G)."""
    n_boards = value.shape[1]
    dollars = (worth * _stakes(ends, n_boards)).unflatten(0, (n_boards, -1)).flatten(1, 2)
    value.index_add_(0, ends.mine.flatten(), dollars.transpose(0, 1))


def _fold_values(batch: Batch, reach: Tensor) -> Tensor:
    """Weight of the holes that share no card with each hole, (J, B, 1081)."""
    by_card = reach.transpose(0, 1) @ batch.has  # (B, J, 48)
    return (by_card @ (0.5 - batch.has.mT)).transpose(0, 1) + reach  # the hole itself was taken off twice


def _showdown_values(batch: Batch, reach: Tensor) -> Tensor:
    """Weight of the weaker holes less that of the stronger ones, of those that share no card with each hole, (J, B, 1081)."""
    return (reach.transpose(0, 1) @ batch.outcome).transpose(0, 1)


def _by_card(batch: Batch, reach: Tensor) -> Tensor:
    """Reach (J, B, 1081) summed over the holes of each card and cell, (B, 48, J, G)."""
    j, b = (torch.arange(n, device=reach.device) for n in reach.shape[:2])
    return reach[j[:, None], b[:, None, None, None], batch.holes[:, :, None]] @ batch.in_cell


def _to_holes(batch: Batch, value: Tensor) -> Tensor:
    """Values (B, J, 48, G) by card and cell to those of holes, (J, B, 1081): all cards' less those of the hole's own two."""
    b, j = (torch.arange(n, device=value.device) for n in value.shape[:2])
    b, j, cell = b[:, None], j[:, None, None], batch.cell[None]
    first, second = batch.cards[None].unbind(-1)
    return value.sum(dim=2)[b, j, cell] / 2 - value[b, j, first, cell] - value[b, j, second, cell]


def _sign(matrix: Tensor, batch: Batch) -> Tensor:
    """Matrices (B J, G, G) times who wins, in place."""
    matrix.unflatten(0, (len(batch.sign), -1)).mul_(batch.sign[:, None])
    return matrix
