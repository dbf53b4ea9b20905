"""The Workspace: every operation on a memory, bound to one session."""

from __future__ import annotations

from remem.app.facts import Knowledge
from remem.app.layers import Layers
from remem.app.learning import Learns
from remem.app.lifecycle import Decays, Erases
from remem.app.parts import Parts
from remem.app.synthesis import Synthesises

__all__ = ["Parts", "Workspace"]


class Workspace(Erases, Layers, Knowledge, Synthesises, Decays, Learns):
    """A memory, opened for one session. Close it, or use it in a `with` block."""
