"""What is a domain file made of? Items, which are memories, and the prose around them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from remem.notes.domain_meta import Meta

END_LINE: Final = "<!-- remem: end -->"

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Item:
    """A memory as the file has it.

    `meta` is None where the comment is missing or broken (`fault` says how): then nothing
    is said, and what is known of the entry stays. Items with equal digests say the same;
    line breaks, white space at line ends, bullets and indentation do not count.
    """

    id: str | None
    content: str
    meta: Meta | None
    raw: str
    digest: str
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Prose:
    """Headings, remarks, blank lines and the end line: not memories."""

    raw: str

    @property
    def is_end(self) -> bool:
        return self.raw.strip() == END_LINE


@dataclass(frozen=True, slots=True)
class Document:
    """A whole file, in order."""

    segments: tuple[Item | Prose, ...]

    @property
    def complete(self) -> bool:
        """Whether the end line is there; a file that was cut off archives nothing."""
        return any(isinstance(each, Prose) and each.is_end for each in self.segments)

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(each for each in self.segments if isinstance(each, Item))

    @property
    def duplicates(self) -> tuple[str, ...]:
        """Ids that stand at more than one item."""
        counts = Counter(item.id for item in self.items if item.id is not None)
        return tuple(id_ for id_, count in counts.items() if count > 1)

    def text(self) -> str:
        return "".join(each.raw for each in self.segments)


def lines_of(text: str) -> list[str]:
    """The lines with their breaks, of any system; `str.splitlines` knows breaks that are none."""
    return _LINE.findall(text)


def digest_of(id_: str | None, visible: str, comment: str | None) -> str:
    said = "\n".join([id_ or "", comment or "", visible])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]
