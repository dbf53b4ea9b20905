"""Relations that a text states with links: `[[Ann]] works at [[Acme]]`, `- part of [[Acme]]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from remem.errors import InvalidInput, quoted
from remem.text.words import fold

_MAX_NAME_LENGTH: Final = 100
MENTIONS: Final = "mentions"
LINK_PATTERN: Final = (
    r"\[\[([^\[\]|#\n]{1,200}#?(?=\||\]\])|[^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]{0,200})?\]\]"
)
"""A link. A `#` at the end belongs to the name, as in `C#`; anywhere else it begins a heading."""
_LINK: Final = re.compile(LINK_PATTERN)
_IGNORED: Final = re.compile(r"(?:reply_to(?:_current|:.*)|audio_as_voice|[\W_]*)", re.IGNORECASE)
"""Links that name nothing: punctuation, and the marks that OpenClaw writes into its answers."""
_BETWEEN: Final = re.compile(r"[ \t]+([^\W\d_][\w '’/-]{0,60}?)[ \t]+")
_LISTED: Final = re.compile(
    r"^[ \t]*[-*+][ \t]+(?:\"([^\"\n]{1,60})\"|([^\W\d_][\w-]{0,60}))[ \t]+$"
)
_NOT_A_NAME: Final = re.compile(r"[\[\]|\n\r]|#.")


@dataclass(frozen=True, slots=True)
class Link:
    """A relation to a named thing; `subject` is None if the text itself is the subject."""

    subject: str | None
    relation: str
    target: str


def links_in(text: str) -> Iterator[Link]:
    """Yield the relations that a text states, and the names that it only mentions."""
    for line in text.split("\n"):
        links = [link for link in _LINK.finditer(line) if not _IGNORED.fullmatch(link[1])]
        used_positions: set[int] = set()
        for at in range(len(links) - 1):
            between = _BETWEEN.fullmatch(line, links[at].end(), links[at + 1].start())
            if between and at not in used_positions:
                used_positions |= {at, at + 1}
                yield Link(links[at][1].strip(), between[1], links[at + 1][1].strip())
        for at, link in enumerate(links):
            if at not in used_positions:
                match = _LISTED.match(line[: link.start()])
                relation = (match[1] or match[2]) if match else MENTIONS
                yield Link(None, relation, link[1].strip())


def relation_text(subject: str, relation: str, target: str) -> str:
    """Return the line that states a relation, in the form that `links_in` reads.

    Raise InvalidInput if a name or the relation cannot be written in this form.
    """
    name, verb, other = (" ".join(part.split()) for part in (subject, relation, target))
    for role, part in (("subject", name), ("object", other)):
        if not part or len(part) > _MAX_NAME_LENGTH or _NOT_A_NAME.search(part):
            raise InvalidInput(
                f"the {role} {quoted(part)} cannot be the name of a node",
                hint=f"use 1 to {_MAX_NAME_LENGTH} characters without [ ] |, and # only at the end",
            )
    line = f"[[{name}]] {verb} [[{other}]]"
    if next(links_in(line), None) != Link(name, verb, other):
        raise InvalidInput(
            f"the relation {quoted(relation)} cannot be written as a statement",
            hint="use words such as works at or works_at",
        )
    return line


def is_relation(content: str) -> bool:
    """Return whether a text is a single relation, perhaps with details after a colon."""
    first_line = content.partition("\n")[0]
    before, separator, _ = first_line.partition("]]: ")
    statement = f"{before}]]" if separator else first_line
    return re.fullmatch(rf"{LINK_PATTERN}[^\[\]]+{LINK_PATTERN}", statement) is not None


def observation_text(name: str, observation: str) -> str:
    """Return the line that states an observation about a named thing."""
    relation_text(name, "is a", "thing")  # raises InvalidInput if the name cannot be written
    return f"[[{' '.join(name.split())}]]: {observation.strip()}"


def relation_type(relation: str) -> str:
    """Return the type of a relationship in queries: `works at` is `WORKS_AT`."""
    return re.sub(r"\W+", "_", fold(relation).strip()).strip("_").upper() or "RELATED_TO"
