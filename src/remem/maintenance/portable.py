"""How does memory travel? One JSON line per entry, with its whole history, out and in.

A line of `export` brings back the very same entry. A line with no more than a category and
a content is stored like any new memory. Reading the same lines again changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice, pairwise
from typing import Any, Final, cast

from remem.core.entry import TRUSTS, Draft, Entry, Origin, Trust, Version, lower_trust
from remem.core.homes import home_of
from remem.core.likeness import fingerprint
from remem.core.values import checked_text, one_of
from remem.errors import InvalidInput, RememError, shown
from remem.ports import Snapshot, Store, Transaction
from remem.remember.draft import Memory, draft
from remem.remember.foreign import checked_entry
from remem.remember.powers import refuse_power
from remem.remember.run import Remembering, remember

_BATCH: Final = 500
_ENTRY: Final = frozenset(each.name for each in fields(Entry))


@dataclass(frozen=True, slots=True)
class Whole:
    """An entry with its earlier versions, as an export line holds it."""

    entry: Entry
    history: tuple[Version, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    lines: int = 0
    stored: int = 0
    deduplicated: int = 0
    already_there: int = 0
    redacted: int = 0

    def __add__(self, other: Imported) -> Imported:
        return Imported(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        )


def export_lines(snapshot: Snapshot) -> Iterator[str]:
    """Every entry of the scope, archived ones too, in the order they came."""
    for entry in snapshot.everything():
        *earlier, current = snapshot.history(entry.id)
        line = {
            "entry": asdict(current.entry),
            "change": current.change,
            "history": [asdict(each) for each in earlier],
        }
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def parse_line(line: bytes | str, number: int, allowed: Trust, now: str) -> Whole | Draft:
    """One line, checked; the error names the line."""
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise InvalidInput(f"a line must hold an object, not {shown(value)}")
        if "entry" in value:
            return _whole(value, allowed)
        return _draft(value, allowed, now)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"line {number} is not JSON: {error}",
            hint="one JSON object per line; nothing was imported",
        ) from None
    except RememError as error:
        raise InvalidInput(f"line {number}: {error}") from error
    except (TypeError, AttributeError, KeyError) as error:
        raise InvalidInput(f"line {number} has a value of the wrong kind: {error}") from None


def import_items(
    store: Store,
    items: Iterable[Whole | Draft],
    how: Remembering,
    now: str,
    progress: Callable[[int], None] = lambda _lines: None,
) -> Imported:
    """Store in batches, each of them one durable step; safe to repeat after a kill."""
    source = iter(items)
    total = Imported()
    while batch := list(islice(source, _BATCH)):
        total += store.write(_batch_operation(batch, how, now))
        progress(total.lines)
    return total


def _batch_operation(
    batch: list[Whole | Draft], how: Remembering, now: str
) -> Callable[[Transaction], Imported]:
    drafts = {
        i: remember(each, now, how) for i, each in enumerate(batch) if isinstance(each, Draft)
    }

    def operation(tx: Transaction) -> Imported:
        total = Imported()
        for i, item in enumerate(batch):
            if isinstance(item, Draft):
                receipt = drafts[i](tx)
                total += Imported(
                    lines=1,
                    stored=int(not receipt.deduplicated),
                    deduplicated=int(receipt.deduplicated),
                    redacted=int(bool(receipt.redacted)),
                )
            else:
                new = _insert_whole(tx, item, how)
                total += Imported(lines=1, stored=int(new), already_there=int(not new))
        return total

    return operation


def _insert_whole(tx: Transaction, item: Whole, how: Remembering) -> bool:
    """Put an exported entry back under its own id; one that is there stays as it is."""
    entry = item.entry
    if tx.by_ids([entry.id]):
        return False
    entry = replace(entry, token_estimate=how.counter.count(entry.content))
    change = item.history[-1].change if item.history else "imported"
    tx.insert(entry, fingerprint(entry.content), home_of(entry, how.topics), change)
    tx.keep_history(entry.id, item.history[:-1])
    return True


def _whole(value: Mapping[str, Any], allowed: Trust) -> Whole:
    entry = _entry(value["entry"], allowed)
    history = [_version(each, allowed) for each in value.get("history", ())]
    history.append(_changed_to(entry, value.get("change", "imported")))
    for older, newer in pairwise(history):
        if older.entry.id != newer.entry.id or older.version >= newer.version:
            raise InvalidInput(f"the history of {entry.id} is not one of its versions in order")
    return Whole(entry, tuple(history))


def _version(value: Mapping[str, Any], allowed: Trust) -> Version:
    return _changed_to(_entry(value["entry"], allowed), value["change"])


def _changed_to(entry: Entry, change: Any) -> Version:
    return Version(entry.version, entry.updated_at, checked_text(change, "change"), entry)


def _entry(value: Mapping[str, Any], allowed: Trust) -> Entry:
    unknown = set(value) - _ENTRY
    if unknown:
        raise InvalidInput(f"unknown field {shown(min(unknown))}")
    several = {key: tuple(value.get(key, ())) for key in ("tags", "related_to")}
    origins = tuple(Origin(**each) for each in value.get("origins", ()))
    entry = Entry(**{**value, **several, "origins": origins})
    trust = lower_trust(allowed, one_of(entry.trust, TRUSTS, "trust"))
    return checked_entry(replace(entry, trust=trust))


def _draft(value: Mapping[str, Any], allowed: Trust, now: str) -> Draft:
    given = {key: each for key, each in value.items() if each is not None}
    if "origin" in given:
        given["origin"] = Origin(**given["origin"])
    checked = draft(cast(Memory, given), allowed, now)
    refuse_power(checked)
    return checked
