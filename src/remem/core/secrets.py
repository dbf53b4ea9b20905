"""Is there a secret in this text? What is found is masked before the text goes anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.core.secret_patterns import Found

    Finder = Callable[[str], Iterable[Found]]


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
    shaped_secrets, secret_values = _finders()
    kinds: dict[str, None] = {}
    while found := [*shaped_secrets(text), *secret_values(text)]:
        apart = _apart(found)
        kinds.update((each.kind, None) for each in apart)
        text = _masked(text, apart)
    return Redaction(text, tuple(kinds))


def spotless(texts: Sequence[str]) -> frozenset[str]:
    """Those of many texts, most of them as a rule, that are seen at once to hold no secret."""
    from remem.core.secret_search import suspects

    suspected = {texts[number] for number in suspects(texts)}
    return frozenset(texts) - suspected if suspected else frozenset(texts)


@lru_cache(maxsize=1_000)
def redact_name(name: str) -> Redaction:
    """The same for what comes again and again: speakers, sources, tags."""
    return redact(name)


def mask(secret: str) -> str:
    """Enough to recognise a secret that one knows, if it is long."""
    from remem.core.secret_patterns import MASK

    return "***" if len(secret) < 18 else f"{secret[:6]}{MASK}{secret[-4:]}"


@cache
def _finders() -> tuple[Finder, Finder]:
    """Hundreds of patterns, which who only reads memory does not wait for."""
    from remem.core.secret_fields import secret_values
    from remem.core.secret_patterns import shaped_secrets

    return shaped_secrets, secret_values


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
