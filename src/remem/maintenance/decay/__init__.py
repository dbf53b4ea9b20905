"""How does a memory keep itself small? What nobody needs fades, and comes back when asked for."""

from remem.maintenance.decay.result import Decayed, Faint, Reinforced, Undone

__all__ = ["Decayed", "Faint", "Reinforced", "Undone"]
