"""Prepare the text of a turn for reading: remove tags, fences and disguised characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from remem.model.authorship.pieces import CODE, ELEMENT, FENCED

MAX_READ: Final = 20_000
BREAK: Final = "\x01"
"""The line that replaces removed pasted text; the lines after it may still be part of the paste."""
_INVISIBLE: Final = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]")
_FULLWIDTH: Final = re.compile("[\uff21-\uff3a\uff41-\uff5a]{3}")
_FENCE: Final = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\Z)", re.DOTALL | re.MULTILINE
)
_PROSE: Final = re.compile(
    r"(?:[^\W\d_]+[,']? ){6,}[^\W\d_]+[.!?]|[\u3040-\u30ff\u4e00-\u9fff]{8,}"
)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w-]{0,60})(?:\s[^<>]{0,400})?>")
_PLAIN: Final = str.maketrans(
    {"：": ":", "＞": ">", "﹕": ":", "\u00a0": " ", "\u3000": " ", "﹥": ">"}
    | {code: code - 0xFEE0 for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
)


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A text that is ready to be divided.

    `removed` are the kinds of text that were removed from it. `disguised` means that it had
    invisible characters or letters that look like others.
    """

    text: str
    removed: tuple[str, ...]
    disguised: bool


def prepare(text: str) -> PreparedText:
    """Return a turn without tags and what they enclose, fenced text and invisible characters."""
    raw = text.replace(BREAK, "").replace("\r\n", "\n")[:MAX_READ]
    visible = _INVISIBLE.sub("", raw)
    bare = without_elements(visible, BREAK) if "</" in visible else visible
    unfenced = _FENCE.sub(_replace_fence, bare)
    removed = [ELEMENT] if bare != visible else []
    if unfenced != bare:
        removed.append(FENCED if BREAK in unfenced else CODE)
    invisible = _INVISIBLE.search(raw.removeprefix("\ufeff"))
    disguised = invisible is not None or _FULLWIDTH.search(visible) is not None
    return PreparedText(unfenced, tuple(removed), disguised)


def with_plain_signs(line: str) -> str:
    """Return a line with plain colons, spaces, quote markers and Latin letters."""
    return line.translate(_PLAIN)


def without_elements(text: str, doubtful: str = "") -> str:
    """Return the text outside of elements such as `<page>…</page>`, as separate paragraphs.

    A tag that is never closed encloses nothing. `doubtful` is put in the place of an element whose
    name is closed more than once, because the enclosed text may have closed it too early.
    """
    closings = Counter(tag[2] for tag in _TAG.finditer(text) if tag[1])
    parts: list[str] = []
    for outside, name in _parts_outside_elements(text):
        parts.append(outside.strip())
        parts.append(doubtful if closings[name] > 1 else "")
    return "\n\n".join(parts).strip()


def _parts_outside_elements(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts outside of elements, each with the name of the element that follows."""
    at, inside, depth = 0, "", 0
    unclosed: set[str] = set()
    for tag in _TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2]
        if inside:
            depth += (-1 if closing else 1) if name == inside else 0
            if depth == 0:
                at, inside = tag.end(), ""
        elif not closing and name not in unclosed:
            if text.find(f"</{name}>", tag.end()) < 0:
                unclosed.add(name)
                continue
            yield text[at : tag.start()], name
            inside, depth = name, 1
    if not inside:
        yield text[at:], ""


def _replace_fence(fence: re.Match[str]) -> str:
    """Return the replacement of a fenced text; prose, unlike code, may continue after its fence."""
    return f"\n\n{BREAK}\n\n" if _PROSE.search(fence[0]) else "\n\n"
