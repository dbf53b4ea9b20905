"""Is there a secret in this text? What is found is masked before the text goes anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.core.secret_patterns import Found


@dataclass(frozen=True, slots=True)
class Redaction:
    """The text without its secrets, and what kinds of them it had, each once."""

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str) -> Redaction:
    """Masks every secret; masking what comes out again changes nothing.

    A mask can show what a longer match hid before, so it goes on until nothing is found;
    every round makes the text shorter.
    """
    # Hundreds of patterns, which who only reads memory does not wait for.
    from remem.core.secret_fields import secret_values
    from remem.core.secret_patterns import shaped_secrets

    kinds: dict[str, None] = {}
    while found := _apart([*shaped_secrets(text), *secret_values(text)]):
        kinds.update((each.kind, None) for each in found)
        text = _masked(text, found)
    return Redaction(text, tuple(kinds))


def mask(secret: str) -> str:
    """Enough to recognise a secret that one knows, if it is long."""
    from remem.core.secret_patterns import MASK

    return "***" if len(secret) < 18 else f"{secret[:6]}{MASK}{secret[-4:]}"


def _masked(text: str, found: Iterable[Found]) -> str:
    pieces, at = [], 0
    for each in found:
        pieces += [text[at : each.start], mask(text[each.start : each.end])]
        at = each.end
    return "".join((*pieces, text[at:]))


def _apart(found: list[Found]) -> list[Found]:
    """In order, those that overlap as one; a shape says more about it than a name."""
    from remem.core.secret_patterns import Found

    merged: list[Found] = []
    for each in sorted(found, key=lambda one: one.start):
        last = merged[-1] if merged else None
        if last and each.start < last.end:
            merged[-1] = Found(last.start, max(last.end, each.end), last.kind)
        else:
            merged.append(each)
    return merged
