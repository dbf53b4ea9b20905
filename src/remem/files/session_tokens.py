"""Session tokens: a host's start hook gives one to a conversation, so that tools know its session.

A conversation can also have tokens for its sub-agents, which are handles: each is bound to shared
spaces and tools, and ends with the conversation.

Every token has a file in `.remem/tokens` with its digest, session and conversation; the time of its
last use is the modification time of the file. So tokens outlive a server, and several servers can
share them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final

from remem.errors import InvalidInput, NotAllowed, quoted
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.scope import Handle, Level
from remem.model.session import Lifetime, TokenSubject, invalid_token, new_token, token_digest
from remem.ports import Clock
from remem.text.timestamps import format_time, parse_time

MAX_TOKENS: Final = 16
"""Maximum number of tokens of a conversation; a host may request a new one with every turn."""

MAX_HANDLES: Final = 64
"""Maximum number of valid handles per conversation."""

_MAX_NAME_LENGTH: Final = 1000
_UPDATE_INTERVAL: Final = 60
"""Seconds between two updates of the time of last use."""
_DECOY_FILE: Final = "nobody"
"""A token that is read in place of an unknown one, so that every refusal takes equally long."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token, which is shown only once. It is valid for at least `expires_in` seconds."""

    token: str
    session: str
    conversation: str
    expires_in: int


@dataclass(frozen=True, slots=True)
class IssuedHandle:
    """A new handle for a sub-agent, which is shown only once.

    `levels` says what it allows in each space at present; it is valid for at most `expires_in`
    seconds.
    """

    token: str
    name: str
    levels: dict[str, Level]
    tools: tuple[str, ...]
    expires_in: int


@dataclass(frozen=True, slots=True)
class StoredToken:
    """The content of the file of a token, with its digest instead of the token itself.

    `idle` and `limit` are the seconds without use, and since it was issued, after which it expires.
    """

    digest: str
    session: str
    conversation: str
    issued_at: str
    idle: int
    limit: int
    handle: Handle | None = None

    @property
    def subject(self) -> TokenSubject:
        return TokenSubject(self.session, self.conversation, self.handle)

    def is_expired(self, last_used: float, now: float) -> bool:
        issued = parse_time(self.issued_at).timestamp()
        lifetime = Lifetime(self.idle, self.limit)
        return lifetime.is_expired(issued_at=issued, last_used=max(last_used, issued), now=now)


_DECOY_TOKEN: Final = StoredToken("-" * 64, "", "", "1970-01-01T00:00:00Z", 1, 1)


class SessionTokens:
    """The tokens of one workspace."""

    def __init__(
        self,
        layout: Layout,
        clock: Clock = lambda: format_time(datetime.now(UTC)),
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._layout = layout
        self._folder = layout.tokens
        self._clock = clock
        self._random_bytes = random_bytes

    def issue(
        self,
        session: str,
        conversation: str = "",
        lifetime: Lifetime | None = None,
        handle: Handle | None = None,
    ) -> IssuedToken:
        """Return a new token for a conversation of a session key; expired tokens are removed."""
        for value, name in ((session, "session"), (conversation, "conversation")):
            _check_name(value, name)
        lifetime = lifetime or Lifetime()
        atomic.refuse_links(self._layout.root, self._folder)
        subject = TokenSubject(session, conversation, handle)
        self._remove_old(subject)
        if handle is not None:
            self._refuse_many_handles(subject)
        token = new_token(self._random_bytes)
        stored = StoredToken(
            token_digest(token),
            session,
            conversation,
            self._clock(),
            lifetime.idle,
            lifetime.limit,
            handle,
        )
        if not (self._folder / _DECOY_FILE).exists():
            atomic.create(self._folder / _DECOY_FILE, _serialize(_DECOY_TOKEN))
        if not atomic.create(self._path(stored.digest), _serialize(stored)):
            raise InvalidInput("this random token already exists", hint="try again")
        return IssuedToken(token, session, conversation, lifetime.guaranteed)

    def subject_of(self, token: object) -> TokenSubject:
        """Return the session and conversation of a token.

        Every invalid token is refused with the same error after the same steps, whether it is
        forged, expired, revoked or from a different workspace.
        """
        digest, now = token_digest(token), self._now()
        path = self._path(digest)
        stored, used = _read(path) or _read(self._folder / _DECOY_FILE) or (_DECOY_TOKEN, 0.0)
        is_known, is_expired = compare_digest(stored.digest, digest), stored.is_expired(used, now)
        if is_expired or not is_known:
            raise invalid_token()
        if now - used >= min(_UPDATE_INTERVAL, stored.idle / 2):
            try:
                _record_use(path, now)
            except FileNotFoundError:  # revoked a moment ago
                raise invalid_token() from None
            except OSError:
                pass  # then the idle time is counted from the last use that was recorded
        return stored.subject

    def revoke(self, session: str, conversation: str | None = None) -> int:
        """Revoke the tokens of a session, or of one of its conversations; return their number.

        Tokens that were issued for no particular conversation are revoked with any of them.
        """
        revoked = 0
        for path, token, _ in self._all():
            matches = conversation is None or token.conversation in ("", conversation)
            if token.session == session and matches:
                atomic.remove(path)
                revoked += 1
        return revoked

    def valid_tokens(self) -> list[tuple[StoredToken, float]]:
        """Return every valid token with the time of its last use, the oldest first."""
        now = self._now()
        valid = [(token, used) for _, token, used in self._all() if not token.is_expired(used, now)]
        return sorted(valid, key=lambda item: (item[0].issued_at, item[1]))

    def _remove_old(self, subject: TokenSubject) -> None:
        """Remove expired tokens, and the oldest of a conversation that has too many."""
        now, of_conversation = self._now(), list[tuple[str, float, Path]]()
        for path, token, used in self._all():
            if token.is_expired(used, now):
                atomic.remove(path)
            elif token.subject == subject:
                of_conversation.append((token.issued_at, used, path))
        excess = max(0, len(of_conversation) + 1 - MAX_TOKENS)
        for _, _, path in sorted(of_conversation)[:excess]:
            atomic.remove(path)

    def _refuse_many_handles(self, subject: TokenSubject) -> None:
        """Refuse another handle instead of removing one that a sub-agent may be using."""
        handles = [
            token
            for _, token, _ in self._all()
            if token.handle
            and (token.session, token.conversation) == (subject.session, subject.conversation)
        ]
        if len(handles) >= MAX_HANDLES:
            raise NotAllowed(
                f"this conversation already has {MAX_HANDLES} handles",
                hint="use the handles that you have, or wait until some expire",
            )

    def _all(self) -> Iterator[tuple[Path, StoredToken, float]]:
        for path in sorted(self._folder.glob("*.json")):
            if stored := _read(path):
                yield path, *stored

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest[:32]}.json"

    def _now(self) -> float:
        return parse_time(self._clock()).timestamp()


def _serialize(token: StoredToken) -> bytes:
    return json.dumps(asdict(token), ensure_ascii=False).encode()


def _read(path: Path) -> tuple[StoredToken, float] | None:
    """Return a stored token and the time of its last use; None if there is no valid token file."""
    data = atomic.read(path)
    if data is None:
        return None
    try:
        values = json.loads(data)
        if values.get("handle") is not None:
            values["handle"] = _handle(values["handle"])
        return StoredToken(**values), path.stat().st_mtime
    except (ValueError, TypeError, AttributeError, KeyError, FileNotFoundError):
        return None


def _handle(values: dict[str, Any]) -> Handle:
    spaces, tools = tuple(values["spaces"]), tuple(values["tools"])
    return Handle(values["name"], spaces, values["level"], tools)


def _record_use(path: Path, now: float) -> None:
    os.utime(path, (now, now), follow_symlinks=False)


def _check_name(value: str, name: str) -> None:
    if name == "session" and not value.strip():
        raise InvalidInput("the session key is empty", hint="pass the key of the chat")
    if len(value) > _MAX_NAME_LENGTH:
        raise InvalidInput(f"{name} {quoted(value)} is too long")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} {quoted(value)} is not valid Unicode") from None
