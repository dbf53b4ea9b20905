"""How is the right memory found? Question, candidates, ranking, budget."""
