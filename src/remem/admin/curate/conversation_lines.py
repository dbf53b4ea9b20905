"""Find statements in recent conversations that may be worth keeping, for the owner to judge.

Only explicit statements become entries automatically. Others are offered for a verdict, those that
are likely to last first. Text that may have been pasted is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from remem.admin.curate.file_lines import FileLine
from remem.errors import RememError
from remem.files.locks import Signature
from remem.files.transcripts.locate import Transcript, TranscriptListing
from remem.files.transcripts.reading import open_transcript
from remem.learn.flush.items import utterances_of
from remem.model.scope import MAIN
from remem.model.statement import keep_grounded
from remem.ports.models import Extractor
from remem.text.secrets.mask import redact

_MAX_CONVERSATIONS: Final = 20
_MAX_LINES: Final = 60
_HAS_DETAILS: Final = re.compile(
    r"\d|(?<=[^\W\d_,] )[^\W\d_a-z]\w+|\b(?:every|always|never|no longer|instead|weekly|daily)\b"
)


@dataclass(frozen=True, slots=True)
class ConversationLines:
    """Reads main's latest conversations; a conversation is read again only if it has changed."""

    transcripts: Callable[[], TranscriptListing]
    extractor: Callable[[], Extractor]
    _known: dict[tuple[Path, Signature], list[FileLine]] = field(default_factory=dict)

    def __call__(self) -> list[FileLine]:
        """Return the statements of the latest conversations, the best first.

        Those that are likely to last come before others, then those with details such as a number
        or a name before others, then those of later conversations before others.
        """
        latest = self.transcripts().transcripts[-_MAX_CONVERSATIONS:]
        lines = [line for transcript in reversed(latest) for line in self._lines_of(transcript)]
        lines.sort(key=lambda line: (not line.likely, not _HAS_DETAILS.search(line.text)))
        return lines[:_MAX_LINES]

    def _lines_of(self, transcript: Transcript) -> list[FileLine]:
        key = transcript.file, transcript.signature
        if key not in self._known:
            try:
                self._known[key] = list(self._read(transcript.file))
            except RememError:
                # An unreadable conversation must not prevent curation; `remem heartbeat` names it.
                self._known[key] = []
        return self._known[key]

    def _read(self, file: Path) -> Iterator[FileLine]:
        turns = utterances_of(file, list(open_transcript(file).turns()), MAIN)
        learned = keep_grounded(self.extractor().learn(turns), turns)
        counts: dict[int, int] = {}
        for lessons in (learned.likely, learned.plain):
            for lesson in lessons:
                if lesson.origin is None or lesson.origin.position is None:
                    continue
                source, at = lesson.origin.source, lesson.origin.position
                counts[at] = counts.get(at, 0) + 1
                text, likely = redact(lesson.text).text, lessons is learned.likely
                yield FileLine(source, at, text, (), likely=likely, part=counts[at])
