"""Are the domain files Markdown that memory_get reads, line by line to the last?"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from remem.core.homes import UNTRUSTED
from remem.core.odd_names import printable
from remem.core.outline import lines_of
from remem.disclosure.excerpt import Excerpt
from remem.errors import RememError
from remem.maintenance.validation.result import Check, judged
from remem.notes import files
from remem.notes.domain_file import faults, taken_apart
from remem.notes.layout import Layout

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
        data = files.read(path) or b""
        text = files.text_of(data, path)
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
