"""How does the owner take a memory back for good? An entry or a fact, with all copies of it."""

from remem.maintenance.erasing.result import Erased

__all__ = ["Erased"]
