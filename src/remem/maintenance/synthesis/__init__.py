"""How does what is known become readable? Pages made from facts, MEMORY.md and the notes."""

from remem.maintenance.synthesis.result import PageMade, Proposed, Synthesis

__all__ = ["PageMade", "Proposed", "Synthesis"]
