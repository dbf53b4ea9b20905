"""Sync the index file: store what a person changed in it, and write the index.

A removed line is dropped from the index, and a moved line keeps its new place. A reworded line
becomes a new version of its entry, or the index shows the new words. A new line becomes a pinned
entry. Other changes are kept as a copy, because the file is generated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from remem.entries.domain_sync.state import (
    FileWrite,
    ProjectionState,
    ScopeFiles,
    last_written,
)
from remem.entries.draft import Memory, make_draft
from remem.entries.index import Index, make_index
from remem.entries.index_edits import (
    IndexEdits,
    KnownLine,
    NewLine,
    earlier_digests,
    read_edits,
    written_items,
)
from remem.entries.index_lines import MIGRATED_SOURCE, lines_of
from remem.entries.lifecycle import revise
from remem.entries.notices import add_notice
from remem.entries.store import store_operation
from remem.entries.verdicts import add_verdict, owners_choice
from remem.entries.written_index import MADE_BY, made_by
from remem.errors import FileError, InvalidInput
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.model.domain_routing import INDEX_FILE_KEY
from remem.model.entry import Entry, Origin
from remem.model.verdict import OWNER, Answer, Verdict
from remem.ports import StoreDependencies
from remem.ports.entries import Snapshot, Transaction
from remem.ports.state import LOSS
from remem.text.markdown import one_line
from remem.text.similarity import folded_hash

_EDITED: Final = "edited by hand in memory/INDEX.md"


@dataclass(frozen=True, slots=True)
class IndexFile:
    """The index file of main; other scopes have an index, but no file."""

    files: ScopeFiles
    state: ProjectionState
    deps: StoreDependencies
    tokens: int

    def prepare(self, snapshot: Snapshot) -> FileWrite | None:
        """Return the new text of the index; None if somebody has edited its file."""
        if self.files.scope.kind != "main":
            last_write, last_seq = last_written(snapshot, INDEX_FILE_KEY, None)
            return FileWrite(INDEX_FILE_KEY, None, b"", b"", {}, last_write, last_seq)
        path = self.files.layout.index_file
        current = atomic.read(path)
        last_write, last_seq = last_written(snapshot, INDEX_FILE_KEY, current)
        earlier = [last_write.digest, *earlier_digests(last_write.items)]
        if current is not None and atomic.digest(current) not in earlier:
            return None
        index = make_index(snapshot, self.deps.counter, self.tokens)
        items = self._items(index, earlier)
        text = index.text.encode()
        return FileWrite(INDEX_FILE_KEY, path, current, text, items, last_write, last_seq)

    def sync(self) -> None:
        """Store the edits in the file and write the index."""
        if self.files.scope.kind != "main":
            _, last_seq = self.state.last_written(INDEX_FILE_KEY, None)
            self.state.record_write(INDEX_FILE_KEY, last_seq, b"", {})
            return
        path = self.files.layout.index_file
        current = atomic.read(path)
        last_write, last_seq = self.state.last_written(INDEX_FILE_KEY, current)
        earlier = [last_write.digest, *earlier_digests(last_write.items)]
        is_edited = current is not None and atomic.digest(current) not in earlier
        other_changes = is_edited
        with self.files.store.read() as snapshot:
            lost = snapshot.record(LOSS) is not None  # new lines may be lost entries
        if current is not None and is_edited and last_write.items and not lost:
            text = current.decode(errors="replace").replace("\r\n", "\n").removeprefix("\ufeff")
            edits = self._without_shown(read_edits(last_write.items, text, self._words_of))
            self.files.store.write(lambda tx: self._store(tx, edits))
            other_changes = edits.other_changes
        with self.files.store.read() as snapshot:
            index = make_index(snapshot, self.deps.counter, self.tokens)
        data = index.text.encode()
        if current is not None and other_changes and current != data:
            copy = atomic.unused_path(self.files.layout.conflicts(self.files.scope), path.name)
            atomic.create(copy, current)
            name = self.files.name(copy)
            self.files.add_notice(f"INDEX.md was rewritten; your changes are kept in {name}")
        items = self._items(index, earlier)
        if current != data:
            self.state.record_planned_write(INDEX_FILE_KEY, data, items)
            if self.files.write(path, data, current).outcome != "swapped":
                raise FileError(f"{path} was changed while remem was writing it", hint="try again")
        self.state.record_write(INDEX_FILE_KEY, last_seq, data, items)

    def _items(self, index: Index, earlier: Sequence[str]) -> dict[str, str]:
        items = written_items(index.text, index.lines, earlier)
        return {**items, MADE_BY: made_by(self.deps.counter, self.tokens)}

    def _without_shown(self, edits: IndexEdits) -> IndexEdits:
        """Leave out new lines that the index shows anyway.

        There are such lines if the store lost entries that were then restored from domain files.
        """
        with self.files.store.read() as snapshot:
            index = make_index(snapshot, self.deps.counter, self.tokens)
        shown_texts = {line.text.removeprefix("- ") for line in index.lines}
        return replace(
            edits, added=tuple(line for line in edits.added if line.text not in shown_texts)
        )

    def _words_of(self, line: KnownLine) -> str:
        """Return the text of a line in its entry, or else the whole text; empty without entry."""
        with self.files.store.read() as snapshot:
            entry = snapshot.find([line.entry]).get(line.entry)
        if entry is None:
            return ""
        texts = (shown.text for shown in lines_of(entry) if shown.key == line.text_hash)
        return next(texts, entry.content)

    def _store(self, tx: Transaction, edits: IndexEdits) -> None:
        """Store the edits as the owner's verdicts, and as new entries and versions."""
        now = self.files.clock()
        for line in edits.removed:
            if entry := _find(tx, line.entry):
                text_hash = None if line.is_only_line else line.text_hash
                verdict = add_verdict(tx, _verdict("drop", entry, now, line=text_hash))
                self._notice(tx, f"a line was dropped from the index (verdict {verdict.number})")
        for edit in edits.reworded:
            if entry := _find(tx, edit.line.entry):
                self._reword(tx, entry, edit.line, edit.text)
        new = {line: id_ for line in edits.added if (id_ := self._add(tx, line)) is not None}
        ids = tuple(_ordered_ids(edits.order, new))
        if len(ids) > 1:
            verdict = Verdict(0, now, OWNER, "applied", "index", "order", ids)
            add_verdict(tx, replace(verdict, reason=_EDITED))

    def _reword(self, tx: Transaction, entry: Entry, line: KnownLine, text: str) -> None:
        """Revise a stored entry if the line shows all of it.

        Otherwise only the index shows the new words, because MEMORY.md or the rest of the entry
        still has the old ones.
        """
        now = self.files.clock()
        memory = Memory(category=entry.category, content=text)
        try:  # a secret that the owner has kept stays readable
            text = make_draft(memory, "owner", now, keep_if_in=entry.content).content
        except InvalidInput as error:
            self._notice(tx, f"a line was not reworded: {error}")
            return
        whole = folded_hash(one_line(entry.content, len(entry.content) + 1)) == line.text_hash
        if whole and entry.source != MIGRATED_SOURCE:
            tokens = self.deps.counter.count(text)
            new = replace(entry, content=text, token_estimate=tokens)
            revise(tx, new, _EDITED, now=now, topics=self.deps.topics)
            self._notice(tx, f"{entry.id} was revised: its line in the index was reworded")
            return
        text_hash = None if line.is_only_line else line.text_hash
        verdict = add_verdict(tx, _verdict("reword", entry, now, line=text_hash, text=text))
        self._notice(tx, f"a line of the index was reworded (verdict {verdict.number})")

    def _add(self, tx: Transaction, line: NewLine) -> str | None:
        """Store a new line with the agent's trust, and pin it."""
        now = self.files.clock()
        memory = Memory(
            category=line.category,
            content=line.text,
            source="file",
            origin=Origin(self.files.name(self.files.layout.index_file)),
        )
        try:
            receipt = store_operation(make_draft(memory, "agent", now), now, self.deps)(tx)
        except InvalidInput as error:
            self._notice(tx, f"a line was not stored: {error}")
            return None
        entry = _find(tx, receipt.id) if receipt.stored else None
        if entry is None:
            return None
        verdict = _verdict("pin", entry, now)
        if not receipt.deduplicated:
            verdict = replace(verdict, versions={entry.id: (0, entry.version)})
        add_verdict(tx, verdict)
        self._notice(tx, f"{entry.id} was stored and pinned: its line is new in the index")
        return entry.id

    def _notice(self, tx: Transaction, text: str) -> None:
        add_notice(tx, self.files.clock(), f"INDEX.md: {text}")


def _verdict(
    answer: Answer, entry: Entry, now: str, *, line: int | None = None, text: str | None = None
) -> Verdict:
    return replace(owners_choice(answer, entry, now, line=line, text=text), reason=_EDITED)


def _find(tx: Transaction, id_: str) -> Entry | None:
    return tx.find([id_]).get(id_)


def _ordered_ids(order: tuple[str | NewLine, ...], new: dict[NewLine, str]) -> Iterator[str]:
    for item in order:
        if isinstance(item, str):
            yield item
        elif item in new:
            yield new[item]
