"""What can be done with a memory? The façade: one line per ability, bound to one session."""

from __future__ import annotations

from remem.workspace.auditing import Audited
from remem.workspace.parts import Parts

__all__ = ["Parts", "Workspace"]


class Workspace(Audited):
    """A memory, opened for one session. Close it, or use it in a `with` block."""
