"""One module per group of commands, imported when a command runs."""
