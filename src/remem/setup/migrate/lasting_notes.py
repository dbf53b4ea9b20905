"""Find lasting statements that are only in daily notes, and store them as entries.

Nobody curates daily notes, so a statement that is only there gets harder to find over time. The
notes are not changed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Final

from remem.admin.doctor.findings import REPAIR, Finding
from remem.entries.receipt import Receipt
from remem.entries.store import store_operation
from remem.errors import counted
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.files.walking import CURATED
from remem.model.entry import Draft
from remem.ports import StoreDependencies
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.models import Extractor
from remem.ports.records import Where
from remem.setup.migrate.plan import plan_file
from remem.setup.migrate.sources import Source, files_to_migrate, read_sources
from remem.text.note_dates import iso_date_in_name
from remem.text.similarity import folded_hash
from remem.text.statements import statements
from remem.text.timestamps import date_of
from remem.text.words import content_words, fold, words

_MIN_AGE: Final = timedelta(days=7)
"""More recent notes are still being worked on."""

_MIN_SHARED_WORDS: Final = 0.8
"""A text contains a statement if it has this share of the statement's content words."""
_MAX_LISTED: Final = 3
_BATCH_SIZE: Final = 200


def find_lasting(layout: Layout, snapshot: Snapshot, extractor: Extractor, now: str) -> list[Draft]:
    """Return the lasting statements that are only in older notes."""
    problems: list[str] = []
    sources = list(read_sources(files_to_migrate(layout, problems), problems))
    notes = [source for source in sources if _is_old_note(source, date_of(now))]
    if not notes:
        return []
    curated = [source for source in sources if source.path in CURATED]
    known_texts = TextIndex(_known_texts(layout, snapshot, curated))
    return [
        item.draft
        for note in notes
        for item in plan_file(note, extractor, snapshot, now, "owner").items
        if item.row is None and item.statement.status == "current"
        if not known_texts.has(item.draft.content) and not _was_stored(snapshot, item.draft)
    ]


def findings(drafts: Sequence[Draft]) -> Iterator[Finding]:
    """Yield the doctor's finding on lasting statements, if there are any."""
    if not drafts:
        return
    origins = [draft.origin for draft in drafts if draft.origin][:_MAX_LISTED]
    places = ", ".join(f"{origin.source}#L{origin.position}" for origin in origins)
    count = len(drafts)
    more = f" and {count - _MAX_LISTED} more" if count > _MAX_LISTED else ""
    subject = counted(count, "lasting statement is", "lasting statements are")
    yield Finding(
        "main",
        "daily notes",
        "notice",
        f"{subject} only in daily notes: {places}{more}",
        "statements that are only in a daily note get harder to find over time",
        f"{REPAIR} stores them as entries; the notes are not changed",
    )


def store_statements(
    store: Store, drafts: Sequence[Draft], deps: StoreDependencies, now: str
) -> int:
    """Store the statements as entries, and return how many are new."""
    new = 0
    for start in range(0, len(drafts), _BATCH_SIZE):
        batch = drafts[start : start + _BATCH_SIZE]
        operations = [store_operation(draft, now, deps) for draft in batch]
        receipts = store.write(partial(_run_all, operations))
        new += sum(receipt.stored and not receipt.deduplicated for receipt in receipts)
    return new


def _run_all(
    operations: Sequence[Callable[[Transaction], Receipt]], tx: Transaction
) -> list[Receipt]:
    return [operation(tx) for operation in operations]


def _is_old_note(source: Source, today: date) -> bool:
    day_text = None if source.is_curated else iso_date_in_name(source.path)
    return day_text is not None and date.fromisoformat(day_text) <= today - _MIN_AGE


def _known_texts(layout: Layout, snapshot: Snapshot, curated: Sequence[Source]) -> Iterator[str]:
    for entry in snapshot.select(Where(state="any")):
        yield entry.content
    for fact in FactFiles(layout)().facts:
        yield fact.fact
    for file in curated:
        for statement in statements(file.path, file.text, always_loaded=True):
            yield " ".join((*statement.headings[-1:], statement.plain_text))


def _was_stored(snapshot: Snapshot, draft: Draft) -> bool:
    """Return whether the statement's line has already become an entry, or the owner erased it."""
    if snapshot.tombstones(wording_hash=folded_hash(draft.content)):
        return True
    origin = draft.origin
    if origin is None:
        return False
    line = (origin.source, origin.position or 0)
    return bool(snapshot.select(Where(state="any", from_lines=(line,)), limit=1))


class TextIndex:
    """Texts indexed by their words, to find out whether one of them contains a statement."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._folded: set[str] = set()
        self._texts_with: defaultdict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            self._folded.add(fold(text))
            for word in _content_words(text):
                self._texts_with[word].append(number)

    def has(self, statement: str) -> bool:
        """Return whether one of the texts has the statement in nearly the same words."""
        if fold(statement) in self._folded:
            return True
        statement_words = _content_words(statement)
        if not statement_words:
            return False
        hits: Counter[int] = Counter()
        for word in statement_words:
            hits.update(self._texts_with.get(word, ()))
        best = max(hits.values(), default=0)
        return best >= _MIN_SHARED_WORDS * len(statement_words)


def _content_words(text: str) -> set[str]:
    return set(content_words(text) or words(text))
