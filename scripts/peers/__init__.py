"""Memories side by side: the same facts and questions for remem and its peers."""
