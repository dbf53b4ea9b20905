"""Find the lines where a person can read an entry.

These are the lines of the file that the entry comes from, as long as they still say what the entry
says. Every other entry is shown at its line in its domain file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.entry import Entry, headings_in
from remem.model.passage import Passage
from remem.model.scope import Scope
from remem.ports.entries import Snapshot
from remem.search.passages.selection import ScoredResult
from remem.text.words import words

PassagesOfFile = Callable[[str], Sequence[tuple[int, Passage]]]
"""Returns the passages of a file in the order of their lines, with their numbers."""
_MIN_SHARE: Final = 0.5
"""A passage must contain at least this part of the words of an entry that was not edited."""


@dataclass(frozen=True, slots=True)
class EntryPlaces:
    """The places of one scope's entries.

    `write_files` writes the domain files that are not written yet; it is called if an entry is not
    in its file.
    """

    layout: Layout
    scope: Scope
    write_files: Callable[[], object]

    def passage_of(self, entry: Entry, snapshot: Snapshot) -> Passage:
        """Return an entry as a passage of its domain file; line 1 if it is not in the file."""
        home = snapshot.usage([entry.id])[entry.id].home
        path = self.layout.domain_path(self.scope, *home)
        lines = self._lines(path, entry.id)
        if lines is None:
            self.write_files()
            lines = self._lines(path, entry.id)
        start, end = lines or (1, 1)
        return Passage(
            path=path.relative_to(self.layout.root).as_posix(),
            start=start,
            end=end,
            text=entry.content,
            headings=headings_in(entry.context),
            day=entry.created_at[:10],
        )

    def _lines(self, path: Path, id_: str) -> tuple[int, int] | None:
        try:
            data = atomic.read(path, single_link=self.scope.kind != "main")
        except RememError:  # the entry itself is known, only its line is not
            return None
        if data is None:
            return None
        from remem.files.domain_file.format import entry_lines  # lazy: recall never needs it

        return entry_lines(data, id_)


def _source_of(entry: Entry, of_file: PassagesOfFile) -> tuple[int, Passage] | None:
    """Return the passage that still says what an entry says, with its number."""
    content = _words_in(entry.content)
    for origin in reversed(entry.origins):
        if origin.position is None or not content:
            continue
        for number, passage in of_file(origin.source):
            if passage.start > origin.position:
                break
            if passage.end >= origin.position and _says(passage, content, edited=entry.version > 1):
                return number, passage
    return None


def _says(passage: Passage, content: frozenset[str], *, edited: bool) -> bool:
    """Return whether a passage says the same as an entry.

    Half of the entry's words are enough, because a migrated entry may be worded differently. An
    edited entry must have all of its words in the passage, since the edit may be a single word.
    """
    share = len(content & _words_in(passage.in_context)) / len(content)
    return share == 1 if edited else share >= _MIN_SHARE


@lru_cache(maxsize=4_000)
def _words_in(text: str) -> frozenset[str]:
    # Cached, because the same lines are among the results of many questions.
    return frozenset(words(text))


def as_lines_of_files(
    results: Sequence[ScoredResult],
    snapshot: Snapshot,
    of_file: PassagesOfFile,
    places: EntryPlaces,
) -> Iterator[ScoredResult]:
    """Yield results with entries replaced by the lines where they can be read, each line once."""
    shown_numbers: set[int] = set()
    for result in results:
        candidate, found = result.ranked.candidate, result
        number = candidate.number
        if isinstance(candidate.item, Entry):
            source = _source_of(candidate.item, of_file)
            number, item = source or (None, places.passage_of(candidate.item, snapshot))
            candidate = candidate._replace(item=item, number=number)
            found = replace(result, ranked=result.ranked._replace(candidate=candidate))
        if number is None or number not in shown_numbers:
            yield found
        if number is not None:
            shown_numbers.add(number)
