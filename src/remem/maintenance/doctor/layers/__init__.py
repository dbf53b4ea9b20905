"""Does each layer do its own job? Notes hold what happened, MEMORY.md what lasts, facts what was
true when, and search knows all three. Here it is found out where one has taken another's place."""
