"""Append a text to today's note.

Notes only grow: what they contain is never changed. A text is appended under a lock to the bytes on
disk, which a person may have saved a moment ago.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import rewrite
from remem.learn.file_updates.changes import bullet_body
from remem.model.arguments import checked_text
from remem.model.daily_note import bytes_to_append, note_text
from remem.model.scope import MAIN
from remem.text.timestamps import parse_time

MAX_NOTE_LENGTH: Final = 20_000


@dataclass(frozen=True, slots=True)
class NoteReceipt:
    """The lines of the note that the text was written to, and the kinds of masked secrets."""

    path: str
    start: int
    end: int
    redacted: tuple[str, ...] = ()


def append_note(
    layout: Layout, text: str, now: str, zone: tzinfo | None, *, mask_secrets: bool = True
) -> NoteReceipt:
    """Append a text to the note of the day in the owner's time zone.

    Once this returns, the text is safely on disk.
    """
    text = checked_text(text, "note", MAX_NOTE_LENGTH)
    kinds: tuple[str, ...] = ()
    if mask_secrets:
        from remem.text.secrets.mask import redact  # slow to import: it compiles many patterns

        redaction = redact(text)
        text, kinds = redaction.text, redaction.kinds
    body = bullet_body(text)
    local = parse_time(now).astimezone(zone)
    day = local.date().isoformat()
    path = layout.memory / f"{day}.md"
    atomic.refuse_links(layout.root, path)

    def append(latest: bytes | None) -> bytes:
        before = latest or b""
        return before + bytes_to_append(before, body, f"{local:%H:%M}", day)

    with exclusive_lock(layout.state_folder(MAIN) / "flush.lock"):
        after = rewrite(layout, path, append) or b""
    end = note_text(after).count("\n")
    return NoteReceipt(layout.relative(path), end - body.count("\n"), end, kinds)
