"""How does a line get into today's note? Behind everything that stands there, one at a time.

Notes are never rewritten or curated: a note only grows. Whoever appends is alone, and goes on
from the bytes that a person may have saved a moment ago.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from remem.core.daily_note import behind, note_text
from remem.core.moments import parsed
from remem.core.scope import MAIN
from remem.core.values import checked_text
from remem.maintenance.rewriting import rewrite
from remem.maintenance.write_back.wording import body
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.locks import alone

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
    from remem.core.secrets import redact  # hundreds of patterns, which nothing else here needs

    redaction = redact(checked_text(text, "note", LONGEST_NOTE))
    said = body(redaction.text)
    local = parsed(now).astimezone(zone)
    day = local.date().isoformat()
    path = layout.memory / f"{day}.md"
    files.refuse_links(layout.root, path)

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
