"""What can be done with a memory? The façade: one line per ability, bound to one session."""

from __future__ import annotations

from remem.workspace.care import Care
from remem.workspace.parts import Parts

__all__ = ["Parts", "Workspace"]


class Workspace(Care):
    """A memory, opened for one session. Close it, or use it in a `with` block."""
