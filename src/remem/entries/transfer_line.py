"""What does a line of an import say? An entry with its history, or a memory to be stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, replace
from itertools import chain, pairwise
from typing import Any, Final, cast

from remem.entries.draft import Memory, batches, checked_entry, draft
from remem.entries.import_rules import ImportRules
from remem.entries.pending_facts import FactDraft, read_held
from remem.entries.receipt import Intent, refuse_power
from remem.errors import InvalidInput, RememError, UnknownEntry, shown
from remem.model.arguments import checked_text, one_of, refuse_unknown
from remem.model.entry import TRUSTS, Draft, Entry, Origin, Trust, Version, lower_trust
from remem.ports.entries import Store
from remem.text.secrets.mask import redact_name, spotless

_IMPORT: Final = Origin("import")  # the same line, imported again, is the same observation
_LONG: Final = ("content", "context")
_ENTRY: Final = tuple(field.name for field in fields(Entry))
_NEEDED: Final = tuple(field.name for field in fields(Entry) if field.default is MISSING)
_MOST_NAMED: Final = 20
_LONGEST_CHANGE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Whole:
    """An entry with its versions, the present one last, as an export line holds it."""

    history: tuple[Version, ...]

    @property
    def entry(self) -> Entry:
        return self.history[-1].entry


@dataclass(frozen=True, slots=True)
class Line:
    """What is to be stored of a line.

    `intent`, `fact`: it waits in review, to become that. `masked` counts values that held a secret.
    `bounded`: a counter or date was out of bounds. `proven`: remem exported it here.
    """

    item: Whole | Draft
    intent: Intent | None = None
    masked: int = 0
    bounded: bool = False
    proven: bool = False
    fact: FactDraft | None = None


def length_of(line: Line) -> int:
    """How many characters of memory it holds."""
    if isinstance(line.item, Draft):
        return len(line.item.content)
    return sum(len(version.entry.content) for version in line.item.history)


def read_lines(lines: Iterable[bytes | str], rules: ImportRules, store: Store) -> Iterator[Line]:
    """What each line says, blank ones left out; what it links to is known, or stands in a line
    above it. After the last line, those that cannot be imported are named in one error."""
    above: dict[str, Entry] = {}
    wrong: list[InvalidInput] = []
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    for some in batches(numbered, lambda pair: len(pair[1])):
        for number, line in _read(some, rules):
            try:
                if isinstance(line, InvalidInput):
                    raise line
                _note(line.item, number, rules, above, store)
            except InvalidInput as error:
                wrong.append(error)
                continue
            if not wrong:
                yield line
    if wrong:
        raise _refusal(wrong)


def _refusal(wrong: Sequence[InvalidInput]) -> InvalidInput:
    if len(wrong) == 1:
        return wrong[0]
    named = "\n".join(str(invalid_input) for invalid_input in wrong[:_MOST_NAMED])
    more = f"\nand {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
    return InvalidInput(f"{len(wrong)} lines cannot be imported, so none was:\n{named}{more}")


def _note(
    item: Whole | Draft, number: int, rules: ImportRules, above: dict[str, Entry], store: Store
) -> None:
    """Remember an entry for the lines below it; check what a memory links to."""
    if isinstance(item, Whole):
        above[item.entry.id] = item.entry
    elif item.related_to or item.supersedes:
        with _naming(number):
            known = _known({*item.related_to, *item.supersedes}, above, store)
            for id_ in item.supersedes:
                rules.refuse_replacement(item, known[id_])


def _known(ids: Set[str], above: Mapping[str, Entry], store: Store) -> dict[str, Entry]:
    """The entries that have these ids. One that is stored stays as it is, whatever a line
    above says of it."""
    with store.read() as snapshot:
        stored = {id_: each.entry for id_, each in snapshot.by_ids(sorted(ids)).items()}
    known = {**{id_: above[id_] for id_ in ids & above.keys()}, **stored}
    if missing := ids - known.keys():
        raise UnknownEntry(f"no entry has the id {shown(min(missing))}")
    return known


def _read(
    lines: Sequence[tuple[int, bytes | str]], rules: ImportRules
) -> Iterator[tuple[int, Line | InvalidInput]]:
    """Some lines, whose secrets are looked for together."""
    values = [_value_or_none(line) for _, line in lines]
    unmasked = spotless(list(chain.from_iterable(map(_texts, values))))
    for (number, text), value in zip(lines, values, strict=True):
        try:
            with _naming(number):
                line = _line(json.loads(text) if value is None else value, rules, unmasked)
        except InvalidInput as error:
            yield number, error
        else:
            yield number, line


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
    for version in versions:
        said = version.get("entry", version) if isinstance(version, dict) else version
        if isinstance(said, dict):
            yield from (text for name in _LONG if isinstance(text := said.get(name), str))


def _line(value: Any, rules: ImportRules, unmasked: Set[str]) -> Line:
    if not isinstance(value, dict):
        raise InvalidInput(f"a line must hold an object, not {shown(value)}")
    if "entry" not in value:
        return _draft(value, rules, unmasked)
    if rules.proves(value):
        return _exact(value, unmasked)
    return _foreign(value, rules, unmasked)


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


def _exact(value: Mapping[str, Any], unmasked: Set[str]) -> Line:
    """What was exported here, as it was: secrets were masked when it was stored, and what the
    owner chose to keep then stays readable."""
    history = _versions(value)
    for version in history:
        checked_entry(version.entry, unmasked)
    intent = Intent.read(value["intent"]) if value.get("intent") else None
    fact = read_held(value["fact"]) if value.get("fact") else None
    return Line(Whole(history), intent, proven=True, fact=fact)


def _foreign(value: Mapping[str, Any], rules: ImportRules, unmasked: Set[str]) -> Line:
    """An entry of another workspace, of an older remem, or of a line that somebody edited."""
    found = _versions(value)
    checked = [_lowered(checked_entry(version.entry, unmasked), rules.trust) for version in found]
    current, intent = rules.disarmed(checked[-1])
    # An old version has no more power or trust than the present one: recall can ask for the past.
    history = [_lowered(rules.disarmed(entry)[0], current.trust) for entry in checked[:-1]]
    history.append(current)
    bounded = [rules.within_bounds(entry) for entry in history]
    versions = tuple(
        _version(entry, redact_name(each.change).text)
        for entry, each in zip(bounded, found, strict=True)
    )
    masked = sum(_masked(old, new) for old, new in zip(found, versions, strict=True))
    return Line(Whole(versions), intent, masked, bounded != history)


def _versions(value: Mapping[str, Any]) -> tuple[Version, ...]:
    """The versions of a line, the present one last, unchecked but for their order."""
    history = [_version(_entry(each["entry"]), each["change"]) for each in value.get("history", ())]
    history.append(_version(_entry(value["entry"]), value.get("change", "imported")))
    for older, newer in pairwise(history):
        if older.entry.id != newer.entry.id or older.version >= newer.version:
            raise InvalidInput(f"the history of {newer.entry.id} is not its versions in order")
    return tuple(history)


def _version(entry: Entry, change: Any) -> Version:
    text = checked_text(change, "change", _LONGEST_CHANGE)
    return Version(entry.version, entry.updated_at, text, entry)


def _entry(value: Mapping[str, Any]) -> Entry:
    refuse_unknown(value, _ENTRY, "an entry", noun="field")
    for name in _NEEDED:
        if name not in value:
            raise InvalidInput(f"the entry has no {name}")
    several = {key: tuple(value.get(key, ())) for key in ("tags", "related_to")}
    origins = tuple(Origin(**each) for each in value.get("origins", ()))
    trust = one_of(value.get("trust", "agent"), TRUSTS, "trust")
    return Entry(**{**value, **several, "origins": origins, "trust": trust})


def _lowered(entry: Entry, allowed: Trust) -> Entry:
    return replace(entry, trust=lower_trust(allowed, entry.trust))


def _draft(value: Mapping[str, Any], rules: ImportRules, unmasked: Set[str]) -> Line:
    given = {key: each for key, each in value.items() if each is not None}
    if "origin" in given:
        given["origin"] = Origin(**given["origin"])
    else:
        given["origin"] = _IMPORT
    checked = draft(cast(Memory, given), rules.trust, rules.now, unmasked)
    if given.get("trust") == "untrusted":
        refuse_power(checked)
    item, intent = rules.disarmed(checked)
    bounded = item.created_at is not None and item.created_at > rules.now
    if bounded:
        item = replace(item, created_at=rules.now)
    said = [given[name] for name in (*_LONG, "source") if given.get(name)]
    said += [*given.get("tags", ()), *_of_origin(given["origin"])]
    kept = {item.content, item.context, item.source, *item.tags}
    kept |= set(_of_origin(item.origin)) if item.origin else set()
    return Line(item, intent, sum(each not in kept for each in said), bounded)


def _masked(before: Version, after: Version) -> int:
    """How many values of a version held a secret: nothing else changes a text but the source,
    which says that a foreign entry was imported."""
    kept = {*_said(after), before.entry.source}
    return sum(each not in kept for each in _said(before))


def _said(version: Version) -> Iterator[str]:
    entry = version.entry
    said = (entry.content, entry.context, entry.source, version.change, *entry.tags)
    yield from (each for each in said if each)
    for origin in entry.origins:
        yield from _of_origin(origin)


def _of_origin(origin: Origin) -> Iterator[str]:
    yield from (each for each in (origin.source, origin.speaker, origin.role) if each)
