"""What did the host put around a person's words? Its envelopes and contexts are taken off.

OpenClaw writes who spoke, where and when before the words: in brackets, or as JSON under a
heading. It also adds what its own memory found and what its runtime has to say. All of it is
told by its form; what has none of these forms is left as it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remem.notes.transcripts.cleaning import without_blocks

_BRACKETS: Final = re.compile(
    r"""\s* \[ (?:
        [A-Za-z][^\]\n]{0,300}? \d{4}-\d\d-\d\d[ T]\d\d:\d\d [^\]\n]{0,60}
      | [A-Za-z][\w-]{1,30}[ ][^\]\n]{0,300}? (?:\bid:\S|[ ]\+\d{1,4}[smhd]\b) [^\]\n]{0,80}
    ) \] [ ]?""",
    re.VERBOSE,
)
_HEADING: Final = re.compile(
    r"[^\n]{1,100}(?:\(untrusted(?: metadata|,[^)\n]{1,40})\):|⟦openclaw:ctx⟧)\s*"
)
_MARK: Final = "⟦openclaw:ctx⟧"
_TO_THE_END: Final = (f"Context: {_MARK}", "Untrusted context (metadata,")
_MESSAGE_ID: Final = re.compile(r"\[[a-z_ ]{0,30}message[_ ]id: [^\]\n]{0,200}\]\s*")
_CURRENT: Final = "[Current message - respond to this]"
_SYSTEM_LINE: Final = re.compile(r"System(?: \(untrusted\))?: ")
_HINTS: Final = ("Delivery: to send a message,", "Delivery: Final assistant text ")
_RECALLED: Final = ("active_memory_plugin", "relevant-memories", "relevant_memories", "remem")
_ABOVE_RECALLED: Final = re.compile(
    r"^(?:Context:|Untrusted context \(metadata,[^\n]{0,100})[ \t]*\n(?=<active_memory_plugin>)",
    re.M,
)
_DIRECTIVE: Final = re.compile(
    r"\[\[\s{0,4}(?:reply_to_current|reply_to\s{0,4}:[^\]\n]{0,100}|audio_as_voice)\s{0,4}\]\]"
)
_BEGIN: Final = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
_END: Final = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
_RUNTIME: Final = "OpenClaw runtime "
_NOTICE: Final = "This context is runtime-generated, not user-authored."


@dataclass(frozen=True, slots=True)
class Heard:
    """What is left of a user's turn. Who came in an envelope is a person, not the host."""

    text: str
    enveloped: bool


def unwrapped(raw: str) -> Heard:
    """A user's words without what the host has put around them."""
    text = _ABOVE_RECALLED.sub("", raw.replace("\r\n", "\n"))
    text = without_runtime(without_blocks(text, _RECALLED))
    lines = _after_system_lines(text.split("\n"))
    kept, enveloped = _without_metadata(lines)
    body = "\n".join(kept).strip()
    if _CURRENT in body:
        body, enveloped = body.rpartition(_CURRENT)[2].strip(), True
    if brackets := _BRACKETS.match(body):
        body, enveloped = body[brackets.end() :], True
    return Heard(body, enveloped)


def spoken(raw: str) -> str:
    """An assistant's words without the runtime's context and the orders to the channel."""
    return _DIRECTIVE.sub("", without_runtime(raw.replace("\r\n", "\n")))


def without_runtime(text: str) -> str:
    """A block that is never closed goes to the end: better a lost word than an internal one."""
    if _BEGIN not in text and _NOTICE not in text:
        return text
    kept, depth = list[str](), 0
    lines = text.split("\n")
    for at, line in enumerate(lines):
        bare = line.strip()
        if bare == _BEGIN:
            depth += 1
        elif bare == _END and depth:
            depth -= 1
        elif not depth:
            following = lines[at + 1] if at + 1 < len(lines) else ""
            if bare.startswith(_RUNTIME) and following.strip().startswith(_NOTICE):
                break
            kept.append(line)
    return "\n".join(kept)


def after_system_lines(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(lines[_system_lines(lines) :]).strip()


def _after_system_lines(lines: list[str]) -> list[str]:
    """Events that the host has put before a person's words go, if those words really come in
    an envelope; else they are the whole turn, and it is judged by them."""
    rest = lines[_system_lines(lines) :]
    if rest and (_HEADING.fullmatch(rest[0]) or _BRACKETS.match(rest[0])):
        return rest
    return lines


def _system_lines(lines: list[str]) -> int:
    at = 0
    while at < len(lines) and (not lines[at].strip() or _SYSTEM_LINE.match(lines[at])):
        at += 1
    return at


def _without_metadata(lines: list[str]) -> tuple[list[str], bool]:
    """The lines that are left, and whether any of them told of a person's message."""
    kept, at, enveloped = list[str](), 0, False
    while at < len(lines):
        bare = lines[at].strip()
        if bare.startswith(_TO_THE_END):
            break
        end = at + 1 if _MESSAGE_ID.fullmatch(bare) else _end_of_metadata(lines, at)
        if end:
            enveloped, at = True, end
            continue
        if not bare.startswith(_HINTS):
            kept.append(lines[at])
        at += 1
    return kept, enveloped


def _end_of_metadata(lines: list[str], at: int) -> int | None:
    """Where the words go on after a heading with its JSON, or with its lines up to a blank."""
    heading = lines[at].strip()
    if not _HEADING.fullmatch(heading):
        return None
    fenced = at + 1 < len(lines) and lines[at + 1].strip() == "```json"
    if not fenced and not heading.endswith(_MARK):
        return None
    last = "```" if fenced else ""
    for i in range(at + 1 + fenced, len(lines)):
        if lines[i].strip() == last:
            return i + 1
    return len(lines)
