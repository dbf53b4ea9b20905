"""The end line of a domain file: which of our writes it is based on, and a proof of that.

An editor may have had a file open for an hour; what was stored meanwhile is missing from its
save, but was not removed. So the end line carries a mark of the items that we wrote, and the
save brings it back. Behind it stands a keyed checksum of the same items (`notes/checksums.py`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Final

from remem.notes.domain_item import END_LINE

_END: Final = re.compile(
    r"^<!-- remem: end(?: (?P<mark>[0-9a-f]{8})(?: (?P<proof>[0-9a-f]{16}))?)? -->", re.MULTILINE
)


def ground_of(items: Mapping[str, str]) -> str:
    """The mark of a set of items, by their ids and digests."""
    return hashlib.sha256(json.dumps(sorted(items.items())).encode()).hexdigest()[:8]


def stamped(text: str, items: Mapping[str, str], proof: str | None = None) -> str:
    """The text of a file with its end line marked."""
    head, end, tail = text.rpartition(END_LINE)
    mark = " ".join(filter(None, (ground_of(items), proof)))
    return f"{head}<!-- remem: end {mark} -->{tail}" if end else text


def unstamped(text: str) -> tuple[str, str | None]:
    """The text with a plain end line, and the mark that it had."""
    found = list(_END.finditer(text))
    if not found:
        return text, None
    last = found[-1]
    return f"{text[: last.start()]}{END_LINE}{text[last.end() :]}", last["mark"]


def proof_in(data: bytes) -> str | None:
    """The checksum that the end line of a file carries."""
    found = list(_END.finditer(data.decode(errors="replace")))
    return found[-1]["proof"] if found else None


def is_complete(data: bytes) -> bool:
    """Whether the end line is there, marked or not."""
    return _END.search(data.decode(errors="replace")) is not None
