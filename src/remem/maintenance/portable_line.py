"""What does a line of an import say? An entry with its history, or a memory to be stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import chain, pairwise
from typing import Any, Final, cast

from remem.core.entry import TRUSTS, Draft, Entry, Origin, Trust, Version, lower_trust
from remem.core.secrets import spotless
from remem.core.values import checked_text, one_of
from remem.errors import InvalidInput, RememError, UnknownEntry, shown
from remem.ports import Store
from remem.remember.batches import batches
from remem.remember.draft import Memory, draft
from remem.remember.foreign import checked_entry
from remem.remember.powers import refuse_power

_IMPORT: Final = Origin("import")  # the same line, imported again, is the same observation
_LONG: Final = ("content", "context")
_ENTRY: Final = frozenset(each.name for each in fields(Entry))


@dataclass(frozen=True, slots=True)
class Whole:
    """An entry with its versions, the present one last, as an export line holds it."""

    history: tuple[Version, ...]

    @property
    def entry(self) -> Entry:
        return self.history[-1].entry


def length_of(item: Whole | Draft) -> int:
    """How many characters of memory it holds."""
    if isinstance(item, Draft):
        return len(item.content)
    return sum(len(each.entry.content) for each in item.history)


def read_lines(
    lines: Iterable[bytes | str], allowed: Trust, now: str, store: Store
) -> Iterator[Whole | Draft]:
    """What each line says, blank ones left out; what it links to is known, or stands in a line
    above it."""
    above: set[str] = set()
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    for some in batches(numbered, lambda pair: len(pair[1])):
        for number, item in _read(some, allowed, now):
            if isinstance(item, Whole):
                above.add(item.entry.id)
            elif item.related_to or item.supersedes:
                _require_known({*item.related_to, *item.supersedes} - above, number, store)
            yield item


def _read(
    lines: Sequence[tuple[int, bytes | str]], allowed: Trust, now: str
) -> Iterator[tuple[int, Whole | Draft]]:
    """Some lines, whose secrets are looked for together; the first that cannot be read is told
    when its turn comes."""
    values = [_value_or_none(line) for _, line in lines]
    unmasked = spotless(list(chain.from_iterable(map(_texts, values))))
    for (number, line), value in zip(lines, values, strict=True):
        with _naming(number):
            item = _item(json.loads(line) if value is None else value, allowed, now, unmasked)
        yield number, item


def _value_or_none(line: bytes | str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _texts(value: Any) -> Iterator[str]:
    """The long texts of a line, as far as they are where they should be."""
    if not isinstance(value, dict):
        return
    past = value.get("history")
    versions = [value, *past] if isinstance(past, list) else [value]
    for each in versions:
        said = each.get("entry", each) if isinstance(each, dict) else each
        if isinstance(said, dict):
            yield from (text for name in _LONG if isinstance(text := said.get(name), str))


def _require_known(ids: set[str], number: int, store: Store) -> None:
    if ids:
        with store.read() as snapshot:
            ids -= snapshot.by_ids(sorted(ids)).keys()
    if ids:
        raise UnknownEntry(f"line {number}: no entry has the id {shown(min(ids))}")


def parse_line(line: bytes | str, number: int, allowed: Trust, now: str) -> Whole | Draft:
    """One line, checked; the error names the line."""
    with _naming(number):
        return _item(json.loads(line), allowed, now, frozenset())


def _item(value: Any, allowed: Trust, now: str, unmasked: Set[str]) -> Whole | Draft:
    if not isinstance(value, dict):
        raise InvalidInput(f"a line must hold an object, not {shown(value)}")
    if "entry" in value:
        return _whole(value, allowed, unmasked)
    return _draft(value, allowed, now, unmasked)


@contextmanager
def _naming(number: int) -> Iterator[None]:
    """Errors name the line."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"line {number} is not JSON: {error}",
            hint="one JSON object per line; nothing was imported",
        ) from None
    except RememError as error:
        raise InvalidInput(f"line {number}: {error}") from error
    except (TypeError, AttributeError, KeyError) as error:
        raise InvalidInput(f"line {number} has a value of the wrong kind: {error}") from None


def _whole(value: Mapping[str, Any], allowed: Trust, unmasked: Set[str]) -> Whole:
    entry = _entry(value["entry"], allowed, unmasked)
    history = [_earlier(each, allowed, unmasked) for each in value.get("history", ())]
    history.append(_version(entry, value.get("change", "imported")))
    for older, newer in pairwise(history):
        if older.entry.id != newer.entry.id or older.version >= newer.version:
            raise InvalidInput(f"the history of {entry.id} is not one of its versions in order")
    return Whole(tuple(history))


def _earlier(value: Mapping[str, Any], allowed: Trust, unmasked: Set[str]) -> Version:
    return _version(_entry(value["entry"], allowed, unmasked), value["change"])


def _version(entry: Entry, change: Any) -> Version:
    return Version(entry.version, entry.updated_at, checked_text(change, "change"), entry)


def _entry(value: Mapping[str, Any], allowed: Trust, unmasked: Set[str]) -> Entry:
    unknown = set(value) - _ENTRY
    if unknown:
        raise InvalidInput(f"unknown field {shown(min(unknown))}")
    several = {key: tuple(value.get(key, ())) for key in ("tags", "related_to")}
    origins = tuple(Origin(**each) for each in value.get("origins", ()))
    trust = lower_trust(allowed, one_of(value.get("trust", "agent"), TRUSTS, "trust"))
    entry = Entry(**{**value, **several, "origins": origins, "trust": trust})
    return checked_entry(entry, unmasked)


def _draft(value: Mapping[str, Any], allowed: Trust, now: str, unmasked: Set[str]) -> Draft:
    given = {key: each for key, each in value.items() if each is not None}
    if "origin" in given:
        given["origin"] = Origin(**given["origin"])
    else:
        given["origin"] = _IMPORT
    checked = draft(cast(Memory, given), allowed, now, unmasked)
    refuse_power(checked)
    return checked
