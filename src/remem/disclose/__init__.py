"""Disclosure: the start text, gates, and files on demand."""
