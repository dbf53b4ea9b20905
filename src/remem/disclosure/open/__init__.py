"""Which of a room's files does this message need? The loading protocol, step by step."""

from remem.disclosure.open.result import Disclosed, Page, Step
from remem.disclosure.open.run import Opening, open_room

__all__ = ["Disclosed", "Opening", "Page", "Step", "open_room"]
