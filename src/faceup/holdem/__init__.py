"""Heads-up no-limit hold'em (paper 000). Modules by what they are for:

- the game: `rules`, `betting_tree`, `betting_lines` (text), `bet_translation` (sizes off the tree),
  `buckets` (card abstraction), `loading` (tree and equities for notebooks);
- strategies: `policy` (on a tree), `agents` (on text), `infosets`, `strategy_file`;
- reach and values: `reach`, `showdown`, `action_values`, `board` (a river board's holes; the head
  has a table of all index spaces), `river_subgames`, `vector_arithmetic`;
- learning: `reference` (the method in plain numpy, the oracle of the engines), `regret_matching`,
  `cfr` and `cfr_river` (self-play), `cfr_br` and `cfr_br_river`;
- evaluation: `best_response`, `best_response_river`, `exploitability`, `local_best_response`,
  `match`, `match_tree` (other bet sizes), `slumbot` (its server);
- distillation: `samples`, `distill`, `xgboost_mlp` (students that are no trees);
- for readers: `wording`, `figures`.
"""
