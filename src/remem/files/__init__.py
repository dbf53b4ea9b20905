"""Memory files: find, read and write them without losing a byte."""
