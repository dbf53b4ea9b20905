"""Where do the lines of an import wait until the last of them is checked? In a file without a
name, each of them read, masked and checked.

Nothing may be stored before all can be. Reading every line a second time would take as long as
the first, and a line might say something else by then.
"""

from __future__ import annotations

import marshal  # what is read here was written a moment ago, by this very process
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from operator import attrgetter
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Any, Final

from remem.core.entry import Draft, Entry, Origin, Version
from remem.errors import FileError
from remem.maintenance.knowledge.drafting import FactDraft
from remem.maintenance.portable_line import Line, Whole, length_of
from remem.remember.batches import batches
from remem.remember.powers import Intent

_IN_MEMORY: Final = 32 * 2**20
_OF_ORIGIN: Final = attrgetter(*(each.name for each in fields(Origin)))
_OF_DRAFT: Final = attrgetter(*(each.name for each in fields(Draft)))
_OF_ENTRY: Final = attrgetter(*(each.name for each in fields(Entry)))
_DRAFTS_ORIGIN: Final = [each.name for each in fields(Draft)].index("origin")
_ENTRYS_ORIGINS: Final = [each.name for each in fields(Entry)].index("origins")


def laid_aside(lines: Iterable[Line]) -> Iterator[Line]:
    """All lines as they are, and the first only once the last has come."""
    with SpooledTemporaryFile(_IN_MEMORY) as waiting:
        lengths = [_kept(batch, waiting) for batch in batches(lines, length_of)]
        waiting.seek(0)
        for length in lengths:
            yield from map(_line, marshal.loads(waiting.read(length)))  # noqa: S302 - our own


def _kept(batch: Iterable[Line], waiting: IO[bytes]) -> int:
    """How many bytes they took."""
    try:
        return waiting.write(marshal.dumps([_plain_line(line) for line in batch]))
    except OSError as error:
        raise FileError(
            f"the lines cannot be laid aside in {gettempdir()}: {error.strerror}",
            hint="nothing was imported; name a folder with more room in TMPDIR",
        ) from error


def _plain_line(line: Line) -> tuple[Any, ...]:
    intent = (line.intent.category, line.intent.priority) if line.intent else None
    fact = asdict(line.fact) if line.fact else None
    return _plain(line.item), intent, line.masked, line.bounded, line.proven, fact


def _line(values: tuple[Any, ...]) -> Line:
    item, intent, masked, bounded, proven, fact = values
    meant = Intent(*intent) if intent else None
    statement = FactDraft(**fact) if fact else None
    return Line(_item(item), meant, masked, bounded, proven, statement)


def _plain(item: Whole | Draft) -> list[Any]:
    """An item in values that need no class to be read: a draft's, or its versions'."""
    if isinstance(item, Draft):
        values = list(_OF_DRAFT(item))
        if item.origin is not None:
            values[_DRAFTS_ORIGIN] = _OF_ORIGIN(item.origin)
        return values
    return [(each.change, _plain_entry(each.entry)) for each in item.history]


def _item(values: list[Any]) -> Whole | Draft:
    if isinstance(values[0], str):
        if (origin := values[_DRAFTS_ORIGIN]) is not None:
            values[_DRAFTS_ORIGIN] = Origin(*origin)
        return Draft(*values)
    return Whole(tuple(_version(*each) for each in values))


def _plain_entry(entry: Entry) -> list[Any]:
    values = list(_OF_ENTRY(entry))
    values[_ENTRYS_ORIGINS] = tuple(map(_OF_ORIGIN, entry.origins))
    return values


def _version(change: str, values: list[Any]) -> Version:
    values[_ENTRYS_ORIGINS] = tuple(Origin(*each) for each in values[_ENTRYS_ORIGINS])
    entry = Entry(*values)
    return Version(entry.version, entry.updated_at, change, entry)
