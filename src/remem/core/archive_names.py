"""Which names may a backup hold? Plain ones below a workspace, no two of them one file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from remem.core.fact_choices import FACT_TREES
from remem.errors import InvalidInput, shown

TREES: Final = ("memory", *FACT_TREES, ".remem")
"""The folders of a workspace that a backup holds; of its root, the Markdown files."""

_PART: Final = re.compile(r"[^\x00-\x1f\x7f/\\:]{1,255}")
_MOST_PARTS: Final = 32


def check_names(names: Iterable[str]) -> None:
    """InvalidInput for a name that could lead out of the workspace, or onto another."""
    seen: dict[str, str] = {}
    for name in names:
        _check(name)
        folded = unicodedata.normalize("NFC", name).casefold()
        if folded in seen:
            raise InvalidInput(
                f"{shown(name)} and {shown(seen[folded])} could be the same file",
                hint="the backup was not made by remem, or was changed; nothing was restored",
            )
        seen[folded] = name
    for folded, name in seen.items():
        parts = folded.split("/")
        for end in range(1, len(parts)):
            if "/".join(parts[:end]) in seen:
                raise InvalidInput(f"{shown(name)} lies below a file")


def _check(name: str) -> None:
    parts = name.split("/")
    plain = (
        len(parts) <= _MOST_PARTS
        and all(_PART.fullmatch(part) and part not in (".", "..") for part in parts)
        and name.isprintable()
    )
    placed = parts[0] in TREES if len(parts) > 1 else name.endswith(".md")
    if not plain or not placed:
        raise InvalidInput(
            f"{shown(name)} cannot be the name of a file in a backup",
            hint="the backup was not made by remem, or was changed; nothing was restored",
        )
