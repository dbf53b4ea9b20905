"""Is what is stored found again? Tried on the entries that are there, without storing any.

Are the domain files Markdown that memory_get reads, line by line to the last?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from remem.disclose.get import Excerpt
from remem.errors import RememError
from remem.files import atomic
from remem.files.domain_file.format import faults, taken_apart
from remem.files.layout import Layout
from remem.model.domain_routing import UNTRUSTED
from remem.model.entry import Entry
from remem.search.answer.answer import Answer
from remem.setup.validate.result import Check, Tried, judged
from remem.text.markdown import lines_of
from remem.text.odd_names import printable
from remem.text.words import words

_NAME: Final = "Domain files can be read"
_FENCE: Final = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})(.*)")

Get = Callable[[str, int], Excerpt]


def readable_domains(layout: Layout, folder: Path, get: Get) -> Check:
    """Check 5."""
    reasons: list[str] = []
    found = sorted(folder.glob("*.md"))
    for path in found:
        name = printable(path.relative_to(layout.root).as_posix())
        reasons += [f"{name}: {reason}" for reason in _faults(path, name, get)]
    count = f"{len(found)} file" if len(found) == 1 else f"{len(found)} files"
    return judged(5, _NAME, count if found else "there are none yet", reasons)


def _faults(path: Path, name: str, get: Get) -> list[str]:
    try:
        data = atomic.read(path) or b""
        text = atomic.text_of(data, path)
        document, _ = taken_apart(data, path)
    except RememError as error:
        return [str(error)]
    found = faults(document)
    if "\0" in text:
        found.append("it holds a NUL, which no Markdown does")
    if _has_open_fence(text):
        found.append("a code block is never closed")
    return [*found, *_unread(text, name, get)]


def _has_open_fence(text: str) -> bool:
    """Also of a code block that begins behind the mark of a bullet, as untrusted ones do."""
    mark: str | None = None
    for line in lines_of(text):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        if mark is None:
            mark = fence[1]
        elif fence[1].startswith(mark) and not fence[2].strip():
            mark = None
    return mark is not None


def _unread(text: str, name: str, get: Get) -> list[str]:
    """Where memory_get does not give the file as it stands. Strangers' words come fenced."""
    lines, at = lines_of(text), 1
    fenced = Path(name).name.startswith(UNTRUSTED)
    while at <= len(lines):
        excerpt = get(name, at)
        if excerpt.status != "ok" or not excerpt.lines:
            return [f"memory_get says {excerpt.error or excerpt.status} at line {at}"]
        if not fenced and not _agrees(excerpt, lines[at - 1 : at - 1 + excerpt.lines]):
            return [f"memory_get gives other lines from {at} on"]
        at += excerpt.lines
    return []


def _agrees(excerpt: Excerpt, lines: list[str]) -> bool:
    """Whether these are the lines; one that is too long for an excerpt comes as its beginning."""
    given = [line.removesuffix("\r") for line in excerpt.text.split("\n")[: excerpt.lines]]
    cut = excerpt.truncated and excerpt.next_from is None
    return given == lines or bool(cut and lines[0].startswith(given[0]))


STORED: Final = "What is stored is recalled"
_SAMPLE: Final = 10
_LONGEST: Final = 400
_FEWEST: Final = 3
_LARGEST: Final = 2000
"""An entry of more tokens does not fit whole into an ordinary answer."""
_ONE_OF: Final = 10


def stored_is_recalled(
    tried: Sequence[Tried], sample: Sequence[Entry], recall: Callable[[str], Answer]
) -> Check:
    """Check 4: the self-test stored and recalled; here entries are asked for by their ids, and
    in their own words, where one of ten may lose against others that say nearly the same."""
    reasons = [
        f"in a workspace of its own: {each.tool}: {each.reason}"
        for each in tried
        if each.reason and each.tool in ("memory_store", "memory_recall")
    ]
    unread = [entry for entry in sample if not _is_in(entry, recall(entry.id))]
    reasons += [f"{entry.id} cannot be read by its id" for entry in unread]
    lost = [entry for entry in sample if not _is_in(entry, recall(entry.content[:_LONGEST]))]
    if len(lost) * _ONE_OF > len(sample):
        reasons += [f"{entry.id} is not in the answer to its own words" for entry in lost]
    asked = f"{len(sample)} entries of this memory" if sample else "none of this memory yet"
    return judged(4, STORED, f"a new entry in a workspace of its own; {asked}", reasons)


def sample_of(entries: Sequence[Entry]) -> list[Entry]:
    """Some entries that can be asked for, evenly spread; the same ones each time."""
    usable = [
        entry
        for entry in entries
        if entry.token_estimate <= _LARGEST and len(set(words(entry.content))) >= _FEWEST
    ]
    if len(usable) <= _SAMPLE:
        return usable
    return [usable[i * len(usable) // _SAMPLE] for i in range(_SAMPLE)]


def _is_in(entry: Entry, answer: Answer) -> bool:
    return any(recalled.id == entry.id for recalled in answer.entries)
