"""What is left of a statement where a page has room for its gist? Its first sentences."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from remem.core.likeness import sentences
from remem.core.marked_line import one_line
from remem.core.secrets import redact

LONGEST: Final = 240
_BELOW: Final = re.compile(r"[ \t]*(?:```|~~~|[-*+•][ \t]|\d+[.)][ \t])")


def gist(text: str, longest: int = LONGEST) -> str:
    """One line of whole sentences, as many as fit; a longer one is cut at a word. Code and what
    is nested below say more than a gist."""
    own = takewhile(lambda line: not _BELOW.match(line), text.strip().split("\n"))
    line = one_line(redact(" ".join(own)).text)
    if len(line) <= longest:
        return line
    kept = ""
    for each in sentences(line):
        longer = f"{kept} {each}".strip()
        if len(longer) > longest:
            break
        kept = longer
    if kept:
        return kept
    head = line[: longest - 1]
    return f"{head.rsplit(' ', 1)[0] if ' ' in head[longest // 2 :] else head}…"
