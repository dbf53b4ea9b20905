"""How does an agent learn of its memory, and how is that taken back? One section of AGENTS.md."""

from remem.maintenance.activation.run import (
    FILE,
    Activated,
    RolledBack,
    activate,
    is_active,
    planned,
    roll_back,
)

__all__ = ["FILE", "Activated", "RolledBack", "activate", "is_active", "planned", "roll_back"]
