"""Is this a statement that can be a fact? Checked, its secrets masked, before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from remem.core.entity import LONGEST_NAME
from remem.core.fact_choices import FACT_CATEGORIES, FACT_SOURCES
from remem.core.moments import moment
from remem.core.values import checked_text, one_of
from remem.core.words import fold

LONGEST_FACT: Final = 20_000
_LONGEST_PLACE: Final = 500


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A statement that asks to be a fact: checked, its secrets masked.

    `timestamp` is empty for the owner's today, `category` for that of the fact it replaces, whose
    id `supersedes` is, or status.
    """

    entity: str
    fact: str
    category: str = ""
    timestamp: str = ""
    source: str = "conversation"
    origin: str | None = None
    kind: str = ""
    supersedes: str | None = None
    redacted: tuple[str, ...] = ()


def drafted(values: Mapping[str, Any]) -> FactDraft:
    """The draft of a call; InvalidInput names what does not fit."""
    from remem.core.secrets import redact_all, secrets_in  # hundreds of patterns, loaded late

    kinds: dict[str, None] = {}
    said = [values.get(name) for name in ("entity", "fact", "origin", "kind")]
    known = secrets_in(text for text in said if isinstance(text, str) and len(text) <= LONGEST_FACT)

    def clean(name: str, longest: int) -> str:
        (redaction,) = redact_all([checked_text(values.get(name), name, longest)], known=known)
        kinds.update(dict.fromkeys(redaction.kinds))
        return redaction.text

    given = {name for name, value in values.items() if value is not None}
    timestamp = str(values["timestamp"]).strip() if "timestamp" in given else ""
    if timestamp:
        moment(timestamp, "timestamp")
    return FactDraft(
        entity=" ".join(clean("entity", LONGEST_NAME).split()) if "entity" in given else "",
        fact=clean("fact", LONGEST_FACT),
        category=one_of(values["category"], FACT_CATEGORIES, "category")
        if values.get("category")
        else "",
        timestamp=timestamp,
        source=one_of(values.get("source") or "conversation", FACT_SOURCES, "source"),
        origin=" ".join(clean("origin", _LONGEST_PLACE).split()) if "origin" in given else None,
        kind=fold(clean("kind", LONGEST_NAME)) if "kind" in given else "",
        supersedes=values.get("supersedes"),
        redacted=tuple(kinds),
    )
