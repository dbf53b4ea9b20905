"""The owner's choices for the index, and the list of all verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from remem.admin.curate.result import Verdicts, VerdictView
from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.entries.index import Index
from remem.entries.index_shown import IndexLine
from remem.entries.verdicts import add_verdict, all_verdicts, owners_choice, undo_verdict
from remem.errors import InvalidInput, quoted
from remem.model.arguments import checked_text
from remem.model.entry import Category, Entry, is_entry_id
from remem.model.verdict import OWNER, Answer, Verdict
from remem.ports.entries import Store
from remem.text.secrets.mask import redact


@dataclass(frozen=True, slots=True)
class IndexChoiceService:
    """Records the owner's choices for the index of one scope, and undoes verdicts."""

    context: SessionContext
    entries: EntryService

    def pin(self, lines: Sequence[str], text: str | None, category: Category) -> Verdicts:
        """Pin lines or entries to the index, or show one line in other words."""
        self._require_owner("remem index pin")
        if text is not None and len(lines) != 1:
            raise InvalidInput(
                "only one line can be reworded at a time", hint="name a single line with --as"
            )
        new_lines = [item for item in lines if _is_text(item)]
        for item in new_lines:
            self.entries.refuse_erased(item)
        receipts = {
            item: self.entries.add({"category": category, "content": item}) for item in new_lines
        }
        ids = [receipts[item].id if item in receipts else item for item in lines]
        versions = {
            receipt.id: (0, receipt.version)
            for receipt in receipts.values()
            if not receipt.deduplicated
        }
        pinned_lines = list(self._lines(ids))
        answer: Answer = "pin" if text is None else "reword"
        new_wording = redact(checked_text(text, "text")).text if text is not None else None
        return self._choose(
            [(answer, entry, line, new_wording) for entry, line in pinned_lines], versions
        )

    def drop(self, lines: Sequence[str]) -> Verdicts:
        """Leave lines or entries out of the index; recall still finds them."""
        self._require_owner("remem index drop")
        return self._choose([("drop", entry, line, None) for entry, line in self._lines(lines)])

    def order(self, lines: Sequence[str]) -> Verdicts:
        """Put lines in the given order, beginning at the topmost position that one of them has."""
        self._require_owner("remem index order")
        ordered_ids = list(dict.fromkeys(entry.id for entry, _ in self._lines(lines)))
        if len(ordered_ids) < 2:
            raise InvalidInput(
                "an order needs at least two lines", hint="name the lines in their new order"
            )
        current = list(dict.fromkeys(line.entry for line in self.entries.index().lines))
        if missing := [id_ for id_ in ordered_ids if id_ not in current]:
            raise InvalidInput(
                f"{missing[0]} is not in the index", hint=f"`remem index pin {missing[0]}` first"
            )
        first = min(current.index(id_) for id_ in ordered_ids)
        above = [id_ for id_ in current[:first] if id_ not in ordered_ids]
        below = [id_ for id_ in current[first:] if id_ not in ordered_ids]
        ids = (*above, *ordered_ids, *below)
        now = self.context.now()
        verdict = Verdict(0, now, OWNER, "applied", "index", "order", ids)
        return self._record([verdict])

    def undo(self, number: int | None) -> Verdicts:
        """Undo a verdict, the last one by default."""
        self._require_owner("remem curate --undo")
        now, topics = self.context.now(), self.entries.deps.topics
        verdict, notes = self.entries.store.write(lambda tx: undo_verdict(tx, number, now, topics))
        self.entries.sync.after_write()
        return Verdicts(tuple(self._views([verdict])), tuple(notes))

    def all(self) -> Verdicts:
        self._require_owner("remem curate --list")
        with self.entries.store.read() as snapshot:
            verdicts = all_verdicts(snapshot)
        return Verdicts(tuple(self._views(verdicts)))

    def _choose(
        self,
        choices: Iterable[tuple[Answer, Entry, int | None, str | None]],
        versions: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    ) -> Verdicts:
        """Record a verdict for each choice.

        `versions` holds the versions of entries that were stored for it, before and after, so that
        undoing the verdict archives them.
        """
        verdicts = []
        for answer, entry, line, text in choices:
            verdict = owners_choice(answer, entry, self.context.now(), line=line, text=text)
            if entry.id in versions:
                verdict = replace(verdict, versions={entry.id: versions[entry.id]})
            verdicts.append(verdict)
        return self._record(verdicts)

    def _record(self, verdicts: Sequence[Verdict]) -> Verdicts:
        recorded = self.entries.store.write(
            lambda tx: [add_verdict(tx, verdict) for verdict in verdicts]
        )
        self.entries.sync.after_write()
        return Verdicts(tuple(self._views(recorded)), tuple(_overflow_notes(self.entries.index())))

    def _lines(self, lines: Sequence[str]) -> Iterator[tuple[Entry, int | None]]:
        """Yield the entries that are given by id or line number.

        A line number of an entry with several lines also yields the hash of that line.
        """
        if not lines:
            raise InvalidInput("no line was named", hint="`remem index --why` lists their numbers")
        index = self.entries.index()
        for item in lines:
            if item.isdecimal():
                line = _numbered(index, int(item))
                yield self.entries.find(line.entry), None if line.alone else line.words
            elif is_entry_id(item):
                entry = self.entries.find(item)
                if not entry.live:
                    raise InvalidInput(
                        f"{item} is archived, replaced or waiting for review",
                        hint="only active entries can be in the index",
                    )
                yield entry, None
            else:
                raise InvalidInput(
                    f"{quoted(item)} is neither the number of a line nor the id of an entry",
                    hint="`remem index --why` lists both",
                )

    def _views(self, verdicts: Iterable[Verdict]) -> Iterator[VerdictView]:
        return verdict_views(verdicts, self.entries.store)

    def _require_owner(self, command: str) -> None:
        self.context.require_owner("curate the index", command)


def verdict_views(verdicts: Iterable[Verdict], store: Store) -> Iterator[VerdictView]:
    """Yield verdicts for display, with the text of their entries."""
    for verdict in verdicts:
        with store.read() as snapshot:
            entries = snapshot.find(verdict.entries[:1])
        yield VerdictView(
            verdict.number,
            verdict.at,
            verdict.author,
            verdict.state,
            verdict.topic,
            verdict.answer,
            verdict.entries,
            "".join(entry.content for entry in entries.values()),
            verdict.text,
            verdict.category,
            verdict.reason,
        )


def _is_text(item: str) -> bool:
    """Return whether an argument is the text of a new line, not a number or an id."""
    return len(item.split()) > 1


def _numbered(index: Index, number: int) -> IndexLine:
    if not 1 <= number <= len(index.lines):
        raise InvalidInput(
            f"the index has no line {number}", hint=f"its lines are 1 to {len(index.lines)}"
        )
    return index.lines[number - 1]


def _overflow_notes(index: Index) -> Iterator[str]:
    for id_ in index.pins_left_out:
        yield f"{id_} is pinned, but the index has no room for it"
