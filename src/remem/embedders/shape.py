"""What shape do all-MiniLM-L6-v2's answers have? For who uses it, and who builds its file."""

from __future__ import annotations

from typing import Final

DIMENSION: Final = 384
LONGEST: Final = 256
"""Tokens: what the model was trained on."""
