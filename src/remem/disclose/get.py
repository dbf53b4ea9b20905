"""Read lines of a memory file, within the limits and in the format that hosts expect."""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Final

from remem.disclose.gate_guard import GATE_FIRST, LIMIT, GateGuard
from remem.disclose.path_access import NOT_ALLOWED, PathRefusal, ResolvedPath, resolve_path
from remem.errors import FileError, GateFirst, InvalidInput, NotAllowed, quoted
from remem.fast_dataclass import dataclass
from remem.files.layout import Layout
from remem.files.memory_files import hard_link_rule
from remem.files.safe_open import OpenedFile, UnsafePath, identities, read_below
from remem.files.walking import ExtraPath, resolve_extra_paths
from remem.model.arguments import (
    DEFAULT_LINES,
    GET_CORPORA,
    NO_WIKI,
    WIKI_OUTCOME,
    Corpus,
    CorpusOutcome,
    checked_corpus,
    cut_utf16,
    named_in_json,
    positive_integer,
    utf16_length,
)
from remem.model.domain_routing import UNTRUSTED
from remem.model.scope import Session
from remem.text.path_escapes import from_printable
from remem.text.untrusted import fence_untrusted

MAX_CHARACTERS: Final = 12_000
_MORE_NOTICE: Final = "[More content available. Use from={} to continue.]"
_LONG_LINE_NOTICE: Final = (
    "[More content available. Requested excerpt exceeded the default maxChars budget. "
    "If you need the full raw line, use read on the source file.]"
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, or the reason why they cannot be read; answers omit fields that are None."""

    indent: ClassVar[int] = 2  # hosts expect this answer as indented JSON

    status: str | None = None
    text: str = ""
    path: str = ""
    from_line: int | None = field(default=None, metadata=named_in_json("from"))
    lines: int | None = None
    truncated: bool | None = None
    next_from: int | None = field(default=None, metadata=named_in_json("nextFrom"))
    code: str | None = None
    error: str | None = None
    corpora: tuple[CorpusOutcome, ...] | None = None
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class GetRequest:
    """A checked request for lines of a file."""

    path: str
    from_line: int
    lines: int
    corpus: Corpus


def check_request(path: Any, from_line: Any, lines: Any, corpus: Any) -> GetRequest:
    """Check the arguments; errors use the wording that hosts expect."""
    if not isinstance(path, str) or not path.strip():
        raise InvalidInput("path required")
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"path {quoted(path)} contains an unpaired surrogate at position {error.start}"
            " and cannot be encoded",
            hint="pass valid Unicode",
        ) from None
    return GetRequest(
        path.strip(),
        1 if from_line is None else positive_integer(from_line, "from"),
        DEFAULT_LINES if lines is None else positive_integer(lines, "lines"),
        checked_corpus(corpus, GET_CORPORA) or "memory",
    )


@dataclass(frozen=True, slots=True)
class MemoryFileReader:
    """Reads memory files for one session."""

    session: Session
    layout: Layout
    extra_paths: tuple[str, ...] = ()
    guard: GateGuard | None = None
    """The guard of the conversation, if the reads belong to one."""

    def __call__(self, request: GetRequest, nonce: str) -> Excerpt:
        if request.corpus == "wiki":
            return Excerpt(path=request.path, corpora=(WIKI_OUTCOME,), warning=NO_WIKI)
        excerpt = self._read(request, nonce)
        if request.corpus == "all" and excerpt.status == "not_found":
            return replace(excerpt, corpora=(CorpusOutcome("memory", "ok"), WIKI_OUTCOME))
        return excerpt

    def _read(self, request: GetRequest, nonce: str) -> Excerpt:
        extra_paths = self._resolved_extra_paths()
        resolved = resolve_path(self.session, request.path, self.layout, extra_paths)
        if isinstance(resolved, PathRefusal):
            return _refused_excerpt(request.path, resolved)
        if self.guard and (refusal := self.guard.check_read(resolved.path)):
            return _refused_excerpt(request.path, refusal)
        assert self.session.scope is not None
        try:
            content = read_resolved(resolved, hard_link_rule(self.layout, self.session.scope))
        except UnsafePath:
            return _refused_excerpt(request.path, NOT_ALLOWED)
        except OSError as error:
            return _failed_excerpt(request.path, error)
        if self.guard:
            data = content.data if content else None
            self.guard.record_read(resolved.path, data, from_start=request.from_line == 1)
        if content is None:
            return Excerpt("not_found", path=resolved.path)
        excerpt, notice = _lines_of(content.data.decode(errors="replace"), resolved.path, request)
        if excerpt.text and self._is_untrusted(content):
            excerpt = replace(excerpt, text=fence_untrusted(excerpt.text, nonce))
        return replace(excerpt, text=excerpt.text + notice)

    def _resolved_extra_paths(self) -> list[ExtraPath]:
        """Return the owner's extra paths; other sessions have none."""
        if self.session.kind != "main":
            return []
        return resolve_extra_paths(self.layout, self.extra_paths)[0]

    def _is_untrusted(self, opened_file: OpenedFile) -> bool:
        """Return whether the file contains untrusted entries.

        Files are compared by identity, so that a link to such a file is fenced too.
        """
        assert self.session.scope is not None
        domains = self.layout.domains(self.session.scope)
        return opened_file.identity in identities(sorted(domains.glob(f"{UNTRUSTED}*.md")))


def read_resolved(
    resolved: ResolvedPath, refuse: Callable[[os.stat_result], str | None]
) -> OpenedFile | None:
    """Read a file by its name or an equivalent spelling; None if there is no such file.

    The spellings are the Unicode normal forms and, for a name that is not UTF-8, the original name
    behind its printable form.
    """
    spellings = [
        resolved.parts,
        tuple(unicodedata.normalize("NFC", part) for part in resolved.parts),
        tuple(unicodedata.normalize("NFD", part) for part in resolved.parts),
        tuple(from_printable(part) or part for part in resolved.parts),
    ]
    for parts in dict.fromkeys(spellings):
        content = read_below(
            resolved.folder, parts, refuse, follow_folder=resolved.folder_may_be_link
        )
        if content is not None:
            return content
    return None


def _lines_of(text: str, path: str, request: GetRequest) -> tuple[Excerpt, str]:
    """Return the requested lines, and a notice if more follow."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    start = request.from_line - 1
    selected = lines[start : start + request.lines]
    excerpt = Excerpt("ok", path=path, from_line=request.from_line, lines=0)
    if not selected:
        return excerpt, ""
    if utf16_length(selected[0]) > MAX_CHARACTERS:
        head = cut_utf16(selected[0], MAX_CHARACTERS)
        return replace(excerpt, text=head, lines=1, truncated=True), f"\n\n{_LONG_LINE_NOTICE}"
    fitting = selected[: _count_fitting(selected)]
    excerpt = replace(excerpt, text="\n".join(fitting), lines=len(fitting))
    following = request.from_line + len(fitting)
    if following > len(lines):
        return excerpt, ""
    return (
        replace(excerpt, truncated=True, next_from=following),
        f"\n\n{_MORE_NOTICE.format(following)}",
    )


def _count_fitting(lines: Sequence[str]) -> int:
    """Return how many of the lines fit into the maximum number of characters."""
    available = MAX_CHARACTERS + 1  # the last line has no line end
    for count, line in enumerate(lines):
        available -= utf16_length(line) + 1
        if available < 0:
            return count
    return len(lines)


def require_read(excerpt: Excerpt) -> Excerpt:
    """Return the excerpt; raise an error with the reason if the file could not be read."""
    if excerpt.status == "ok":
        return excerpt
    if excerpt.status == "not_found":
        raise FileError(
            f"there is no memory file {excerpt.path}",
            hint="`remem search` shows the paths of memory files",
        )
    reason = excerpt.error or excerpt.warning or "it cannot be read"
    if excerpt.code == GATE_FIRST:
        raise GateFirst(reason)
    if excerpt.code in (NOT_ALLOWED.code, LIMIT):
        raise NotAllowed(f"{excerpt.path}: {reason}")
    raise FileError(f"{excerpt.path}: {reason}")


def _refused_excerpt(path: str, refusal: PathRefusal) -> Excerpt:
    return Excerpt("error", path=path, code=refusal.code, error=refusal.error)


def _failed_excerpt(path: str, error: OSError) -> Excerpt:
    """Report an error of the operating system, without the file's location on disk."""
    code = errno.errorcode.get(error.errno or 0, "MEMORY_READ_FAILED")
    return Excerpt("error", path=path, code=code, error=error.strerror or str(error))
