"""Quotes are from the hosts' rules for session keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.model.rooms import Rooms, rooms_from
from remem.model.scope import MAIN, Scope, Session
from remem.model.session import read_session, split_key
from tests.tables import each_row

pytestmark = pytest.mark.walls

ROOMS = rooms_from(
    {
        "telegram:-100": "dev",
        "discord:815": "ops",
        "matrix:!room:server.org": "council",
        "whatsapp:49123-456@g.us": "family",
        "discord:guild-1:channel-2": "lounge",
        "c7": "town hall",
        "telegram:main": "main",
        "irc:#a": "twin",
        "irc:#b": "Twin",
    }
)


def read(key: str) -> Session:
    return read_session(key, ROOMS)


def scope_of(key: str) -> str:
    return str(read(key).scope)


@each_row("key", ["main", "agent:main:main", "AGENT:work:main", "Agent:Work:main"])
def test_the_main_session_is_the_owners(key: str) -> None:
    assert read(key).kind == "main"
    assert read(key).scope == MAIN


def test_the_agent_is_read_in_lower_case_and_the_key_is_kept() -> None:
    session = read("Agent:Work:main")

    assert (session.agent, session.key) == ("work", "Agent:Work:main")


def test_a_configured_main_key_is_main_too() -> None:
    assert read_session("agent:a:home", ROOMS, main_key="home").scope == MAIN
    assert read_session("agent:a:main", ROOMS, main_key="home").scope == MAIN
    assert read("agent:a:home").kind == "unknown"


@each_row(
    ("rest", "scope"),
    [
        ("direct:42", "peer:direct:42"),
        ("dm:42", "peer:direct:42"),
        ("telegram:direct:42", "peer:telegram:direct:42"),
        ("telegram:dm:42", "peer:telegram:direct:42"),
        ("telegram:bot2:direct:42", "peer:telegram:bot2:direct:42"),
        ("matrix:direct:@ann:server.org", "peer:matrix:direct:@ann:server.org"),
        ("telegram:group:-100", "group:dev"),
        ("telegram:bot2:group:-100", "group:dev"),
        ("telegram:channel:-100", "group:dev"),
        ("discord:channel:815", "group:ops"),
        ("matrix:channel:!room:server.org", "group:council"),
        ("group:c7", "group:town hall"),
        ("channel:c7", "group:town hall"),
        ("49123-456@g.us", "group:family"),
        ("whatsapp:49123-456@g.us", "group:family"),
        ("whatsapp:group:49123-456@g.us", "group:family"),
        ("discord:guild-1:channel-2", "group:lounge"),
        ("discord:acct:guild-1:channel-2", "group:lounge"),
    ],
)
def test_every_form_of_a_chat_has_its_scope(rest: str, scope: str) -> None:
    assert scope_of(f"agent:main:{rest}") == scope
    assert scope_of(f"agent:main:{rest}:thread:77") == scope


@each_row(
    ("rest", "kind"),
    [
        ("subagent:7f", "subagent"),
        ("subagent:7f:subagent:8a", "subagent"),
        ("cron:daily", "scheduled"),
        ("cron:daily:run:12", "scheduled"),
        ("dashboard:incognito-9", "incognito"),
        ("subagent:incognito-9", "incognito"),
        ("internal-session-effects:incognito-9", "incognito"),
        ("acp:7f", "unknown"),
        ("explicit:7f", "unknown"),
        ("active-memory:0123456789ab", "unknown"),
        ("internal-session-effects:7f", "unknown"),
        ("dashboard:7f", "unknown"),
        ("acp:direct:42", "unknown"),
        ("explicit:x:group:c7", "unknown"),
        ("agent:work:direct:42", "unknown"),
        ("global", "unknown"),
        ("unknown", "unknown"),
        ("agent:main:main", "unknown"),
        ("mainly", "unknown"),
        ("main:", "unknown"),
        ("MAIN", "unknown"),
        ("telegram:42", "unknown"),
        ("telegram:group:", "unknown"),
        ("telegram::group:-100", "unknown"),
        ("direct:", "unknown"),
    ],
)
def test_a_key_that_is_not_a_chat_has_a_reason_and_no_scope(rest: str, kind: str) -> None:
    session = read(f"agent:main:{rest}")

    assert session.kind == kind
    assert session.scope is None
    assert session.reason


@each_row(
    "key",
    [
        "",
        "agent",
        "agent:",
        "agent:main",
        "agent:main:",
        "agent::main",
        "agent: :main",
        "agent:main::main",
        "agents:main:main",
        "xagent:main:main",
        " main",
        "Main",
        "global",
        "direct:42",
        "group:c7",
        "telegram:group:-100",
        "cron:daily",
    ],
)
def test_malformed_and_bare_keys_are_unknown(key: str) -> None:
    assert read(key).kind == "unknown"


def test_a_key_without_a_rest_is_invalid() -> None:
    assert split_key("agent:main:main") == ("main", "main")
    assert split_key("agent:main::main") is None


def test_sub_agents_and_incognito_are_known_by_their_bare_keys() -> None:
    assert read("subagent:7f").kind == "subagent"
    assert read("subagent:incognito-7f").kind == "incognito"
    assert read("dashboard:incognito-7f").kind == "incognito"


@each_row(
    "rest",
    [
        "telegram:group:direct:42",
        "telegram:direct:group:-100",
        "direct:telegram:direct:42",
        "direct:direct:42",
        "group:direct:42",
        "channel:telegram:group:-100",
        "dm:group:c7",
        "subagent:direct:42",
        "subagent:7f:group:c7",
        "cron:group:c7",
        "cron:daily:direct:42",
    ],
)
def test_a_key_that_can_be_read_in_two_ways_is_unknown(rest: str) -> None:
    assert read(f"agent:main:{rest}").kind == "unknown"


def test_a_main_key_that_looks_like_a_chat_is_unknown() -> None:
    key = "agent:main:telegram:direct:42"

    assert read_session(key, ROOMS, main_key="telegram:direct:42").kind == "unknown"


@each_row(
    ("rest", "scope"),
    [
        ("telegram:direct:group", "peer:telegram:direct:group"),
        ("telegram:direct:main", "peer:telegram:direct:main"),
        ("direct:main", "peer:direct:main"),
        ("main:direct:42", "peer:main:direct:42"),
        ("telegram:direct:a:b:group:c7", "peer:telegram:direct:a:b:group:c7"),
        ("telegram:group:main", "group:main"),
    ],
)
def test_words_count_by_their_position_only(rest: str, scope: str) -> None:
    """ "Read positions, not 'does a token occur anywhere': a peer id may contain `group`"."""
    assert scope_of(f"agent:main:{rest}") == scope


def test_a_parser_that_looks_for_words_anywhere_would_open_the_wrong_scope() -> None:
    def careless(key: str) -> str:
        words = key.split(":")
        if "group" in words:
            return "group"
        return "main" if words[-1] == "main" else "peer"

    key = "agent:main:telegram:direct:main"

    assert careless(key) == "main"
    assert read(key).kind == "peer"


def test_one_thread_is_stripped_and_no_more() -> None:
    assert scope_of("agent:main:main:thread:5") == "main"
    assert scope_of("agent:main:direct:a:thread:5:thread:6") == "peer:direct:a:thread:5"
    assert read("agent:main:main:thread:").kind == "unknown"
    assert read("agent:main:thread:5").kind == "unknown"


def test_an_unmapped_room_is_unknown_with_a_hint_how_to_map_it() -> None:
    session = read("agent:main:telegram:group:-200:thread:3")

    assert session.kind == "unknown"
    assert "remem rooms map 'telegram:-200' <name>" in str(session.reason)


def test_rooms_that_share_a_name_have_no_scope_and_learn_nothing_about_each_other() -> None:
    unmapped, twin = read("agent:main:irc:group:#z"), read("agent:main:irc:group:#a")

    assert twin.scope is None
    assert str(twin.reason).replace("#a", "#z") == unmapped.reason


def test_the_owners_own_chats_are_main() -> None:
    for entry in ("telegram:direct:42", "telegram:dm:42", "agent:main:telegram:direct:42"):
        peers = frozenset({entry})

        def who(key: str, peers: frozenset[str] = peers) -> Session:
            return read_session(key, ROOMS, owner_peers=peers)

        assert who("agent:main:telegram:direct:42").kind == "main"
        assert who("agent:main:telegram:dm:42:thread:9").kind == "main"
        assert who("agent:main:telegram:direct:420").kind == "peer"
        assert who("agent:main:telegram:direct:4").kind == "peer"
        assert who("agent:main:discord:direct:42").kind == "peer"
        assert who("agent:main:telegram:bot2:direct:42").kind == "peer"
        assert who("agent:main:direct:42").kind == "peer"


def test_an_owners_chat_with_one_agent_is_not_theirs_with_another() -> None:
    peers = frozenset({"agent:main:telegram:direct:42"})

    assert read_session("agent:work:telegram:direct:42", ROOMS, owner_peers=peers).kind == "peer"


def test_only_direct_chats_can_be_the_owners() -> None:
    peers = frozenset({"telegram:group:-100", "group:c7", "main", "42", ""})

    assert read_session("agent:main:telegram:group:-100", ROOMS, owner_peers=peers).kind == "group"
    assert read_session("agent:main:direct:42", ROOMS, owner_peers=peers).kind == "peer"


def test_a_shared_main_is_unknown_but_the_owners_chats_stay_main() -> None:
    def who(key: str) -> Session:
        peers = frozenset({"telegram:direct:42"})
        return read_session(key, ROOMS, owner_peers=peers, main_is_shared=True)

    assert who("main").kind == "unknown"
    assert who("agent:main:main:thread:1").scope is None
    assert "owner_peers" in str(who("main").reason)
    assert who("agent:main:telegram:direct:42").kind == "main"
    assert who("agent:main:telegram:group:-100").kind == "group"


PARTS = """
main direct dm group channel thread subagent cron agent telegram -100 42 c7 incognito-1 acp x@g.us
guild-1 channel-2 discord
""".split()
parts = st.sampled_from(["", *PARTS])
keys = st.lists(parts, max_size=8).map(":".join) | st.text(max_size=30)


@given(keys.map(lambda rest: f"agent:main:{rest}") | keys)
def test_every_key_has_a_reading_and_only_main_reaches_main(key: str) -> None:
    session = read(key)

    if session.scope == MAIN:
        base = key.split(":thread:", maxsplit=1)[0]
        assert base in ("main", "agent:main:main")


word_free = st.text(st.characters(exclude_characters=":"), min_size=1).filter(
    lambda text: text not in {"direct", "dm", "group", "channel", "main", "thread"}
)
chats = st.tuples(st.none() | word_free, st.none() | word_free, word_free).filter(
    lambda chat: chat[0] is not None or chat[1] is None
)


def direct_key(chat: tuple[str | None, str | None, str]) -> str:
    channel, account, peer = chat
    return ":".join(part for part in ("agent:a", channel, account, "direct", peer) if part)


@given(chats, chats)
def test_two_different_direct_chats_never_share_a_scope(
    one: tuple[str | None, str | None, str], other: tuple[str | None, str | None, str]
) -> None:
    first = read_session(direct_key(one), Rooms()).scope
    second = read_session(direct_key(other), Rooms()).scope

    assert (first == second and first is not None) == (one == other and first is not None)


@given(keys)
def test_without_a_list_of_rooms_no_key_opens_a_group(key: str) -> None:
    scope = read_session(f"agent:main:{key}", Rooms()).scope

    assert scope is None or scope.kind in ("main", "peer")


def test_a_peer_and_a_group_of_one_name_are_two_scopes() -> None:
    assert Scope("peer", "dev") != Scope("group", "dev")
