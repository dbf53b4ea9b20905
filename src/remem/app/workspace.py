"""What can be done with a memory? The façade: one line per ability, bound to one session."""

from __future__ import annotations

from remem.workspace.decaying import Decays
from remem.workspace.erasing import Erases
from remem.workspace.knowledge import Knowledge
from remem.workspace.layering import Layers
from remem.workspace.learning import Learns
from remem.workspace.parts import Parts
from remem.workspace.synthesis import Synthesises

__all__ = ["Parts", "Workspace"]


class Workspace(Erases, Layers, Knowledge, Synthesises, Decays, Learns):
    """A memory, opened for one session. Close it, or use it in a `with` block."""
