"""The five checks of `remem validate`."""
