"""Set up a workspace: init, rooms, migration, validation, activation, hosts and timers."""
