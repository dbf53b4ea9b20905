"""Which lines of a memory file does the asker receive? Whole lines, within the host's limits.

What does a host receive for lines of a file? Exactly the fields of its contract.
"""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from remem.disclose.gate_guard import Entry
from remem.disclose.path_access import NOT_ALLOWED, Refusal, Way, may_open
from remem.errors import InvalidInput, shown
from remem.files.layout import Layout
from remem.files.memory_files import second_names
from remem.files.safe_open import Astray, Beneath, identities, read_beneath
from remem.files.walking import Place, extra_places
from remem.model.arguments import (
    LINES,
    NO_WIKI,
    READ,
    WIKI,
    Corpus,
    CorpusOutcome,
    checked_corpus,
    positive,
)
from remem.model.domain_routing import UNTRUSTED
from remem.model.scope import Session
from remem.text.host_json import called, cut, units
from remem.text.odd_names import actual
from remem.text.untrusted import fenced


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, or why there are none; what is None is left out."""

    indent: ClassVar[int] = 2

    status: str | None = None
    text: str = ""
    path: str = ""
    from_line: int | None = field(default=None, metadata=called("from"))
    lines: int | None = None
    truncated: bool | None = None
    next_from: int | None = field(default=None, metadata=called("nextFrom"))
    code: str | None = None
    error: str | None = None
    corpora: tuple[CorpusOutcome, ...] | None = None
    warning: str | None = None


CHARACTERS: Final = 12_000
_MORE: Final = "[More content available. Use from={} to continue.]"
_TOO_LONG: Final = (
    "[More content available. Requested excerpt exceeded the default maxChars budget. "
    "If you need the full raw line, use read on the source file.]"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which lines somebody wants to see."""

    path: str
    from_line: int
    lines: int
    corpus: Corpus


def asked(path: Any, from_line: Any, lines: Any, corpus: Any) -> Asked:
    """The wish, if it can be one; refused in the words of the host's contract."""
    if not isinstance(path, str) or not path.strip():
        raise InvalidInput("path required")
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"path {shown(path)} holds half of a character at position {error.start}"
        ) from None
    return Asked(
        path.strip(),
        1 if from_line is None else positive(from_line, "from"),
        LINES if lines is None else positive(lines, "lines"),
        checked_corpus(corpus, READ) or "memory",
    )


@dataclass(frozen=True, slots=True)
class Get:
    """Reads memory files for one session."""

    session: Session
    layout: Layout
    extra_paths: tuple[str, ...] = ()
    entry: Entry | None = None
    """The way into a group's files, where this is asked for one conversation."""

    def __call__(self, wish: Asked, nonce: str) -> Excerpt:
        if wish.corpus == "wiki":
            return Excerpt(path=wish.path, corpora=(WIKI,), warning=NO_WIKI)
        excerpt = self._read(wish, nonce)
        if wish.corpus == "all" and excerpt.status == "not_found":
            return replace(excerpt, corpora=(CorpusOutcome("memory", "ok"), WIKI))
        return excerpt

    def _read(self, wish: Asked, nonce: str) -> Excerpt:
        way = may_open(self.session, wish.path, self.layout, self._extra())
        if isinstance(way, Refusal):
            return _refused(wish.path, way)
        if self.entry and (refusal := self.entry.before(way.path)):
            return _refused(wish.path, refusal)
        assert self.session.scope is not None
        try:
            found = found_at(way, second_names(self.layout, self.session.scope))
        except Astray:
            return _refused(wish.path, NOT_ALLOWED)
        except OSError as error:
            return _failed(wish.path, error)
        if self.entry:
            data = found.data if found else None
            self.entry.after(way.path, data, from_start=wish.from_line == 1)
        if found is None:
            return Excerpt("not_found", path=way.path)
        excerpt, notice = _lines_of(found.data.decode(errors="replace"), way.path, wish)
        if excerpt.text and self._holds_strangers_words(found):
            excerpt = replace(excerpt, text=fenced(excerpt.text, nonce))
        return replace(excerpt, text=excerpt.text + notice)

    def _extra(self) -> list[Place]:
        """The owner's other places; nobody else's session looks for them."""
        if self.session.kind != "main":
            return []
        return extra_places(self.layout, self.extra_paths)[0]

    def _holds_strangers_words(self, found: Beneath) -> bool:
        """Judged by the file itself: another name of it does not take the fence away."""
        assert self.session.scope is not None
        domains = self.layout.domains(self.session.scope)
        return found.identity in identities(sorted(domains.glob(f"{UNTRUSTED}*.md")))


def found_at(way: Way, refuse: Callable[[os.stat_result], str | None]) -> Beneath | None:
    """The file as it is named, or spelled as another system would spell its accents; or one whose
    name is not UTF-8, by its printable form."""
    spellings = [
        way.parts,
        *(tuple(_normal(form, part) for part in way.parts) for form in ("NFC", "NFD")),
        tuple(actual(part) or part for part in way.parts),
    ]
    for parts in dict.fromkeys(spellings):
        found = read_beneath(way.folder, parts, refuse, follow_folder=way.follow_folder)
        if found is not None:
            return found
    return None


def _normal(form: Any, part: str) -> str:
    return unicodedata.normalize(form, part)


def _lines_of(text: str, path: str, wish: Asked) -> tuple[Excerpt, str]:
    """The wanted lines, and the notice that more are left."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    start = wish.from_line - 1
    wanted = lines[start : start + wish.lines]
    excerpt = Excerpt("ok", path=path, from_line=wish.from_line, lines=0)
    if not wanted:
        return excerpt, ""
    if units(wanted[0]) > CHARACTERS:
        head = cut(wanted[0], CHARACTERS)
        return replace(excerpt, text=head, lines=1, truncated=True), f"\n\n{_TOO_LONG}"
    fitting = wanted[: _how_many_fit(wanted)]
    excerpt = replace(excerpt, text="\n".join(fitting), lines=len(fitting))
    following = wish.from_line + len(fitting)
    if following > len(lines):
        return excerpt, ""
    return (
        replace(excerpt, truncated=True, next_from=following),
        f"\n\n{_MORE.format(following)}",
    )


def _how_many_fit(lines: Sequence[str]) -> int:
    room = CHARACTERS + 1  # the last line is followed by none
    for count, line in enumerate(lines):
        room -= units(line) + 1
        if room < 0:
            return count
    return len(lines)


def _refused(path: str, why: Refusal) -> Excerpt:
    return Excerpt("error", path=path, code=why.code, error=why.error)


def _failed(path: str, error: OSError) -> Excerpt:
    """The system's trouble by its own name; never the place of the file on the disk."""
    code = errno.errorcode.get(error.errno or 0, "MEMORY_READ_FAILED")
    return Excerpt("error", path=path, code=code, error=error.strerror or str(error))
