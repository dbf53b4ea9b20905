"""Read import lines: each is an entry with its history, or a new memory to be stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, replace
from itertools import chain, pairwise
from typing import Any, Final, cast

from remem.entries.draft import Memory, checked_entry, make_draft
from remem.entries.import_rules import ImportRules
from remem.entries.pending_facts import FactDraft
from remem.entries.receipt import ReviewedFields, refuse_privileges
from remem.errors import InvalidInput, RememError, UnknownEntry, quoted
from remem.model.arguments import checked_text, one_of, refuse_unknown
from remem.model.entry import (
    TRUSTS,
    Draft,
    Entry,
    Origin,
    Trust,
    Version,
    former_archive_reason,
    lower_trust,
)
from remem.ports.entries import Store
from remem.ports.state import from_plain
from remem.text.secrets.mask import redact_name

_IMPORT: Final = Origin("import")  # importing a line twice must not count as two observations
_ENTRY_FIELDS: Final = tuple(field.name for field in fields(Entry))
_REQUIRED_FIELDS: Final = tuple(field.name for field in fields(Entry) if field.default is MISSING)
_MAX_LISTED: Final = 20
_MAX_CHANGE_LENGTH: Final = 10_000


@dataclass(frozen=True, slots=True)
class EntryHistory:
    """The versions of an entry in an export line, the current one last."""

    history: tuple[Version, ...]

    @property
    def entry(self) -> Entry:
        return self.history[-1].entry


@dataclass(frozen=True, slots=True)
class ImportLine:
    """A checked line.

    `intent` and `fact` are what it becomes when the owner confirms it. `masked` counts values that
    contained a secret. `bounded` means that a counter or date was out of range and was limited,
    `proven` that this workspace exported the line, and nobody has changed it.
    """

    item: EntryHistory | Draft
    intent: ReviewedFields | None = None
    masked: int = 0
    bounded: bool = False
    proven: bool = False
    fact: FactDraft | None = None


def length_of(line: ImportLine) -> int:
    """Return the number of characters of content in a line."""
    if isinstance(line.item, Draft):
        return len(line.item.content)
    return sum(len(version.entry.content) for version in line.item.history)


def read_lines(
    lines: Iterable[bytes | str], rules: ImportRules, store: Store
) -> Iterator[ImportLine]:
    """Read and check all lines that are not blank.

    Linked entries must be known or be in an earlier line. After the last line, one error lists
    all lines that cannot be imported.
    """
    earlier_entries: dict[str, Entry] = {}
    errors: list[InvalidInput] = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            with _with_line_number(number):
                line = _line(json.loads(text), rules)
                _check_links(line.item, rules, earlier_entries, store)
        except InvalidInput as error:
            errors.append(error)
            continue
        if not errors:
            yield line
    if errors:
        raise _combined(errors)


def _combined(errors: Sequence[InvalidInput]) -> InvalidInput:
    """Return one error that lists the others; a hint that all have in common is given once."""
    if len(errors) == 1:
        return errors[0]
    hints = {error.hint for error in errors}
    common = hints.pop() if len(hints) == 1 else None
    messages = "\n".join(str(error.args[0] if common else error) for error in errors[:_MAX_LISTED])
    more = f"\nand {len(errors) - _MAX_LISTED} more" if len(errors) > _MAX_LISTED else ""
    return InvalidInput(
        f"{len(errors)} lines cannot be imported, so nothing was imported:\n{messages}{more}",
        hint=common,
    )


def _check_links(
    item: EntryHistory | Draft, rules: ImportRules, earlier_entries: dict[str, Entry], store: Store
) -> None:
    """Check the links of a new memory; remember an entry, which later lines may link to."""
    if isinstance(item, EntryHistory):
        earlier_entries[item.entry.id] = item.entry
    elif item.related_to or item.supersedes:
        entries = _known({*item.related_to, *item.supersedes}, earlier_entries, store)
        for id_ in item.supersedes:
            rules.refuse_replacement(item, entries[id_])


def _known(ids: Set[str], earlier_entries: Mapping[str, Entry], store: Store) -> dict[str, Entry]:
    """Return the entries with these ids; a stored one takes precedence over an earlier line."""
    with store.read() as snapshot:
        stored_entries = snapshot.find(ids)
    entries = {
        **{id_: earlier_entries[id_] for id_ in ids & earlier_entries.keys()},
        **stored_entries,
    }
    if missing := ids - entries.keys():
        raise UnknownEntry(f"no entry has the id {quoted(min(missing))}")
    return entries


def _line(value: Any, rules: ImportRules) -> ImportLine:
    if not isinstance(value, dict):
        raise InvalidInput(f"a line must be a JSON object, not {quoted(value)}")
    if "entry" not in value:
        return _draft(value, rules)
    if rules.proves(value):
        return _exact(value)
    return _foreign(value, rules)


@contextmanager
def _with_line_number(number: int) -> Iterator[None]:
    """Raise all errors with the number of the line."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"line {number} is not JSON: {error}",
            hint="nothing was imported; write one JSON object per line",
        ) from None
    except RememError as error:
        raise InvalidInput(f"line {number}: {error}") from error
    except (TypeError, AttributeError, KeyError) as error:
        raise InvalidInput(f"line {number} has a value of the wrong type: {error}") from None


def _exact(value: Mapping[str, Any]) -> ImportLine:
    """Return an entry that was exported here and is unchanged.

    Its secrets were masked when it was stored, so any that remain were kept by the owner.
    """
    history = _versions(value)
    for version in history:
        checked_entry(version.entry)
    intent = from_plain(ReviewedFields, value["intent"]) if value.get("intent") else None
    fact = from_plain(FactDraft, value["fact"]) if value.get("fact") else None
    return ImportLine(EntryHistory(history), intent, proven=True, fact=fact)


def _foreign(value: Mapping[str, Any], rules: ImportRules) -> ImportLine:
    """Return an entry from another workspace or an older remem, or a line that somebody edited."""
    originals = _versions(value)
    checked_entries = [_lowered(checked_entry(version.entry), rules.trust) for version in originals]
    current, intent = rules.unprivileged(checked_entries[-1])
    # An old version gets no more trust or privileges than the current one: recall can return it.
    history = [
        _lowered(rules.unprivileged(entry)[0], current.trust) for entry in checked_entries[:-1]
    ]
    history.append(current)
    bounded_entries = [rules.within_bounds(entry) for entry in history]
    versions = tuple(
        _version(entry, redact_name(original.change).text)
        for entry, original in zip(bounded_entries, originals, strict=True)
    )
    masked = sum(
        _count_masked(old.entry, new) + (old.change != version.change)
        for old, new, version in zip(originals, checked_entries, versions, strict=True)
    )
    return ImportLine(EntryHistory(versions), intent, masked, bounded_entries != history)


def _versions(value: Mapping[str, Any]) -> tuple[Version, ...]:
    """Return the versions in a line, the current one last; only their order is checked."""
    history = [
        _version(_entry(version["entry"]), version["change"])
        for version in value.get("history", ())
    ]
    current, change = _entry(value["entry"]), value.get("change", "imported")
    if current.archived and "archive_reason" not in value["entry"]:
        reason = former_archive_reason(str(change), current.expires_at)
        current = replace(current, archive_reason=reason)
    history.append(_version(current, change))
    for older, newer in pairwise(history):
        if older.entry.id != newer.entry.id or older.version >= newer.version:
            raise InvalidInput(f"the versions in the history of {newer.entry.id} are not in order")
    return tuple(history)


def _version(entry: Entry, change: Any) -> Version:
    text = checked_text(change, "change", _MAX_CHANGE_LENGTH)
    return Version(entry.version, entry.updated_at, text, entry)


def _entry(value: Mapping[str, Any]) -> Entry:
    refuse_unknown(value, _ENTRY_FIELDS, "an entry", noun="field")
    for name in _REQUIRED_FIELDS:
        if name not in value:
            raise InvalidInput(f"the entry has no {name}")
    lists = {key: tuple(value.get(key, ())) for key in ("tags", "related_to")}
    origins = tuple(Origin(**origin) for origin in value.get("origins", ()))
    trust = one_of(value.get("trust", "agent"), TRUSTS, "trust")
    return Entry(**{**value, **lists, "origins": origins, "trust": trust})


def _lowered(entry: Entry, maximum: Trust) -> Entry:
    return replace(entry, trust=lower_trust(maximum, entry.trust))


def _draft(value: Mapping[str, Any], rules: ImportRules) -> ImportLine:
    """Return a new memory, given by the fields that it may have."""
    given = {key: field for key, field in value.items() if field is not None}
    given["origin"] = Origin(**given["origin"]) if "origin" in given else _IMPORT
    checked = make_draft(cast(Memory, given), rules.trust, rules.now)
    if given.get("trust") == "untrusted":
        refuse_privileges(checked)
    item, intent = rules.unprivileged(checked)
    bounded = item.created_at is not None and item.created_at > rules.now
    if bounded:
        item = replace(item, created_at=rules.now)
    before = checked
    if checked.redacted:
        before = make_draft(cast(Memory, given), rules.trust, rules.now, mask_secrets=False)
    return ImportLine(item, intent, _count_masked(before, checked), bounded)


def _count_masked(before: Draft | Entry, after: Draft | Entry) -> int:
    """Return the number of texts that masking has changed, because they contained a secret."""
    texts_after = set(_texts(after))
    return sum(text not in texts_after for text in _texts(before))


def _texts(memory: Draft | Entry) -> Iterator[str]:
    origins = memory.origins if isinstance(memory, Entry) else (memory.origin,)
    places = [(origin.source, origin.speaker, origin.role) for origin in origins if origin]
    texts = (memory.content, memory.context, memory.source, *memory.tags, *chain(*places))
    yield from (text for text in texts if text)
