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
    Scope,
    Session,
    SessionKind,
    folder_name,
    may_read,
    may_write,
)

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

audiences = st.frozensets(st.sampled_from(get_args(Audience)))
writers = st.frozensets(st.sampled_from(["main", "subagents"]))
grants = st.lists(
    st.builds(Grant, st.sampled_from(NAMES), audiences, writers),
    unique_by=lambda grant: grant.space,
).map(lambda spaces: Grants(tuple(spaces)))


def should_read(session: Session, scope: Scope, granted: Grants) -> bool:
    """DESIGN's table, column "may read", restated."""
    if session.kind == "incognito":
        return False
    if scope.kind == "shared":
        wanted = READS_AS.get(session.kind)
        return session.kind == "main" or any(
            grant.space == scope.name and wanted in grant.read for grant in granted.spaces
        )
    kinds = {"main": "main", "group": "group", "peer": "peer"}
    own = session.scope.name if session.scope else None
    return kinds.get(session.kind) == scope.kind and own == scope.name


def should_write(session: Session, scope: Scope, granted: Grants) -> bool:
    """DESIGN's table, column "may write", restated."""
    if scope.kind == "shared":
        wanted = WRITES_AS.get(session.kind)
        return wanted is not None and any(
            grant.space == scope.name and wanted in grant.write for grant in granted.spaces
        )
    return should_read(session, scope, granted)


def breaches(rule: Rule, table: Rule, granted: Grants) -> list[str]:
    """Every place where a rule and the table differ."""
    return [
        f"{session.kind} {session.scope} and {scope}"
        for session, scope in product(SESSIONS, SCOPES)
        if rule(session, scope, granted) != table(session, scope, granted)
    ]


def everyone(space: str) -> Grant:
    return Grant(space, frozenset(get_args(Audience)), frozenset({"main", "subagents"}))


@pytest.mark.parametrize(
    "granted", [NO_GRANTS, Grants((everyone("dev"),)), Grants(tuple(map(everyone, NAMES)))]
)
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


@pytest.mark.parametrize(
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


def test_a_grant_that_the_table_rules_out_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'groups' cannot write"):
        Grant("team", write=frozenset({"groups"}))
    with pytest.raises(InvalidInput, match="unknown kind of session 'group'"):
        Grant("team", read=frozenset({"group"}))
    with pytest.raises(InvalidInput, match="'team' is granted twice"):
        Grants((Grant("team"), Grant("team")))


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("name", ["dev", "a", "team_2", "2026-plans", "x" * 60, "-"])
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
    assert set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-~")
    assert folder not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


@given(st.lists(st.text() | st.sampled_from(HARD_NAMES), unique=True, max_size=30))
def test_two_names_never_share_a_folder(names: list[str]) -> None:
    assert len({folder_name(name) for name in names}) == len(names)


def test_no_two_hard_names_share_a_folder() -> None:
    names = [*HARD_NAMES, "dev", "a-b", "name", "x" * 60]

    assert len({folder_name(name) for name in names}) == len(names)
