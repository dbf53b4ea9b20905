"""Scopes, sessions and the rules for who may read and write what.

Everything that the rules do not allow is denied.

| session                    | reads                                  | writes                    |
|----------------------------|----------------------------------------|---------------------------|
| main                       | main, every shared space               | main, spaces granted to it |
| group                      | that group, spaces granted to it       | that group                |
| peer (another person's DM) | that peer, spaces granted to it        | that peer                 |
| sub-agent                  | spaces granted to it                   | spaces granted to it      |
| sub-agent with a handle    | what handle and parent both allow      | the same, at most         |
| scheduled run, unknown     | spaces granted to unknown sessions     | nothing                   |
| incognito                  | nothing                                | nothing                   |

A grant gives a space to a kind of session (`groups`), to one scope (`group:garden`) or to the
sub-agents of one agent (`agent:research`), at a level: read, propose or write.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final, Literal, get_args

from remem.errors import InvalidInput, quoted
from remem.fast_dataclass import dataclass

ScopeKind = Literal["main", "group", "peer", "shared"]
SessionKind = Literal["main", "group", "peer", "subagent", "scheduled", "unknown", "incognito"]
Audience = Literal["main", "groups", "peers", "subagents", "unknown"]
Level = Literal["read", "propose", "write"]
"""The rights in a shared space; each level includes the ones before it."""

HANDLE_TOOLS: Final = ("memory_shared_recall", "memory_shared_store")
"""The tools that a sub-agent can be given; the second one only if it may propose or write."""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
_AUDIENCE: Final[dict[SessionKind, Audience | None]] = {
    "main": "main",
    "group": "groups",
    "peer": "peers",
    "subagent": "subagents",
    "scheduled": "unknown",
    "unknown": "unknown",
    "incognito": None,
}
_WRITERS: Final = frozenset({"main", "subagents"})
_AGENT_PREFIX: Final = "agent:"
_SCOPE_PREFIXES: Final = ("group:", "peer:")
_PLAIN: Final = re.compile(r"[a-z0-9_-]{1,60}")
_MAX_PORTABLE: Final = 50
_FILLERS: Final = "\u115f\u1160"  # letters of Hangul that cannot be seen
_SPACE: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_DEVICE: Final = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")  # reserved by Windows


@dataclass(frozen=True, slots=True)
class Scope:
    """A separate memory; the name of `main` is empty.

    Two scopes are the same only if their names are equal character by character.
    """

    kind: ScopeKind
    name: str = ""

    def __post_init__(self) -> None:
        if (self.kind == "main") != (self.name == ""):
            raise InvalidInput(f"a scope of kind {self.kind} cannot be named {quoted(self.name)}")

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


MAIN: Final = Scope("main")


@dataclass(frozen=True, slots=True)
class Handle:
    """The rights that a session gives a sub-agent: `tools`, `spaces`, and the highest level."""

    name: str
    spaces: tuple[str, ...]
    level: Level = "read"
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """The identity of a caller, read from a session key.

    If the session has no scope, `reason` says why, and what the caller can do about it. `parent` is
    the session that gave a sub-agent its `handle`.
    """

    kind: SessionKind
    agent: str
    key: str
    scope: Scope | None
    reason: str | None
    handle: Handle | None = None
    parent: Session | None = None

    def __post_init__(self) -> None:
        scope_kind = self.scope.kind if self.scope else None
        expected_kind = self.kind if self.kind in ("main", "group", "peer") else None
        if scope_kind != expected_kind or (self.scope is None) == (self.reason is None):
            raise InvalidInput(f"a session of kind {self.kind} cannot have scope {self.scope}")
        is_held = self.handle is not None and self.parent is not None
        if is_held != (self.handle is not None or self.parent is not None) or (
            is_held and self.kind != "subagent"
        ):
            raise InvalidInput("only a sub-agent has a handle, together with its parent")


@dataclass(frozen=True, slots=True)
class Grant:
    """A shared space, and the level of each kind of session, scope or agent that may use it."""

    space: str
    levels: tuple[tuple[str, Level], ...] = ()

    def __post_init__(self) -> None:
        grantees = [grantee for grantee, _ in self.levels]
        if duplicates := sorted(name for name in set(grantees) if grantees.count(name) > 1):
            raise InvalidInput(f"{quoted(self.space)} is granted to {quoted(duplicates[0])} twice")
        for grantee, level in self.levels:
            check_grant(grantee, level)

    def level_of(self, grantee: str) -> Level | None:
        """Return the level that a kind of session, a scope or an agent has, if any."""
        return dict(self.levels).get(grantee)


@dataclass(frozen=True, slots=True)
class Grants:
    """The shared spaces of a workspace and who may use them."""

    spaces: tuple[Grant, ...] = ()

    def __post_init__(self) -> None:
        names = [grant.space for grant in self.spaces]
        if duplicates := sorted(name for name in set(names) if names.count(name) > 1):
            raise InvalidInput(f"the shared space {quoted(duplicates[0])} is granted twice")

    def grant_for(self, space: str) -> Grant:
        """Return the grant of a space, which is empty if the space is not listed."""
        return next((grant for grant in self.spaces if grant.space == space), Grant(space))


NO_GRANTS: Final = Grants()


def check_grant(grantee: str, level: str) -> Level:
    """Return the level, or raise InvalidInput if a space cannot be granted to this grantee at it.

    Groups and other people's chats can only read, because anybody may write in them.
    """
    prefixes = (_AGENT_PREFIX, *_SCOPE_PREFIXES)
    if grantee not in get_args(Audience) and not (
        grantee.startswith(prefixes) and grantee[-1] != ":"
    ):
        raise InvalidInput(
            f"a space cannot be granted to {quoted(grantee)}",
            hint=f"use one of: {', '.join(get_args(Audience))}, agent:NAME, group:NAME, peer:ID",
        )
    valid_level = next((known for known in LEVELS if known == level), None)
    if valid_level is None:
        raise InvalidInput(
            f"unknown level {quoted(level)}", hint=f"use one of: {', '.join(LEVELS)}"
        )
    if valid_level != "read" and grantee not in _WRITERS and not grantee.startswith(_AGENT_PREFIX):
        raise InvalidInput(
            f"{quoted(grantee)} can only read a shared space",
            hint="only main, sub-agents and named agents can propose or write",
        )
    return valid_level


def check_space_name(name: str) -> str:
    """Return the name, or raise InvalidInput if it is hard to type or cannot name a folder."""
    if not _SPACE.fullmatch(name) or _DEVICE.fullmatch(name):
        raise InvalidInput(
            f"a space cannot be named {quoted(name)}",
            hint="use up to 40 letters a-z, digits, - and _, starting with a letter or digit",
        )
    return name


def level_in(session: Session, space: str, grants: Grants = NO_GRANTS) -> Level | None:
    """Return the level of a session in a shared space; None if it may not know of the space."""
    if session.handle is not None and session.parent is not None:
        return _level_of_handle(session.handle, session.parent, space, grants)
    grant = grants.grant_for(space)
    granted = [level for name in _grantees(session) if (level := grant.level_of(name))]
    if session.kind == "main":
        granted.append("read")
    return max(granted, key=LEVELS.index, default=None)


def _level_of_handle(handle: Handle, parent: Session, space: str, grants: Grants) -> Level | None:
    """Return the lower one of the levels that the handle gives and that the parent has now.

    A sub-agent can only write where the owner lets sub-agents write; in other spaces it proposes.
    """
    allowed = level_in(parent, space, grants)
    if allowed is None or space not in handle.spaces:
        return None
    level = min(handle.level, allowed, key=LEVELS.index)
    if level == "write" and grants.grant_for(space).level_of("subagents") != "write":
        return "propose"
    return level


def _grantees(session: Session) -> Iterator[str]:
    """Yield the names under which a space may be granted to a session."""
    if audience := _AUDIENCE[session.kind]:
        yield audience
    if session.kind in ("group", "peer"):
        yield str(session.scope)
    if session.kind == "subagent":
        yield f"{_AGENT_PREFIX}{session.agent}"


def permitted_spaces(session: Session, grants: Grants) -> Mapping[str, Level]:
    """Return the level of a session in each shared space that it may use, sorted by name."""
    levels = {
        name: level_in(session, name, grants)
        for name in sorted(grant.space for grant in grants.spaces)
    }
    return {name: level for name, level in levels.items() if level}


def may_read(session: Session, scope: Scope, grants: Grants = NO_GRANTS) -> bool:
    """Return whether a session may read a scope."""
    if scope.kind == "shared":
        return level_in(session, scope.name, grants) is not None
    return session.scope == scope


def may_write(session: Session, scope: Scope, grants: Grants = NO_GRANTS) -> bool:
    """Return whether a session may write to a scope."""
    if scope.kind == "shared":
        return level_in(session, scope.name, grants) == "write"
    return session.scope == scope


def writer_name(session: Session, *, is_owner: bool = False) -> str:
    """Return the name of a session as the author of what it stores in a space.

    The name does not contain the id of a chat, because everybody who reads the space sees it.
    """
    if session.handle is not None:
        return f"subagent:{session.agent}/{session.handle.name}"
    if session.kind == "main":
        return "owner" if is_owner else f"{_AGENT_PREFIX}{session.agent}"
    return f"{session.kind}:{session.agent}"


def reader_name(session: Session, *, is_owner: bool = False) -> str:
    """Return the name of a session in the log of a space, which only the owner can read."""
    if session.kind in ("group", "peer"):
        return str(session.scope)
    return writer_name(session, is_owner=is_owner)


def folder_name(name: str) -> str:
    """Return a folder name that works on every file system and is unique to the name.

    Names in lower-case letters and digits of any script are not changed. Any other name becomes a
    readable part, `~` and a digest, so that names that differ only in case, accents, punctuation or
    length cannot collide.
    """
    if _PLAIN.fullmatch(name) or _is_portable(name):
        return name if not _DEVICE.fullmatch(name) else _with_digest(name, name)
    folded = unicodedata.normalize("NFKC", name).casefold()
    readable = "".join(c if unicodedata.category(c)[0] in "LMN" else "-" for c in folded)
    return _with_digest(readable, name)


def earlier_folder_name(name: str) -> str:
    """Return the folder name, in ASCII, that earlier versions of remem made from a name."""
    if _PLAIN.fullmatch(name) and not _DEVICE.fullmatch(name):
        return name
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _with_digest(re.sub(r"[^a-z0-9_]+", "-", letters), name)


def _with_digest(readable: str, name: str) -> str:
    slug = re.sub("-+", "-", readable)[:43].strip("-") or "name"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{slug}~{digest[:16]}"


def _is_portable(name: str) -> bool:
    """Return whether every file system keeps a name as it is and distinct from all others.

    File systems differ in how they normalise letters and compare their case, so the name must be
    normalised, and no two letters may have the same upper case as one of its letters. It may have
    no combining marks, because some of them are ignored in names.
    """
    return (
        0 < len(name) <= _MAX_PORTABLE
        and unicodedata.is_normalized("NFKC", name)
        and all(
            c in "-_" or (unicodedata.category(c)[0] in "LN" and c not in _FILLERS) for c in name
        )
        and all(c.upper().lower() == c for c in name)
    )
