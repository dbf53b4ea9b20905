"""Memory files: where they are, and how they are read and written without losing a byte."""
