"""The explorer: one web page that answers for tree agents, says why, and plays against its visitor."""
