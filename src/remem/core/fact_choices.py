"""What may be said of a fact, what may be done with facts, and where may they stand?"""

from __future__ import annotations

from typing import Final

FACT_TREES: Final = ("brain", "life", "para")
"""Folders of the owner that hold facts; new entities get theirs in the first."""

FACT_CATEGORIES: Final = ("relationship", "milestone", "status", "preference", "decision")
FACT_SOURCES: Final = ("conversation", "observation")
FACT_ACTIONS: Final = (
    *("list", "record", "supersede", "history", "entities"),
    *("alias", "merge", "unmerge", "proposals"),
)
