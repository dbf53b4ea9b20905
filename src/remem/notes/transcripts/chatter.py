"""Which turns are nobody's words? What a host says to itself: schedules, heartbeats, events."""

from __future__ import annotations

import re
from typing import Any, Final

_GENERATED: Final = re.compile(
    r"""
      System(?:[ ]\(untrusted\))?:[ ]?\[          # an event of the host
    | \[cron:[^\]]{1,300}\]                       # a scheduled prompt
    | \[Inter-session[ ]message\]                 # another session of the agent
    | \[Internal[ ]task[ ]completion[ ]event\]
    | (?i:exec[ ]finished)(?::|\s?\()             # a command that ran in the background
    | (?i:exec[ ](?:completed|failed|killed)[ ]\([\w-]{1,64},[ ](?:code|signal)[ ]-?\w{1,20}\))
    | A[ ]new[ ]session[ ]was[ ]started[ ]via[ ]/new[ ]or[ ]/reset\.
    | Pre-compaction[ ]memory[ ]flush
    """,
    re.VERBOSE,
)
_HEARTBEAT: Final = ("Read HEARTBEAT.md", "Run the following periodic tasks")
_ORDER: Final = re.compile(
    r"(?i:\b(?:if|after|when|unless|otherwise|else)\b)[^?]{0,400}?"
    r"(?i:reply|respond|answer|return|say|output)(?: with)?(?: only| exactly| just)?:? ?"
    r"[\"'`*]{0,3}HEARTBEAT_OK"
)
_SILENT: Final = re.compile(
    r"""(?i:[*_`"'\s]{0,6}(?:HEARTBEAT_OK|NO_REPLY)[*_`"'.!\s]{0,6}"""
    r"""|\{\s?"\w{1,20}"\s?:\s?"NO_REPLY"\s?\})"""
)
_NOT_A_PERSON: Final = ("inter_session", "internal_system")
_MEMORY_TOOL: Final = re.compile(r"(?:.*__)?memory_\w+|remem(?:__.*)?", re.DOTALL)
_MACHINE_KEY: Final = re.compile(
    r"(?:agent:[^:]+:)?dreaming-narrative-.* | agent:[^:]+:cron:[^:]+:run:[^:]+",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_NAMES: Final = ("runId", "sessionKey", "spawnedBy")


def is_generated(text: str) -> bool:
    """Whether a user's turn, as one line, was written by the host."""
    return _GENERATED.match(text) is not None


def is_heartbeat(text: str) -> bool:
    """Whether a turn, as one line, wakes the agent up: what follows is no conversation."""
    if text.startswith(_HEARTBEAT):
        return True
    return "HEARTBEAT_OK" in text and _ORDER.search(text[-2000:]) is not None


def is_silence(text: str) -> bool:
    """Whether a turn only says that there is nothing to say."""
    return len(text) < 80 and _SILENT.fullmatch(text) is not None


def not_a_person(provenance: Any) -> bool:
    """Whether the host marks a turn as its own or as another session's."""
    return isinstance(provenance, dict) and provenance.get("kind") in _NOT_A_PERSON


def is_recalled(provenance: Any) -> bool:
    """Whether a turn is what a memory tool answered."""
    tool = provenance.get("sourceTool") if isinstance(provenance, dict) else None
    return isinstance(tool, str) and _MEMORY_TOOL.fullmatch(tool) is not None


def is_machine_run(value: dict[str, Any]) -> bool:
    """Whether a record says that its whole session is a scheduled run, or dreaming."""
    data = value.get("data")
    places = [value, data] if isinstance(data, dict) else [value]
    return any(is_machine_key(place.get(name)) for place in places for name in _NAMES)


def is_machine_key(key: Any) -> bool:
    """Whether a key or the id of a run belongs to a scheduled run, or to dreaming."""
    return isinstance(key, str) and _MACHINE_KEY.fullmatch(key) is not None
