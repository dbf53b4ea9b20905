"""Setting up: init, migration, activation, hosts and timers."""
