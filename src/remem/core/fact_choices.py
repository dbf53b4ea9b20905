"""What may be said of a fact, and what may be done with facts? The words that a tool offers."""

from __future__ import annotations

from typing import Final

FACT_CATEGORIES: Final = ("relationship", "milestone", "status", "preference", "decision")
FACT_SOURCES: Final = ("conversation", "observation")
FACT_ACTIONS: Final = (
    *("list", "record", "supersede", "history", "entities"),
    *("alias", "merge", "unmerge", "proposals"),
)
