"""Recognise the text that OpenClaw adds to a conversation, by its form.

OpenClaw writes an envelope in front of a person's message: who spoke, where and when, in brackets
or as JSON under a heading. It adds results from its memory and messages from its runtime. It also
generates whole turns, such as scheduled prompts, heartbeats and events.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from remem.files.transcripts.records import without_blocks

_GENERATED: Final = re.compile(
    r"""
      System(?:[ ]\(untrusted\))?:[ ]?\[          # a host event
    | \[cron:[^\]]{1,300}\]                       # a scheduled prompt
    | \[Inter-session[ ]message\]                 # another session of the agent
    | \[Internal[ ]task[ ]completion[ ]event\]
    | (?i:exec[ ]finished)(?::|\s?\()             # a background command
    | (?i:exec[ ](?:completed|failed|killed)[ ]\([\w-]{1,64},[ ](?:code|signal)[ ]-?\w{1,20}\))
    | A[ ]new[ ]session[ ]was[ ]started[ ]via[ ]/new[ ]or[ ]/reset\.
    | Pre-compaction[ ]memory[ ]flush
    """,
    re.VERBOSE,
)
_HEARTBEAT: Final = ("Read HEARTBEAT.md", "Run the following periodic tasks")
_HEARTBEAT_INSTRUCTION: Final = re.compile(
    r"(?i:\b(?:if|after|when|unless|otherwise|else)\b)[^?]{0,400}?"
    r"(?i:reply|respond|answer|return|say|output)(?: with)?(?: only| exactly| just)?:? ?"
    r"[\"'`*]{0,3}HEARTBEAT_OK"
)
_NO_REPLY: Final = re.compile(
    r"""(?i:[*_`"'\s]{0,6}(?:HEARTBEAT_OK|NO_REPLY)[*_`"'.!\s]{0,6}"""
    r"""|\{\s?"\w{1,20}"\s?:\s?"NO_REPLY"\s?\})"""
)
_NOT_A_PERSON: Final = ("inter_session", "internal_system")
_MEMORY_TOOL: Final = re.compile(r"(?:.*__)?memory_\w+|remem(?:__.*)?", re.DOTALL)
_MACHINE_KEY: Final = re.compile(
    r"(?:agent:[^:]+:)?dreaming-narrative-.* | agent:[^:]+:cron:[^:]+:run:[^:]+",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_KEY_FIELDS: Final = ("runId", "sessionKey", "spawnedBy")
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
_REST_IS_METADATA: Final = (f"Context: {_MARK}", "Untrusted context (metadata,")
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


def is_generated(text: str) -> bool:
    """Return whether the host wrote this user turn, given as one line."""
    return _GENERATED.match(text) is not None


def is_heartbeat(text: str) -> bool:
    """Return whether a turn, given as one line, is a heartbeat.

    That is a prompt of the host that asks the agent to look for something to do.
    """
    if text.startswith(_HEARTBEAT):
        return True
    return "HEARTBEAT_OK" in text and _HEARTBEAT_INSTRUCTION.search(text[-2000:]) is not None


def is_silence(text: str) -> bool:
    """Return whether this turn is only a marker for "nothing to say"."""
    return len(text) < 80 and _NO_REPLY.fullmatch(text) is not None


def is_not_a_person(provenance: Any) -> bool:
    """Return whether the provenance of a turn says that the host or another session wrote it."""
    return isinstance(provenance, dict) and provenance.get("kind") in _NOT_A_PERSON


def is_recalled(provenance: Any) -> bool:
    """Return whether the provenance of a turn says that it is the result of a memory tool."""
    tool = provenance.get("sourceTool") if isinstance(provenance, dict) else None
    return isinstance(tool, str) and _MEMORY_TOOL.fullmatch(tool) is not None


def says_machine_run(value: dict[str, Any]) -> bool:
    """Return whether a record says that its whole session is a scheduled run or a dreaming run."""
    data = value.get("data")
    objects = [value, data] if isinstance(data, dict) else [value]
    return any(is_machine_key(object_.get(field)) for object_ in objects for field in _KEY_FIELDS)


def is_machine_key(key: Any) -> bool:
    """Return whether a session key or run id belongs to a scheduled run or a dreaming run."""
    return isinstance(key, str) and _MACHINE_KEY.fullmatch(key) is not None


@dataclass(frozen=True, slots=True)
class UnwrappedTurn:
    """The text of a user turn without its envelope; only a person's message is `enveloped`."""

    text: str
    enveloped: bool


def unwrap(raw: str) -> UnwrappedTurn:
    """Return the text of a user turn without what the host has added around it."""
    text = _ABOVE_RECALLED.sub("", raw.replace("\r\n", "\n"))
    text = without_runtime(without_blocks(text, _RECALLED))
    lines = _without_events_of_host(text.split("\n"))
    remaining, enveloped = _without_metadata(lines)
    body = "\n".join(remaining).strip()
    if _CURRENT in body:
        body, enveloped = body.rpartition(_CURRENT)[2].strip(), True
    if brackets := _BRACKETS.match(body):
        body, enveloped = body[brackets.end() :], True
    return UnwrappedTurn(body, enveloped)


def without_directives(raw: str) -> str:
    """Return the text of an assistant turn without runtime context and channel directives."""
    return _DIRECTIVE.sub("", without_runtime(raw.replace("\r\n", "\n")))


def without_runtime(text: str) -> str:
    """Return a text without the context that the runtime of OpenClaw adds.

    A block that is not closed extends to the end of the text, because losing text is better than
    keeping internal text.
    """
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
    """Return a text without the host events at its beginning."""
    lines = text.split("\n")
    return "\n".join(lines[_count_system_lines(lines) :]).strip()


def _without_events_of_host(lines: list[str]) -> list[str]:
    """Return the lines of a person's message without the host events in front of its envelope.

    Without an envelope the events stay, because they show that the host wrote the turn.
    """
    rest = lines[_count_system_lines(lines) :]
    if rest and (_HEADING.fullmatch(rest[0]) or _BRACKETS.match(rest[0])):
        return rest
    return lines


def _count_system_lines(lines: list[str]) -> int:
    """Return the number of host events and blank lines at the beginning."""
    at = 0
    while at < len(lines) and (not lines[at].strip() or _SYSTEM_LINE.match(lines[at])):
        at += 1
    return at


def _without_metadata(lines: list[str]) -> tuple[list[str], bool]:
    """Return the lines without metadata, and whether there was any.

    Only a person's message has metadata.
    """
    pieces, at, enveloped = list[str](), 0, False
    while at < len(lines):
        bare = lines[at].strip()
        if bare.startswith(_REST_IS_METADATA):
            break
        end = at + 1 if _MESSAGE_ID.fullmatch(bare) else _end_of_metadata(lines, at)
        if end:
            enveloped, at = True, end
            continue
        if not bare.startswith(_HINTS):
            pieces.append(lines[at])
        at += 1
    return pieces, enveloped


def _end_of_metadata(lines: list[str], at: int) -> int | None:
    """Return the index of the line after a metadata heading and its content; None if there is none.

    The content is a JSON block, or all lines up to a blank one.
    """
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
