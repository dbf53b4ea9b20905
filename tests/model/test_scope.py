"""Who may read and write what, as in the table of DESIGN."""

import unicodedata
from collections.abc import Callable
from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import InvalidInput
from remem.model.scope import (
    MAIN,
    NO_GRANTS,
    Audience,
    Grant,
    Grants,
    Handle,
    Level,
    Scope,
    Session,
    SessionKind,
    check_space_name,
    folder_name,
    level_in,
    may_read,
    may_write,
    permitted_spaces,
    reader_name,
    writer_name,
)
from tests.tables import each_row

pytestmark = pytest.mark.walls

NAMES = ["1", "10", "dev", "dev2", "Dev", "main", "group:dev", "é", "e\u0301"]
SCOPES = [
    MAIN,
    *(Scope(kind, name) for kind in ("group", "peer", "shared") for name in NAMES),
]
SESSIONS = [
    Session("main", "a", "main", MAIN, None),
    *(Session("group", "a", name, Scope("group", name), None) for name in NAMES),
    *(Session("peer", "a", name, Scope("peer", name), None) for name in NAMES),
    *(Session(kind, "a", kind, None, "why") for kind in ("subagent", "scheduled", "unknown")),
    Session("incognito", "a", "incognito", None, "why"),
]
# What DESIGN grants each kind of session in a shared space, and to whom it must be granted.
READS_AS: dict[SessionKind, Audience] = {
    "group": "groups",
    "peer": "peers",
    "subagent": "subagents",
    "scheduled": "unknown",
    "unknown": "unknown",
}
WRITES_AS: dict[SessionKind, Audience] = {"main": "main", "subagent": "subagents"}

Rule = Callable[[Session, Scope, Grants], bool]

READERS = [*get_args(Audience), "agent:a", "agent:b", "group:dev", "peer:Dev"]
WRITERS = ["main", "subagents", "agent:a", "agent:b"]
levels = st.dictionaries(st.sampled_from(WRITERS), st.sampled_from(get_args(Level))) | (
    st.dictionaries(st.sampled_from(READERS), st.just("read"))
)
grants = st.lists(
    st.builds(Grant, st.sampled_from(NAMES), levels.map(lambda given: tuple(given.items()))),
    unique_by=lambda grant: grant.space,
).map(lambda spaces: Grants(tuple(spaces)))


def granted_to(session: Session, space: str, granted: Grants) -> set[str]:
    """The levels that a session was given in a space, restated."""
    names = {READS_AS.get(session.kind), WRITES_AS.get(session.kind), str(session.scope)}
    if session.kind == "subagent":
        names.add(f"agent:{session.agent}")
    return {
        level
        for grant in granted.spaces
        if grant.space == space
        for name, level in grant.levels
        if name in names
    }


def should_read(session: Session, scope: Scope, granted: Grants) -> bool:
    """DESIGN's table, column "may read", restated."""
    if session.kind == "incognito":
        return False
    if scope.kind == "shared":
        return session.kind == "main" or bool(granted_to(session, scope.name, granted))
    kinds = {"main": "main", "group": "group", "peer": "peer"}
    own = session.scope.name if session.scope else None
    return kinds.get(session.kind) == scope.kind and own == scope.name


def should_write(session: Session, scope: Scope, granted: Grants) -> bool:
    """DESIGN's table, column "may write", restated."""
    if scope.kind == "shared":
        allowed = session.kind in WRITES_AS
        return allowed and "write" in granted_to(session, scope.name, granted)
    return should_read(session, scope, granted)


def breaches(rule: Rule, table: Rule, granted: Grants) -> list[str]:
    """Every place where a rule and the table differ."""
    return [
        f"{session.kind} {session.scope} and {scope}"
        for session, scope in product(SESSIONS, SCOPES)
        if rule(session, scope, granted) != table(session, scope, granted)
    ]


def everyone(space: str) -> Grant:
    levels: dict[str, Level] = dict.fromkeys(get_args(Audience), "read")
    return Grant(space, tuple((levels | {"main": "write", "subagents": "write"}).items()))


@each_row("granted", [NO_GRANTS, Grants((everyone("dev"),)), Grants(tuple(map(everyone, NAMES)))])
def test_the_rules_are_the_table(granted: Grants) -> None:
    assert breaches(may_read, should_read, granted) == []
    assert breaches(may_write, should_write, granted) == []


@given(grants)
def test_the_rules_are_the_table_for_any_grants(granted: Grants) -> None:
    assert breaches(may_read, should_read, granted) == []
    assert breaches(may_write, should_write, granted) == []


def a_prefix_is_enough(session: Session, scope: Scope, granted: Grants) -> bool:
    if scope.kind == "shared":
        return may_read(session, scope, granted)
    return session.scope is not None and str(scope).startswith(str(session.scope))


def names_fold(session: Session, scope: Scope, granted: Grants) -> bool:
    own = session.scope
    if own and own.kind == scope.kind:
        return own.name.casefold() == scope.name.casefold()
    return may_read(session, scope, granted)


def kinds_do_not_matter(session: Session, scope: Scope, granted: Grants) -> bool:
    return session.scope is not None and session.scope.name == scope.name


def main_reads_all(session: Session, scope: Scope, granted: Grants) -> bool:
    return session.kind == "main" or may_read(session, scope, granted)


def unknown_is_main(session: Session, scope: Scope, granted: Grants) -> bool:
    return (session.kind == "unknown" and scope == MAIN) or may_read(session, scope, granted)


@each_row(
    "wrong",
    [a_prefix_is_enough, names_fold, kinds_do_not_matter, main_reads_all, unknown_is_main],
)
def test_the_table_finds_wrong_rules(wrong: Rule) -> None:
    assert breaches(wrong, should_read, NO_GRANTS) != []


@given(grants, st.sampled_from(SESSIONS))
def test_a_session_reads_nothing_private_but_its_own(granted: Grants, session: Session) -> None:
    private = {scope for scope in SCOPES if scope.kind != "shared"}
    readable = {scope for scope in private if may_read(session, scope, granted)}

    assert readable == ({session.scope} if session.scope else set())


@given(grants, st.sampled_from(SESSIONS), st.sampled_from(SCOPES))
def test_only_main_and_sub_agents_ever_write_to_a_shared_space(
    granted: Grants, session: Session, scope: Scope
) -> None:
    if scope.kind == "shared" and may_write(session, scope, granted):
        assert session.kind in ("main", "subagent")


@given(grants, st.sampled_from(SCOPES))
def test_incognito_sees_and_changes_nothing(granted: Grants, scope: Scope) -> None:
    assert not may_read(SESSIONS[-1], scope, granted)
    assert not may_write(SESSIONS[-1], scope, granted)


@each_row("grantee", ["groups", "peers", "unknown", "group:dev", "peer:dev"])
@each_row("level", ["propose", "write"])
def test_groups_peers_and_strangers_only_ever_read(grantee: str, level: Level) -> None:
    with pytest.raises(InvalidInput, match="can only read"):
        Grant("team", ((grantee, level),))


def test_a_grant_that_the_table_rules_out_is_refused() -> None:
    for grantee in ("group", "everybody", "", "agent:", "group:", "shared:team"):
        with pytest.raises(InvalidInput, match="cannot be granted to"):
            Grant("team", ((grantee, "read"),))
    with pytest.raises(InvalidInput, match="unknown level 'own'"):
        Grant("team", (("main", "own"),))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="granted to 'main' twice"):
        Grant("team", (("main", "read"), ("main", "write")))
    with pytest.raises(InvalidInput, match="'team' is granted twice"):
        Grants((Grant("team"), Grant("team")))


OF_A = Session("subagent", "a", "agent:a:subagent:1", None, "why")
OF_B = Session("subagent", "b", "agent:b:subagent:1", None, "why")


def test_an_agent_is_granted_a_space_by_name() -> None:
    granted = Grants((Grant("team", (("agent:a", "propose"), ("subagents", "read"))),))

    assert level_in(OF_A, "team", granted) == "propose"
    assert level_in(OF_B, "team", granted) == "read"
    assert level_in(SESSIONS[1], "team", granted) is None  # a group of the agent a


def test_the_highest_of_several_grants_counts() -> None:
    granted = Grants((Grant("team", (("agent:a", "read"), ("subagents", "write"))),))

    assert level_in(OF_A, "team", granted) == "write"


def test_a_session_uses_the_spaces_that_are_granted_to_it_and_no_other() -> None:
    granted = Grants((Grant("ops", (("groups", "read"),)), Grant("home"), Grant("dev")))

    assert permitted_spaces(SESSIONS[1], granted) == {"ops": "read"}
    assert permitted_spaces(SESSIONS[0], granted) == dict.fromkeys(["dev", "home", "ops"], "read")
    assert permitted_spaces(OF_A, granted) == {}


def held(parent: Session, level: Level, *spaces: str) -> Session:
    handle = Handle("scout", spaces, level)
    return Session("subagent", parent.agent, parent.key, None, "why", handle, parent)


@given(grants, st.sampled_from(SESSIONS), st.sampled_from(NAMES), st.sampled_from(get_args(Level)))
def test_a_handle_never_allows_more_than_its_parent_may(
    granted: Grants, parent: Session, space: str, level: Level
) -> None:
    allowed = level_in(held(parent, level, space), space, granted)
    limit = level_in(parent, space, granted)

    order = [None, *get_args(Level)]
    assert order.index(allowed) <= order.index(limit)
    assert order.index(allowed) <= order.index(level)
    assert level_in(held(parent, level), space, granted) is None


def test_a_sub_agent_writes_only_where_the_owner_lets_sub_agents_write() -> None:
    ours = Grants((Grant("team", (("main", "write"),)),))
    theirs = Grants((Grant("team", (("main", "write"), ("subagents", "write"))),))

    assert level_in(held(SESSIONS[0], "write", "team"), "team", ours) == "propose"
    assert level_in(held(SESSIONS[0], "write", "team"), "team", theirs) == "write"


def test_only_a_sub_agent_can_have_a_handle() -> None:
    main = SESSIONS[0]
    with pytest.raises(InvalidInput, match="only a sub-agent has a handle"):
        Session("main", "a", "main", MAIN, None, Handle("x", ()), main)
    with pytest.raises(InvalidInput, match="only a sub-agent has a handle"):
        Session("subagent", "a", "x", None, "why", Handle("x", ()))


def test_an_author_is_named_without_the_id_of_a_chat() -> None:
    peer = Session("peer", "a", "agent:a:telegram:direct:4711", Scope("peer", "4711"), None)

    assert writer_name(SESSIONS[0], is_owner=True) == "owner"
    assert writer_name(SESSIONS[0]) == "agent:a"
    assert writer_name(held(peer, "read", "team")) == "subagent:a/scout"
    assert "4711" not in writer_name(peer)
    assert reader_name(peer) == "peer:4711"


@each_row("name", ["", "Ops", "a b", "../x", "-x", "con", "ä", "x" * 41, "a/b"])
def test_a_space_has_a_name_that_everybody_can_type(name: str) -> None:
    with pytest.raises(InvalidInput, match="a space cannot be named"):
        check_space_name(name)


@each_row(
    ("scope", "text"),
    [
        (MAIN, "main"),
        (Scope("group", "main"), "group:main"),
        (Scope("peer", "telegram:direct:42"), "peer:telegram:direct:42"),
        (Scope("shared", "team"), "shared:team"),
    ],
)
def test_a_scope_is_written_as_its_kind_and_name(scope: Scope, text: str) -> None:
    assert str(scope) == text


def test_only_main_goes_without_a_name() -> None:
    for kind, name in (("main", "x"), ("group", ""), ("peer", ""), ("shared", "")):
        with pytest.raises(InvalidInput):
            Scope(kind, name)


@each_row(
    ("kind", "scope", "reason"),
    [
        ("main", None, "why"),
        ("main", Scope("group", "dev"), None),
        ("group", MAIN, None),
        ("peer", Scope("shared", "team"), None),
        ("unknown", MAIN, None),
        ("unknown", None, None),
        ("subagent", MAIN, "why"),
    ],
)
def test_a_session_cannot_carry_a_scope_that_is_not_its_own(
    kind: SessionKind, scope: Scope | None, reason: str | None
) -> None:
    with pytest.raises(InvalidInput):
        Session(kind, "a", "key", scope, reason)


@each_row("name", ["dev", "a", "team_2", "2026-plans", "x" * 60, "-"])
def test_plain_names_are_their_own_folders(name: str) -> None:
    assert folder_name(name) == name


HARD_NAMES = [
    "Dev",
    "DEV",
    "café",
    unicodedata.normalize("NFD", "café"),
    ".",
    "..",
    "../../etc",
    "a/b",
    "a\\b",
    "a b",
    "a-b ",
    "a.b",
    "dev.",
    "con",
    "COM1",
    "nul",
    "x" * 61,
    "x" * 300,
    "x" * 301,
    "日本語",
    "🎉",
    "👩‍💻",
    "dev~0123456789",
    "telegram:direct:42",
    "\x00",
    "\n",
    "\ud800",
    "",
]


@given(st.text() | st.sampled_from(HARD_NAMES))
def test_a_folder_is_one_safe_short_component(name: str) -> None:
    folder = folder_name(name)

    assert 1 <= len(folder) <= 60
    assert len(folder.encode()) <= 200
    assert not set(folder) & set('/\\:*?"<>|. \0\n')
    assert folder == unicodedata.normalize("NFKC", folder)
    assert folder not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


@given(st.lists(st.text() | st.sampled_from(HARD_NAMES), unique=True, max_size=30))
def test_two_names_never_share_a_folder(names: list[str]) -> None:
    assert len({folder_name(name) for name in names}) == len(names)


@given(st.lists(st.text() | st.sampled_from(HARD_NAMES), unique=True, max_size=30))
def test_no_file_system_takes_two_folders_for_one(names: list[str]) -> None:
    folders = [folder_name(name) for name in names]

    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        seen = {unicodedata.normalize(form, folder).upper() for folder in folders}
        assert len(seen) == len(names)
        seen = {unicodedata.normalize(form, folder).casefold() for folder in folders}
        assert len(seen) == len(names)


@each_row("name", ["küche", "général", "工作坊", "工房", "кухня", "부엌", "مطبخ", "café-2"])
def test_a_name_in_small_letters_of_any_script_is_its_folder(name: str) -> None:
    assert folder_name(name) == name


@each_row(
    "name, folder",
    [
        ("Küche Süd", "küche-süd~"),
        ("straße", "strasse~"),
        ("通讯 组", "通讯-组~"),
        ("ı", "ı~"),
    ],
)
def test_any_other_name_is_readable_and_has_a_digest(name: str, folder: str) -> None:
    assert folder_name(name).startswith(folder.partition("~")[0] + "~")


def test_no_two_hard_names_share_a_folder() -> None:
    names = [*HARD_NAMES, "dev", "a-b", "name", "x" * 60]

    assert len({folder_name(name) for name in names}) == len(names)
