"""Build the answer to a recall: facts, unmigrated passages, token budget, presentation."""
