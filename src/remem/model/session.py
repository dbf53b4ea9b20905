"""Session keys, and the tokens that stand for them.

A key is `agent:<agent>:<rest>`. Its parts are read by their position, not by the words in them,
because a person may be called "group". A key that has no meaning, or several, belongs to nobody, so
that nothing is disclosed in doubt.

Where one server answers several chats, only the random token in a call says whose memory the call
is for. A workspace stores only its digest, so that nobody can read a token from its files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from remem.errors import InvalidInput, NotAllowed, quoted
from remem.fast_dataclass import dataclass
from remem.model.scope import MAIN, Handle, Scope, Session
from remem.text.base32 import to_base32

if TYPE_CHECKING:
    from remem.model.rooms import Rooms

_PEER_WORDS: Final = frozenset({"direct", "dm"})
_ROOM_WORDS: Final = frozenset({"group", "channel"})
_CHAT_WORDS: Final = _PEER_WORDS | _ROOM_WORDS
# The first words of keys that are not chats: a host's own sessions, and keys nested in keys.
_INTERNAL: Final = frozenset(
    {"acp", "active-memory", "agent", "dashboard", "explicit", "internal-session-effects"}
)
_INCOGNITO: Final = re.compile(r"(?:dashboard|subagent|internal-session-effects):incognito-")
_WHATSAPP_GROUP: Final = re.compile(r"(?:whatsapp:)?([^:]+@g\.us)")
_DISCORD_ROOM: Final = re.compile(r"discord:(?:[^:]+:)?(guild-[^:]+:channel-[^:]+)")

MAIN_IS_SHARED: Final = (
    "main is configured as shared with strangers, so it cannot read anything private; "
    "list your own direct chats as owner_peers in .remem/config.toml"
)
SUBAGENT: Final = "a sub-agent has no memory of its own; grant it a shared space"
SCHEDULED: Final = (
    "a scheduled run has no memory of its own; the owner can start it for a chat: --session KEY"
)
INCOGNITO: Final = "an incognito session is neither remembered nor given memories"
UNREADABLE: Final = (
    "the session key does not say whose chat this is, so it cannot read anything private; "
    "the host must pass the chat's own key (--session agent:<id>:<chat>); the owner's is `main`"
)
SpecialKey = Literal["main", "subagent", "scheduled", "incognito"]
TOKEN_PREFIX: Final = "rmt_"  # noqa: S105 - only the prefix of a token
_TOKEN_BYTES: Final = 20
_MAX_TOKEN_LENGTH: Final = 200
"""Longer texts cannot be tokens, and are not hashed."""
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SPAN: Final = re.compile(r"([1-9][0-9]{0,6})([smhd])")
DEFAULT_IDLE_SECONDS: Final = 2 * 3600
DEFAULT_LIMIT_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class Peer:
    """A direct chat; its name includes channel and account, so that it belongs to one person."""

    name: str


@dataclass(frozen=True, slots=True)
class Room:
    """A group or channel; the account that the agent uses there does not matter."""

    channel: str | None
    id: str


KeyMeaning = Peer | Room | SpecialKey | None


def read_session(
    key: str,
    rooms: Rooms | None,
    *,
    owner_peers: frozenset[str] = frozenset(),
    main_is_shared: bool = False,
    main_key: str = "main",
) -> Session:
    """Return the session that a key stands for.

    `rooms` is only needed for the key of a room. `owner_peers` are the owner's own direct chats,
    which count as main even if `main_is_shared` says that the main key is shared with others.
    """
    agent, meaning = read_key(key, main_key)
    match meaning:
        case "main" if main_is_shared:
            return Session("unknown", agent, key, None, MAIN_IS_SHARED)
        case "main":
            return Session("main", agent, key, MAIN, None)
        case Peer() if any(is_peer(item, agent, meaning) for item in owner_peers):
            return Session("main", agent, key, MAIN, None)
        case Peer():
            return Session("peer", agent, key, Scope("peer", meaning.name), None)
        case Room():
            return _room_session(agent, key, meaning, rooms)
        case "subagent":
            return Session("subagent", agent, key, None, SUBAGENT)
        case "scheduled":
            return Session("scheduled", agent, key, None, SCHEDULED)
        case "incognito":
            return Session("incognito", agent, key, None, INCOGNITO)
    return Session("unknown", agent, key, None, UNREADABLE)


def read_key(key: str, main_key: str = "main") -> tuple[str, KeyMeaning]:
    """Return the agent of a key, and its meaning; None if it has no meaning or several."""
    if not _is_valid_text(key):
        return "", None
    if key == "main":
        return "main", "main"
    if parts := split_key(key):
        return parts[0], meaning_of(parts[1], main_key)
    bare = meaning_of(key)
    return ("main", bare) if bare in ("subagent", "incognito") else ("", None)


def split_key(key: str) -> tuple[str, str] | None:
    """Return the agent of a key, and the rest of the key; None if it is not a valid key."""
    head, _, tail = key.partition(":")
    agent, _, rest = tail.partition(":")
    if head.lower() != "agent" or not agent.strip() or not rest or rest.startswith(":"):
        return None
    return agent.lower(), rest


def meaning_of(rest: str, main_key: str = "main") -> KeyMeaning:
    """Return the meaning of the rest of a key; a thread has the meaning of its chat."""
    base, _, thread = rest.rpartition(":thread:")
    if base and thread:
        rest = base
    if _INCOGNITO.match(rest):
        return "incognito"
    meanings = list(_meanings(rest, main_key))
    return meanings[0] if len(meanings) == 1 else None


def is_peer(item: str, agent: str, peer: Peer) -> bool:
    """Return whether an item of `owner_peers` means this chat.

    An item is a full key, or only the part after the agent.
    """
    owner, rest = split_key(item) or (agent, item)
    return owner == agent and meaning_of(rest) == peer


def _room_session(agent: str, key: str, room: Room, rooms: Rooms | None) -> Session:
    """Return the session of a room.

    Without a name, the reason is the same for every room, because the real one may reveal other
    rooms.
    """
    from remem.model.rooms import RoomName  # most sessions are in main

    resolved = rooms.resolve(room.channel, room.id) if rooms else None
    if isinstance(resolved, RoomName):
        return Session("group", agent, key, Scope("group", resolved.name), None)
    room_key = f"{room.channel}:{room.id}" if room.channel else room.id
    reason = (
        "this room has no unique name, so it cannot read anything; the owner can name it: "
        f"remem rooms map {quoted(room_key, 200)} <name>"
    )
    return Session("unknown", agent, key, None, reason)


def _is_valid_text(key: str) -> bool:
    """Return whether a key is valid text; bytes from a command line may not be."""
    if not isinstance(key, str):
        raise InvalidInput(f"the session key must be text, not {quoted(key)}")
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


def _meanings(rest: str, main_key: str) -> Iterator[KeyMeaning]:
    """Yield every meaning that the rest of a key may have."""
    parts = rest.split(":")
    if parts[0] in _INTERNAL:
        return
    if rest in ("main", main_key):
        yield "main"
    if len(parts) > 1 and parts[1] and parts[0] in ("subagent", "cron"):
        yield "subagent" if parts[0] == "subagent" else "scheduled"
    yield from _chats(parts)
    if whatsapp := _WHATSAPP_GROUP.fullmatch(rest):
        yield Room("whatsapp", whatsapp[1])
    if discord := _DISCORD_ROOM.fullmatch(rest):
        yield Room("discord", discord[1])


def _chats(parts: list[str]) -> Iterator[KeyMeaning]:
    """Yield the chats that a key may mean, by the position of its word for a kind of chat.

    The forms are `<word>:<id>`, `<channel>:<word>:<id>` and `<channel>:<account>:<word>:<id>`.
    """
    for at in range(min(3, len(parts) - 1)):
        before, word, chat_id = parts[:at], parts[at], ":".join(parts[at + 1 :])
        if word not in _CHAT_WORDS or not all(before) or not parts[at + 1]:
            continue
        if word in _PEER_WORDS:
            yield Peer(":".join((*before, "direct", chat_id)))
        else:
            yield Room(before[0] if before else None, chat_id)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The lifetime of a token in seconds: `idle` without use, and `limit` in total."""

    idle: int = DEFAULT_IDLE_SECONDS
    limit: int = DEFAULT_LIMIT_SECONDS

    def __post_init__(self) -> None:
        if self.idle < 1 or self.limit < 1:
            raise InvalidInput("a token must be valid for at least one second")

    @property
    def guaranteed(self) -> int:
        """The number of seconds for which a new token is valid, unless it is revoked."""
        return min(self.idle, self.limit)

    def is_expired(self, *, issued_at: float, last_used: float, now: float) -> bool:
        """Return whether a token is no longer valid."""
        return now - last_used > self.idle or now - issued_at > self.limit


@dataclass(frozen=True, slots=True)
class TokenSubject:
    """The session key and the conversation that a token identifies.

    With a `handle`, the token belongs to a sub-agent of that conversation.
    """

    session: str
    conversation: str = ""
    handle: Handle | None = None


def sub_agent_of(parent: Session, handle: Handle) -> Session:
    """Return the session of a sub-agent that was given a handle."""
    return Session("subagent", parent.agent, parent.key, None, SUBAGENT, handle, parent)


def new_token(random_bytes: Callable[[int], bytes]) -> str:
    """Return a new token: 160 random bits, in letters that a model copies without mistakes."""
    number = int.from_bytes(random_bytes(_TOKEN_BYTES), "big")
    return TOKEN_PREFIX + to_base32(number, 8 * _TOKEN_BYTES // 5)


def token_digest(token: object) -> str:
    """Return the digest of a token; only digests are stored.

    Any other value gets a digest too, but that of no token.
    """
    text = token if isinstance(token, str) and len(token) <= _MAX_TOKEN_LENGTH else ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def invalid_token() -> NotAllowed:
    """Return the error for every invalid token; it does not reveal why the token is invalid."""
    return NotAllowed(
        "session_token is missing or not valid here",
        hint="copy the newest one from this conversation's context, letter for letter; "
        "if there is none, or it is refused, ask the user to send a new message or to start a "
        "new conversation: the host then issues one",
    )


def parse_duration(text: str, name: str) -> int:
    """Return the number of seconds in a duration such as 90m, 8h or 7d."""
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(f"{name} {quoted(text)} is not a duration", hint="for example 90m or 8h")
    return int(match[1]) * _UNITS[match[2]]
