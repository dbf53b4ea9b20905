"""How does a line get into today's note? Behind everything that stands there, one at a time.

Notes are never rewritten or curated: a note only grows. Whoever appends is alone, and goes on
from the bytes that a person may have saved a moment ago.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.files.rewrite import rewrite
from remem.learn.file_updates.changes import body
from remem.model.arguments import checked_text
from remem.model.daily_note import behind, note_text
from remem.model.scope import MAIN
from remem.text.timestamps import parsed

LONGEST_NOTE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Noted:
    """Where a note stands now, and what of it was masked."""

    path: str
    start: int
    end: int
    redacted: tuple[str, ...] = ()


def take_note(layout: Layout, text: str, now: str, zone: tzinfo | None) -> Noted:
    """Append to the note of the owner's day; when this returns, it survives a power cut."""
    from remem.text.secrets.mask import (
        redact,  # hundreds of patterns, which nothing else here needs
    )

    redaction = redact(checked_text(text, "note", LONGEST_NOTE))
    said = body(redaction.text)
    local = parsed(now).astimezone(zone)
    day = local.date().isoformat()
    path = layout.memory / f"{day}.md"
    atomic.refuse_links(layout.root, path)

    def grown(latest: bytes | None) -> bytes:
        before = latest or b""
        return before + behind(before, said, f"{local:%H:%M}", day)

    with alone(layout.state_folder(MAIN) / "flush.lock"):
        after = rewrite(layout, path, grown) or b""
    end = note_text(after).count("\n")
    return Noted(
        path.relative_to(layout.root).as_posix(),
        end - said.count("\n"),
        end,
        redaction.kinds,
    )
