"""Does search know what the files say? What changed more than a day ago and was not read since is
invisible to whoever looks into the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from remem.maintenance.doctor.finding import REPAIR, Finding

_NAMED: Final = 4


def told(scope: str, unread: Sequence[str]) -> Iterator[Finding]:
    if not unread:
        return
    some = ", ".join(unread[:_NAMED]) + (" …" if len(unread) > _NAMED else "")
    files = "1 file" if len(unread) == 1 else f"{len(unread)} files"
    yield Finding(
        scope,
        "search",
        "notice",
        f"{files} changed more than a day ago, and search has not read them: {some}",
        "what they say is invisible to a search that does not look at the files first",
        f"{REPAIR}, or the next search, reads them; `remem maintain --install` does so daily",
    )
