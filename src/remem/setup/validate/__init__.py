"""The six checks of `remem validate`."""
