"""The parts of a domain file: items (the memories), details (their metadata), and prose.

People edit the file with programs that strip white space at line ends, rewrite line breaks and hide
control characters. `show` returns a form of a text that such programs do not change. If it differs
from the text itself, the exact text is part of the item's metadata.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import Final

from remem.fast_dataclass import dataclass
from remem.files.domain_file.details import OWN_LINE, Detail
from remem.files.domain_file.metadata import INVISIBLE, Meta, entry_from
from remem.model.entry import Entry

_ID_AT_END: Final = re.compile(r"\^(?:mem|rem)-")
_FENCE: Final = "untrusted"
_FENCE_LINE: Final = re.compile(rf"(`{{3,}}){_FENCE}(?:\n|$)")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def show(content: str) -> str:
    """Return a text as a domain file shows it, in a form that editors do not change."""
    text = content.replace("\r\n", "\n")
    text = tidy(INVISIBLE.sub(_name_character, text))
    text = _ID_AT_END.sub(r"\\\g<0>", text.replace("<!--", r"<\!--"))
    text = OWN_LINE.sub(r"\g<indent>\\", text)
    return "\\" + text if _FENCE_LINE.match(text) else text


def tidy(text: str) -> str:
    """Return a text without the white space that editors strip: at line ends and around it."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def in_code_block(visible: str) -> str:
    """Return untrusted text in a code block, in which viewers load and render nothing.

    `visible` is the result of `show`.
    """
    longest = max(map(len, re.findall("`+", visible)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{_FENCE}", *([visible] if visible else []), fence])


def without_code_block(visible: str) -> str:
    """Return the inverse of `in_code_block`; text that a person added below the block is kept."""
    opening = _FENCE_LINE.match(visible)
    if opening is None:
        return visible
    lines = visible.split("\n")
    if opening[1] not in lines:
        return visible
    lines.remove(opening[1])
    return tidy("\n".join(lines[1:]))


def _name_character(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return f"⟨U+{code:04X}⟩"


@dataclass(frozen=True, slots=True)
class DomainItem:
    """A memory as it is in the file; `id` is None if the line has no id.

    `meta` is None if the file has no metadata for it, or malformed ones; `fault` then says what is
    wrong. `inline` says that the metadata are in a comment on the line, as in files of the old
    form, `fenced` that the text is in a code block for untrusted text, and `displaced` that the id
    is not at the end of the line. Two items with the same digest differ at most in line breaks,
    white space at line ends, bullets and indentation.
    """

    id: str | None
    content: str
    meta: Meta | None
    raw: str
    digest: str
    fault: str | None = None
    inline: bool = False
    fenced: bool = False
    displaced: bool = False


def entry_of(item: DomainItem, stem: str) -> Entry | None:
    """Return the entry that an item describes, to restore a lost database.

    It is None if the item lacks an id or necessary metadata.
    """
    if item.id is None or item.meta is None:
        return None
    return entry_from(item.id, item.content, item.meta, stem)


@dataclass(frozen=True, slots=True)
class DomainProse:
    """Everything that is neither a memory nor metadata, such as remarks and blank lines."""

    raw: str


@dataclass(frozen=True, slots=True)
class DomainHeading(DomainProse):
    """A heading above some of the items."""

    level: int
    title: str


@dataclass(frozen=True, slots=True)
class DomainDocument:
    """A parsed domain file; the segments are in the order of the file."""

    segments: tuple[DomainItem | DomainProse | Detail, ...]

    @property
    def complete(self) -> bool:
        """Whether the file has its end line; otherwise it may have been saved only in part."""
        return self._end is not None

    @property
    def base(self) -> str | None:
        """The digest in the end line, which identifies the write that the file is based on."""
        return self._end.mark if self._end else None

    @property
    def proof(self) -> str | None:
        """The proof in the end line (`workspace_key`)."""
        return self._end.proof if self._end else None

    @property
    def items(self) -> tuple[DomainItem, ...]:
        return tuple(segment for segment in self.segments if isinstance(segment, DomainItem))

    @property
    def details(self) -> tuple[Detail, ...]:
        return tuple(segment for segment in self.segments if isinstance(segment, Detail))

    @property
    def duplicates(self) -> tuple[str, ...]:
        """The ids that occur more than once."""
        counts = Counter(item.id for item in self.items if item.id is not None)
        return tuple(id_ for id_, count in counts.items() if count > 1)

    def text(self) -> str:
        """Return the text of the file."""
        return "".join(segment.raw for segment in self.segments)

    @property
    def _end(self) -> Detail | None:
        """The end line; the last one if two versions of the file were joined."""
        return next((detail for detail in reversed(self.details) if detail.is_end), None)


def lines_of(text: str) -> list[str]:
    """Return the lines with their breaks (LF, CRLF or CR).

    `str.splitlines` splits at other characters too.
    """
    return _LINE.findall(text)


def digest_of(id_: str | None, visible: str, metadata: str | None) -> str:
    """Return the digest of an item, from its id, its visible text and its metadata as JSON."""
    text = "\n".join([id_ or "", metadata or "", visible])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
