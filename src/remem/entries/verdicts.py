"""Verdicts in the store: one record each, numbered in the order in which they were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from remem.entries.lifecycle import archive, revise
from remem.entries.receipt import ReviewedFields, save_intent
from remem.errors import InvalidInput
from remem.model.domain_routing import INDEX_FILE_KEY
from remem.model.entry import Entry
from remem.model.verdict import OWNER, Answer, IndexChoices, Verdict
from remem.ports.entries import EntryReader, Transaction
from remem.ports.records import Where
from remem.ports.state import Namespace
from remem.text.similarity import folded_hash

_VERDICTS: Final[Namespace[Verdict]] = Namespace("verdict", Verdict)
_UNDONE: Final = "a verdict was undone"
_MAX_REPLACEMENTS: Final = 50
"""Follow at most this many replacements of an entry."""


def all_verdicts(reader: EntryReader) -> list[Verdict]:
    """Return all verdicts, oldest first."""
    return list(reader.records(_VERDICTS).values())


def add_verdict(tx: Transaction, verdict: Verdict) -> Verdict:
    """Record a new verdict under the next number."""
    last = next(reversed(all_verdicts(tx)), None)
    numbered = replace(verdict, number=last.number + 1 if last else 1)
    save_verdict(tx, numbered)
    return numbered


def save_verdict(tx: Transaction, verdict: Verdict) -> None:
    """Record a verdict; the index is then written again."""
    tx.put_record(_VERDICTS, f"{verdict.number:06}", verdict)
    tx.add_to_outbox(INDEX_FILE_KEY)


def forget_verdicts_on(tx: Transaction, id_: str) -> None:
    """Remove the verdicts on an erased entry.

    A verdict of kind `order` or `page` that is about other entries too only loses the entry's id
    and wording.
    """
    for verdict in all_verdicts(tx):
        if id_ not in verdict.entries:
            continue
        rest = tuple(entry for entry in verdict.entries if entry != id_)
        if verdict.answer in ("order", "page") and rest:
            pairs = zip(verdict.entries, verdict.wordings, strict=False)
            wordings = tuple(wording for entry, wording in pairs if entry != id_)
            save_verdict(tx, replace(verdict, entries=rest, wordings=wordings))
        else:
            tx.put_record(_VERDICTS, f"{verdict.number:06}", None)


def undo_verdict(
    tx: Transaction, number: int | None, now: str, topics: tuple[str, ...]
) -> tuple[Verdict, list[str]]:
    """Undo a verdict, the last one by default; return it and what could not be restored.

    An entry that has changed since the verdict is left as it is.
    """
    verdict = _undoable(all_verdicts(tx), number)
    notes = []
    for id_, (before, after) in verdict.versions.items():
        old = tx.find([id_]).get(id_)
        if old is None or old.version != after:
            notes.append(f"{id_} has changed since the verdict, so it was left as it is")
        else:
            _restore(tx, old, before, now, topics)
    undone = replace(verdict, state="undone")
    save_verdict(tx, undone)
    return undone, notes


def _undoable(verdicts: Sequence[Verdict], number: int | None) -> Verdict:
    """Return the verdict in force with this number, or the last one."""
    in_force = [verdict for verdict in verdicts if verdict.in_force]
    if number is None:
        if not in_force:
            raise InvalidInput(
                "there is no verdict to undo", hint="`remem curate --list` shows all of them"
            )
        return in_force[-1]
    for verdict in in_force:
        if verdict.number == number:
            return verdict
    raise InvalidInput(
        f"verdict {number} does not exist or cannot be undone",
        hint="`remem curate --list` shows all of them",
    )


def _restore(tx: Transaction, old: Entry, version: int, now: str, topics: tuple[str, ...]) -> None:
    """Restore an earlier version of an entry; an entry that had no earlier version is archived."""
    if not version:
        archive(tx, old, now, _UNDONE, topics)
        return
    earlier = next(past.entry for past in tx.history(old.id) if past.version == version)
    if earlier.trust == "untrusted" != old.trust:
        save_intent(tx, old.id, ReviewedFields.from_memory(old))
    restored = replace(
        earlier,
        version=old.version,
        strength=old.strength,
        uses=old.uses,
        origins=old.origins,
    )
    revise(tx, restored, _UNDONE, now=now, topics=topics)


def index_choices(reader: EntryReader) -> IndexChoices:
    """Return the owner's choices for the index, which follow from the verdicts in force."""
    verdicts = all_verdicts(reader)
    if not verdicts:
        return IndexChoices()
    return IndexChoices.from_verdicts(verdicts, _current_ids(reader, verdicts))


def wording_hash_of(entry: Entry) -> int:
    """Return the hash by which a verdict recognises the words of an entry."""
    return folded_hash(entry.content)


def owners_choice(
    answer: Answer, entry: Entry, now: str, *, line: int | None = None, text: str | None = None
) -> Verdict:
    """Return the owner's verdict on a line of the index, which is numbered when it is added."""
    wordings = (wording_hash_of(entry),)
    return Verdict(
        0, now, OWNER, "applied", "index", answer, (entry.id,), wordings, line=line, text=text
    )


def _current_ids(reader: EntryReader, verdicts: Iterable[Verdict]) -> dict[str, str]:
    """Return the present ids of entries whose id has changed since their verdict.

    They were replaced by another entry, or stored again with the same words.
    """
    wordings: dict[str, int] = {}
    for verdict in verdicts:
        wordings.update(zip(verdict.entries, verdict.wordings, strict=False))
    ids = {id_ for verdict in verdicts for id_ in verdict.entries}
    entries = reader.find(ids)
    current: dict[str, str] = {}
    for id_ in ids:
        last = _last_replacement(reader, entries.get(id_))
        if last is None or last.archived:
            last = _with_wording(reader, wordings.get(id_)) or last
        if last is not None and last.id != id_:
            current[id_] = last.id
    return current


def _last_replacement(reader: EntryReader, entry: Entry | None) -> Entry | None:
    for _ in range(_MAX_REPLACEMENTS):
        if entry is None or entry.superseded_by is None:
            break
        entry = reader.find([entry.superseded_by]).get(entry.superseded_by, entry)
    return entry


def _with_wording(reader: EntryReader, wording_hash: int | None) -> Entry | None:
    if wording_hash is None:
        return None
    entries = reader.select(Where(wording_hash=wording_hash))
    return next((entry for entry in entries if wording_hash_of(entry) == wording_hash), None)
