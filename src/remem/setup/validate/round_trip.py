"""Checks 4 and 5: stored entries can be recalled, and domain files can be read.

The checks use existing entries and store none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from remem.disclose.get import Excerpt
from remem.errors import RememError, counted
from remem.files import atomic
from remem.files.domain_file.format import faults, parse_file
from remem.files.layout import Layout
from remem.model.domain_routing import UNTRUSTED
from remem.model.entry import Entry
from remem.search.answer.answer import Answer
from remem.setup.validate.result import ToolResult, ValidationCheck, make_check
from remem.text.markdown import lines_of, unclosed_fence, without_bullet
from remem.text.path_escapes import printable
from remem.text.words import words

STORED_ENTRIES_CHECK: Final = "Stored entries are recalled"
_SAMPLE_SIZE: Final = 10
_MAX_QUESTION_LENGTH: Final = 400
_MIN_WORDS: Final = 3
_MAX_TOKENS: Final = 2000
"""A larger entry does not fit into an ordinary answer."""
_MAX_SHARE_NOT_FOUND: Final = 0.1
_DOMAIN_FILE_CHECK: Final = "Domain files can be read"

Get = Callable[[str, int], Excerpt]


def check_stored_entries(
    results: Sequence[ToolResult], sample: Sequence[Entry], recall: Callable[[str], Answer]
) -> ValidationCheck:
    """Run check 4: store and recall passed the self-test, and entries are found by id and words.

    One in ten may not be found by its words, because other entries say nearly the same thing.
    """
    reasons = [
        f"{result.tool} in a temporary workspace: {result.reason}"
        for result in results
        if result.reason and result.tool in ("memory_store", "memory_recall")
    ]
    not_by_id = [entry for entry in sample if not _is_in(entry, recall(entry.id))]
    reasons += [f"{entry.id} is not found by its id" for entry in not_by_id]
    not_by_words = [
        entry for entry in sample if not _is_in(entry, recall(entry.content[:_MAX_QUESTION_LENGTH]))
    ]
    if len(not_by_words) > _MAX_SHARE_NOT_FOUND * len(sample):
        reasons += [f"{entry.id} is not found by its own words" for entry in not_by_words]
    entries = counted(len(sample), "entry", "entries")
    sampled = f"{entries} of this workspace" if sample else "no entries here yet"
    return make_check(
        4, STORED_ENTRIES_CHECK, f"a new entry in a temporary workspace; {sampled}", reasons
    )


def sample_of(entries: Sequence[Entry]) -> list[Entry]:
    """Return an evenly spread sample of entries with enough words, the same each time."""
    usable = [
        entry
        for entry in entries
        if entry.token_estimate <= _MAX_TOKENS and len(set(words(entry.content))) >= _MIN_WORDS
    ]
    if len(usable) <= _SAMPLE_SIZE:
        return usable
    return [usable[i * len(usable) // _SAMPLE_SIZE] for i in range(_SAMPLE_SIZE)]


def _is_in(entry: Entry, answer: Answer) -> bool:
    return any(recalled.id == entry.id for recalled in answer.entries)


def check_domain_files(layout: Layout, folder: Path, get: Get) -> ValidationCheck:
    """Run check 5: the domain files are valid, and memory_get returns all of their lines."""
    reasons: list[str] = []
    paths = sorted(folder.glob("*.md"))
    for path in paths:
        name = printable(layout.relative(path))
        reasons += [f"{name}: {reason}" for reason in _faults(path, name, get)]
    count = counted(len(paths), "file")
    return make_check(5, _DOMAIN_FILE_CHECK, count if paths else "no files yet", reasons)


def _faults(path: Path, name: str, get: Get) -> list[str]:
    try:
        data = atomic.read(path) or b""
        text = atomic.decode_text(data, path)
        document, _ = parse_file(data, path)
    except RememError as error:
        return [str(error)]
    problems = faults(document)
    if "\0" in text:
        problems.append("contains a NUL character")
    # The code block of an untrusted entry begins after its bullet.
    if unclosed_fence(map(without_bullet, lines_of(text))):
        problems.append("a code block is not closed")
    return [*problems, *_get_faults(text, name, get)]


def _get_faults(text: str, name: str, get: Get) -> list[str]:
    """Return what memory_get gets wrong in a file; untrusted text is not compared."""
    lines, number = lines_of(text), 1
    is_untrusted = Path(name).name.startswith(UNTRUSTED)
    while number <= len(lines):
        excerpt = get(name, number)
        if excerpt.status != "ok" or not excerpt.lines:
            return [f"memory_get answers {excerpt.error or excerpt.status} at line {number}"]
        expected = lines[number - 1 : number - 1 + excerpt.lines]
        if not is_untrusted and not _has_lines(excerpt, expected):
            return [f"memory_get returns different text from line {number} on"]
        number += excerpt.lines
    return []


def _has_lines(excerpt: Excerpt, lines: list[str]) -> bool:
    """Return whether the excerpt has these lines; a line that is too long may be cut."""
    lines_read = [line.removesuffix("\r") for line in excerpt.text.split("\n")[: excerpt.lines]]
    cut = excerpt.truncated and excerpt.next_from is None
    return lines_read == lines or bool(cut and lines[0].startswith(lines_read[0]))
