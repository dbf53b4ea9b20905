"""What does an agent see first? The small index; everything else on demand."""

from remem.disclosure.index import Index, make_index

__all__ = ["Index", "make_index"]
