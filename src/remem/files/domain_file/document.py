"""The parts of a domain file: items, which are memories, their metadata comments, and prose.

People edit the file with programs that strip white space at line ends, rewrite line breaks and hide
control characters. `show` returns the form of a text that survives all of that; if it differs from
the text, the item's comment also contains the exact text. The comment is one JSON object with
sorted keys; default values are left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, Final

from remem.errors import shown
from remem.model.domain_routing import STEMS
from remem.model.entry import (
    CATEGORIES,
    PRIORITIES,
    TRUSTS,
    Category,
    Entry,
    Origin,
    Priority,
    Trust,
)

INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that break lines, reorder text or are invisible; `show` makes them visible.

The two joiners (U+200C, U+200D) are not among them: Persian and emoji need them.
"""

_FENCE: Final = "untrusted"
_FENCE_LINE: Final = re.compile(rf"(`{{3,}}){_FENCE}(?:\n|$)")


def show(content: str) -> str:
    """The text as a domain file shows it; applying `tidy` to it changes nothing."""
    text = content.replace("\r\n", "\n")
    text = tidy(INVISIBLE.sub(_name_character, text))
    text = text.replace("<!--", r"<\!--").replace("^mem-", r"\^mem-")
    return "\\" + text if _FENCE_LINE.match(text) else text


def tidy(text: str) -> str:
    """The text without what editors strip: white space at line ends and around the text."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def fenced(visible: str) -> str:
    """The result of `show` as a code block, in which viewers load and render nothing."""
    longest = max(map(len, re.findall("`+", visible)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{_FENCE}", *([visible] if visible else []), fence])


def unfenced(visible: str) -> str:
    """The inverse of `fenced`; text that a person added below the block is kept."""
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


CATEGORY_OF: Final[dict[str, Category]] = {stem: category for category, stem in STEMS.items()}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # a lone surrogate has no UTF-8 form and could never be stored
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_text(item) for item in value)


def _origins(value: object) -> tuple[Origin, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_origin(item) for item in value)


def _origin(value: object) -> Origin:
    if not isinstance(value, dict):
        raise TypeError
    texts = dict(value)
    position = texts.pop("position", None)
    if position is not None and type(position) is not int:
        raise TypeError
    return Origin(position=position, **{key: _text(text) for key, text in texts.items()})


def _one_of(choices: tuple[str, ...]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError
        return value

    return read


def _key(read: Callable[[object], object], entry_field: str | None) -> dict[str, Any]:
    """A key of the comment: the function that checks its value, and the same field of `Entry`."""
    return {"read": read, "entry_field": entry_field}


@dataclass(frozen=True, slots=True)
class Meta:
    """The metadata in a comment. If `category` is None, the category is that of the file; `exact`
    is the exact text, if the visible text differs from it."""

    category: Category | None = field(default=None, metadata=_key(_one_of(CATEGORIES), "category"))
    priority: Priority = field(default="medium", metadata=_key(_one_of(PRIORITIES), "priority"))
    trust: Trust = field(default="agent", metadata=_key(_one_of(TRUSTS), "trust"))
    tags: tuple[str, ...] = field(default=(), metadata=_key(_texts, "tags"))
    context: str | None = field(default=None, metadata=_key(_text, "context"))
    created: str | None = field(default=None, metadata=_key(_text, "created_at"))
    updated: str | None = field(default=None, metadata=_key(_text, "updated_at"))
    expires: str | None = field(default=None, metadata=_key(_text, "expires_at"))
    related: tuple[str, ...] = field(default=(), metadata=_key(_texts, "related_to"))
    source: str = field(default="session", metadata=_key(_text, "source"))
    origins: tuple[Origin, ...] = field(default=(), metadata=_key(_origins, "origins"))
    exact: str | None = field(default=None, metadata=_key(_text, None))


_KEYS: Final = {key.name: key for key in fields(Meta)}
_READERS: Final = {name: key.metadata["read"] for name, key in _KEYS.items()}
_values: Final = attrgetter(*_KEYS)
_DEFAULTS: Final = _values(Meta())
ENTRY_FIELDS: Final[tuple[str, ...]] = tuple(
    key.metadata["entry_field"] for key in _KEYS.values() if key.metadata["entry_field"]
)
"""The fields of an entry that its comment contains; its text and id are next to the comment."""
_entry_values: Final = attrgetter(*ENTRY_FIELDS)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def meta_of(entry: Entry, stem: str, exact: str | None = None) -> Meta:
    """The metadata of an entry in the domain file `stem`."""
    return replace(
        Meta(*_entry_values(entry)),
        category=None if CATEGORY_OF.get(stem) == entry.category else entry.category,
        updated=None if entry.updated_at == entry.created_at else entry.updated_at,
        exact=exact,
    )


def entry_of(item: Item, stem: str) -> Entry | None:
    """The entry that an item describes; None if data is missing. Used to restore a database."""
    meta = item.meta
    if item.id is None or meta is None or meta.created is None:
        return None
    category = meta.category or CATEGORY_OF.get(stem)
    if category is None:
        return None
    complete = replace(meta, category=category, updated=meta.updated or meta.created)
    values = dict(zip(ENTRY_FIELDS, _values(complete), strict=False))  # `exact` is left over
    return Entry(id=item.id, content=item.content, **values)


def write_meta(meta: Meta) -> str:
    """The JSON of a comment: one line that can neither end the comment nor start another."""
    values = {
        key: _plain(value)
        for key, value, default in zip(_KEYS, _values(meta), _DEFAULTS, strict=True)
        if value != default
    }
    text = _ENCODER.encode(values)
    text = text.replace("--", r"\u002d\u002d").replace("<", r"\u003c").replace(">", r"\u003e")
    return INVISIBLE.sub(lambda match: json.dumps(match.group())[1:-1], text)


def read_meta(text: str) -> Meta:
    """The inverse of `write_meta`; ValueError if the comment is malformed."""
    try:
        values = json.loads(text, object_pairs_hook=_object)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")
    return Meta(**{key: _read(key, value) for key, value in values.items()})


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("it has a duplicate key")
    return values


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Origin):
        return {key: part for key, part in asdict(value).items() if part is not None}
    return value


def _read(key: str, value: object) -> Any:
    if key not in _READERS:
        raise ValueError(f"it has an unknown key {shown(key)}")
    try:
        return _READERS[key](value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{key} cannot be {shown(value)}") from error


END_LINE: Final = "<!-- remem: end -->"

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Item:
    """A memory as it is in the file.

    `meta` is None if the comment is missing or malformed (`fault` is the reason); the entry then
    keeps its metadata. Items with equal digests are equal: line breaks, white space at line ends,
    bullets and indentation do not count.
    """

    id: str | None
    content: str
    meta: Meta | None
    raw: str
    digest: str
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Prose:
    """Headings, remarks, blank lines and the end line: everything that is not a memory."""

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
        """Whether the file has its end line; entries missing from a truncated file are not
        archived."""
        return any(isinstance(segment, Prose) and segment.is_end for segment in self.segments)

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(segment for segment in self.segments if isinstance(segment, Item))

    @property
    def duplicates(self) -> tuple[str, ...]:
        """The ids that occur more than once."""
        counts = Counter(item.id for item in self.items if item.id is not None)
        return tuple(id_ for id_, count in counts.items() if count > 1)

    def text(self) -> str:
        return "".join(segment.raw for segment in self.segments)


def lines_of(text: str) -> list[str]:
    """The lines with their breaks (LF, CRLF or CR); `str.splitlines` splits at other characters
    too."""
    return _LINE.findall(text)


def digest_of(id_: str | None, visible: str, comment: str | None) -> str:
    text = "\n".join([id_ or "", comment or "", visible])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
