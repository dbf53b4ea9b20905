"""Scopes, sessions and the rules for who may read and write what.

Whatever the rules do not allow is denied.

| session                    | reads                                | writes                  |
|----------------------------|--------------------------------------|-------------------------|
| main                       | main, every shared space             | main, spaces granted it |
| group                      | that group, spaces granted to groups | that group              |
| peer (another person's DM) | that peer, spaces granted to peers   | that peer               |
| sub-agent                  | spaces granted to sub-agents         | spaces granted to them  |
| scheduled run, unknown     | spaces granted to unknown sessions   | nothing                 |
| incognito                  | nothing                              | nothing                 |
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal, get_args

from remem.errors import InvalidInput, shown

ScopeKind = Literal["main", "group", "peer", "shared"]
SessionKind = Literal["main", "group", "peer", "subagent", "scheduled", "unknown", "incognito"]
Audience = Literal["main", "groups", "peers", "subagents", "unknown"]

_AUDIENCE: Final[dict[SessionKind, Audience | None]] = {
    "main": "main",
    "group": "groups",
    "peer": "peers",
    "subagent": "subagents",
    "scheduled": "unknown",
    "unknown": "unknown",
    "incognito": None,
}
_WRITERS: Final[frozenset[Audience]] = frozenset({"main", "subagents"})
_PLAIN: Final = re.compile(r"[a-z0-9_-]{1,60}")
_DEVICE: Final = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")  # reserved by Windows


@dataclass(frozen=True, slots=True)
class Scope:
    """A separate memory.

    Two scopes are the same only if their names are equal character by character.
    """

    kind: ScopeKind
    name: str = ""

    def __post_init__(self) -> None:
        if (self.kind == "main") != (self.name == ""):
            raise InvalidInput(f"a scope of kind {self.kind} cannot be named {shown(self.name)}")

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


MAIN: Final = Scope("main")


@dataclass(frozen=True, slots=True)
class Session:
    """Who is asking. Without a scope, `reason` says why and what to do about it."""

    kind: SessionKind
    agent: str
    key: str
    scope: Scope | None
    reason: str | None

    def __post_init__(self) -> None:
        has = self.scope.kind if self.scope else None
        wants = self.kind if self.kind in ("main", "group", "peer") else None
        if has != wants or (self.scope is None) == (self.reason is None):
            raise InvalidInput(f"a session of kind {self.kind} cannot have scope {self.scope}")


@dataclass(frozen=True, slots=True)
class Grant:
    """The additional kinds of session that may use a shared space."""

    space: str
    read: frozenset[Audience] = frozenset()
    write: frozenset[Audience] = frozenset()

    def __post_init__(self) -> None:
        if unknown := sorted(self.read - set(get_args(Audience))):
            raise InvalidInput(f"unknown kind of session {shown(unknown[0])}")
        if denied := sorted(self.write - _WRITERS):
            raise InvalidInput(
                f"{shown(denied[0])} cannot write to the shared space {shown(self.space)}",
                hint="only main and sub-agents can",
            )


@dataclass(frozen=True, slots=True)
class Grants:
    spaces: tuple[Grant, ...] = ()

    def __post_init__(self) -> None:
        names = [grant.space for grant in self.spaces]
        if twice := sorted(name for name in set(names) if names.count(name) > 1):
            raise InvalidInput(f"the shared space {shown(twice[0])} is granted twice")

    def of(self, space: str) -> Grant:
        return next((grant for grant in self.spaces if grant.space == space), Grant(space))


NO_GRANTS: Final = Grants()


def may_read(session: Session, scope: Scope, grants: Grants = NO_GRANTS) -> bool:
    if scope.kind == "shared":
        return session.kind == "main" or _AUDIENCE[session.kind] in grants.of(scope.name).read
    return session.scope == scope


def may_write(session: Session, scope: Scope, grants: Grants = NO_GRANTS) -> bool:
    if scope.kind == "shared":
        return _AUDIENCE[session.kind] in grants.of(scope.name).write
    return session.scope == scope


def folder_name(name: str) -> str:
    """Return a folder name that works on every file system and is unique to the name.

    Plain names are not changed. Any other name becomes a readable part, `~` and a digest, so that
    names that differ only in case, accents, punctuation or length cannot collide.
    """
    if _PLAIN.fullmatch(name) and not _DEVICE.fullmatch(name):
        return name
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9_]+", "-", letters)[:43].strip("-") or "name"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{slug}~{digest[:16]}"
