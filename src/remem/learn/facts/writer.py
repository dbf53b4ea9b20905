"""The writer for fact files.

Fact files are changed under a lock, starting from what a person may just have saved, and replaced
atomically.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo

from remem.errors import FileError
from remem.files import atomic
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import rewrite
from remem.model.fact_json import MalformedFacts
from remem.model.scope import MAIN
from remem.text.jsonc import Malformed
from remem.text.timestamps import parse_time


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writes fact files under a lock.

    `is_erased` returns whether the owner has erased a text from the entries.
    """

    layout: Layout
    read: FactFiles
    now: Callable[[], str]
    zone: tzinfo | None
    is_erased: Callable[[str], bool] = lambda _text: False

    def exclusive(self) -> AbstractContextManager[None]:
        return exclusive_lock(self.layout.state_folder(MAIN) / "facts.lock")

    def today(self) -> str:
        """Return the current date in the owner's time zone."""
        return parse_time(self.now()).astimezone(self.zone).date().isoformat()

    def change(self, path: str, edit: Callable[[str], str]) -> None:
        """Replace a file's text with the result of `edit`; the caller holds the lock."""
        absolute = self.layout.root / path
        atomic.refuse_links(self.layout.root, absolute)

        def edited(latest: bytes | None) -> bytes | None:
            text = "" if latest is None else atomic.decode_text(latest, absolute)
            try:
                new = edit(text)
            except (MalformedFacts, Malformed) as error:
                raise unwritable_file(path, str(error)) from error
            return latest if new == text else new.encode()

        rewrite(self.layout, absolute, edited)


def unwritable_file(path: str, reason: str) -> FileError:
    """Return the error for a file of facts or names that is not valid JSON."""
    return FileError(
        f"{path} cannot be written: {reason}",
        hint="repair its JSON; the file was not changed",
    )
