"""Find the lines of a turn at which somebody else's text begins.

Such text extends to the end of its line, its paragraph or the turn. The person may continue after
it, and pasted text may pretend to be the person, so everything after a paste is in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from remem.model.authorship.pieces import (
    CHAT,
    CODE,
    FORWARDED,
    LETTER,
    LOG,
    MAIL,
    PAGE,
    QUOTED,
    ROLES,
    pattern,
    words,
)

AFTER_PASTE: Final = "it follows pasted text in the same message"
DOCUMENT: Final = "the message is laid out like a document"
LETTERLIKE: Final = "the message is written like a letter"
PROMPT: Final = "the message reads like instructions for a model"
ADDRESSED: Final = "it is addressed to other people"
CHATLIKE: Final = "it may be part of a chat log"

Reach = Literal["line", "paragraph", "end"]
_MAX_FAREWELL: Final = 80
_MAX_FRONT_MATTER: Final = 40
_QUOTE: Final = re.compile(r"\s*(?:[-*•]\s)?(?:>(?!>> )|&gt;|[│┃▌])")
_RULER: Final = re.compile(r"(?:-{3,}|\+{3,})\s*$")
_KEY: Final = re.compile(r"\s*[\w-]+\s?[:=]")
_DATA: Final = re.compile(
    r"[\[{]\s*$|[\]}][,;]?\s*$|[{\[].*[}\]],?\s*$|[\"'][\w.-]+[\"']\s*:|</?[A-Za-z!?][^<>]*>|<!--|"
    r"\^(?:mem|rem)-[0-9a-z]{8,10}\b"
)
_PROGRAM: Final = re.compile(
    r"(?:def|class|import|from \w+ import|const|let|var|function|return|public|private|#include|"
    r"SELECT|INSERT|UPDATE)\b.*[(){};=*]|.*[{};]\s*$|.*\)\s*=>|//|/\*|#!"
)
_INDENTED: Final = re.compile(r"(?: {4}|\t)\s*\S")
_BULLET: Final = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+\S")
_TABLE: Final = re.compile(r"\s*\|.*\|\s*$|[\s|:-]{5,}$")
_ADDRESS: Final = re.compile(r"\s*<?(?:https?://|www\.)\S+>?\s*$")
_IMAGE: Final = re.compile(r"\s*!\[[^\]]*\]\(")
_SUBJECT: Final = re.compile(r"(?:fwd?|wg|tr|rv|aw|re|转发|轉寄|転送)\s?:\s?\S", re.IGNORECASE)
_DASHES: Final = re.compile(r"[-–—_=*#>\s]{2,}")
_NAME: Final = re.compile(r"[-*•@\s]*([^:]{1,60}?)\s?:")


@dataclass(frozen=True, slots=True)
class ForeignText:
    """Text that begins at a line and was probably not written by the speaker.

    With a `doubt`, it may be the speaker's own.
    """

    kind: str
    reach: Reach
    doubt: str | None = None


class TurnLines:
    """The lines of a turn; it finds the foreign text that begins at a line.

    `farewell` is the line that ends a letter, if there is one.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._chat_lines = [
            at for at, line in enumerate(lines) if pattern("chat").match(line.strip())
        ]
        timed = [at for at, line in enumerate(lines) if pattern("timed").match(line.strip())]
        self._chat_lines = timed if len(timed) > max(1, len(self._chat_lines)) else self._chat_lines
        self._speaker_lines = self._find_speakers()
        self.farewell = self._find_farewell()

    def foreign_text_at(self, at: int, *, first: bool) -> ForeignText | None:
        """Return the foreign text that begins at a line, if any.

        `first` means that the speaker has written nothing before the line.
        """
        line = self.lines[at]
        bare = line.strip()
        return (
            self._find_paste(at, line, bare)
            or self._find_data(at, line, bare)
            or self._find_letter(at, bare, first=first)
            or self._find_document(at, bare)
        )

    def _find_paste(self, at: int, line: str, bare: str) -> ForeignText | None:
        if _QUOTE.match(line):
            return ForeignText(QUOTED, "paragraph")
        if (forwarded := pattern("forwarded").search(bare)) and (
            _DASHES.match(bare) or len(bare) - len(forwarded[0]) <= 12
        ):
            return ForeignText(FORWARDED, "end")
        if pattern("sender").match(bare) or _SUBJECT.match(bare) or self._count_headers(at) >= 2:
            return ForeignText(MAIL, "end")
        if _RULER.match(bare) and self._is_front_matter(at, bare):
            return ForeignText(PAGE, "end")
        if pattern("role").match(bare):
            return ForeignText(ROLES, "end")
        if at in self._chat_lines and (len(self._chat_lines) > 1 or bare[0] in "[(<"):
            return ForeignText(CHAT, "end")
        if at in self._speaker_lines:
            names = [self._name(number) for number in self._speaker_lines]
            repeated = len(set(names)) < len(names)
            return ForeignText(CHAT, "end", None if repeated else CHATLIKE)
        return None

    def _find_data(self, at: int, line: str, bare: str) -> ForeignText | None:
        if pattern("log").match(bare):
            return ForeignText(LOG, "paragraph")
        if _DATA.match(bare) or _PROGRAM.match(bare):
            return ForeignText(CODE, "paragraph")
        if _TABLE.match(line) or _IMAGE.match(line):
            return ForeignText(CODE, "line")
        if _INDENTED.match(line) and not _BULLET.match(line):
            above = self.lines[at - 1] if at else ""
            if not above.strip() or (_INDENTED.match(above) and not _BULLET.match(above)):
                return ForeignText(CODE, "line")
        return None

    def _find_letter(self, at: int, bare: str, *, first: bool) -> ForeignText | None:
        if greeting := pattern("salutation").match(bare):
            name = greeting["to"]
            to_a_person = name is None or not pattern("assistant").match(name)
            is_all = not bare[greeting.end() :].strip(" .!")  # nothing follows in the line
            has_farewell = self.farewell is not None
            if to_a_person and (not first or (is_all and has_farewell)):
                return ForeignText(LETTER, "end")
            if is_all and (to_a_person or has_farewell) and at + 1 < len(self.lines):
                return ForeignText(LETTER, "end", LETTERLIKE)
        if pattern("everyone").match(bare):
            return ForeignText(LETTER, "paragraph", ADDRESSED)
        return None

    def _find_document(self, at: int, bare: str) -> ForeignText | None:
        follows = any(line.strip() for line in self.lines[at + 1 :])
        if _HEADING.match(bare) or (_ADDRESS.match(bare) and follows):
            return ForeignText(PAGE, "end", DOCUMENT)
        return None

    def _count_headers(self, at: int) -> int:
        """Return the number of different mail headers that begin at this line."""
        names = set()
        for line in self.lines[at : at + 5]:
            match = pattern("header").match(line.strip().lstrip("*_> |-"))
            if match is None:
                break
            names.add(match["name"].lower())
        return len(names)

    def _is_front_matter(self, at: int, ruler: str) -> bool:
        keys = 0
        for line in self.lines[at + 1 : at + 1 + _MAX_FRONT_MATTER]:
            if line.strip()[:3] == ruler[:3]:
                return keys > 0
            keys += bool(_KEY.match(line))
        return False

    def _find_speakers(self) -> list[int]:
        speakers = [
            at
            for at, line in enumerate(self.lines)
            if pattern("named").match(line.strip())
            and self._name(at).lower() not in words("own_labels")
        ]
        return speakers if len(speakers) > 1 else []

    def _name(self, at: int) -> str:
        match = _NAME.match(self.lines[at].strip())
        return match[1].strip("*_ ") if match else ""

    def _find_farewell(self) -> int | None:
        """Return the line that ends a letter: a farewell with a name, or a signature separator."""
        for at, line in enumerate(self.lines):
            bare = line.strip()
            if at and bare in ("--", "—") and any(line.strip() for line in self.lines[at + 1 :]):
                return at
            if len(bare) <= _MAX_FAREWELL and pattern("farewell").match(bare):
                names_somebody = re.search(r",\s*\w", bare) or any(
                    line.strip() for line in self.lines[at + 1 :]
                )
                if at and (names_somebody or len(bare.split()) > 1):
                    return at
        return None
