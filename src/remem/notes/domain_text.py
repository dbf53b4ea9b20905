"""How does a memory's text look in a Markdown file, and which part of the look is ours?

A file is edited with programs that strip white space at line ends, rewrite line breaks and
hide control characters. `show` gives the form of a text that survives all of that; where
it is not the text itself, the item's comment carries the exact text beside it.
"""

from __future__ import annotations

import re
from typing import Final

UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that break lines, reorder text or are not seen at all: named when shown.

The two joiners (U+200C, U+200D) stay: Persian and emoji are written with them.
"""

_FENCE: Final = "untrusted"
_FENCE_LINE: Final = re.compile(rf"(`{{3,}}){_FENCE}(?:\n|$)")


def show(content: str) -> str:
    """The text as a person sees it; applying `tidy` to it changes nothing."""
    text = content.replace("\r\n", "\n")
    text = tidy(UNSEEN.sub(_named, text))
    text = text.replace("<!--", r"<\!--").replace("^mem-", r"\^mem-")
    return "\\" + text if _FENCE_LINE.match(text) else text


def tidy(text: str) -> str:
    """The text without what editors strip: white space at line ends and around it all."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def fenced(visible: str) -> str:
    """A shown text as a code block, from which no viewer loads or renders anything."""
    longest = max(map(len, re.findall("`+", visible)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{_FENCE}", *([visible] if visible else []), fence])


def unfenced(visible: str) -> str:
    """The inverse of `fenced`; what a person wrote below the block is kept."""
    opening = _FENCE_LINE.match(visible)
    if opening is None:
        return visible
    lines = visible.split("\n")
    if opening[1] not in lines:
        return visible
    lines.remove(opening[1])
    return tidy("\n".join(lines[1:]))


def _named(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return f"⟨U+{code:04X}⟩"
