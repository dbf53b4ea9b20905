"""What does a host receive for lines of a file? Exactly the fields of its contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from remem.core.corpus import CorpusOutcome
from remem.core.wire import called


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
