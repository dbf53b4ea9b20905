from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.errors import ConfigError
from remem.files.layout import Layout, check_topics, domain_file, stem_and_part
from remem.model.domain_routing import STEMS
from remem.model.scope import MAIN, Scope, folder_name
from tests.tables import each_row

ROOT = Path("/workspace")
LAYOUT = Layout(ROOT)
SCOPES = [MAIN, Scope("group", "team"), Scope("peer", "team"), Scope("shared", "team")]


def test_main_is_at_the_top() -> None:
    assert LAYOUT.memory == ROOT / "memory"
    assert LAYOUT.index_file == ROOT / "memory/INDEX.md"
    assert LAYOUT.config_file == ROOT / ".remem/config.toml"
    assert LAYOUT.database(MAIN) == ROOT / ".remem/main/entries.db"
    assert LAYOUT.passages(MAIN) == ROOT / ".remem/main/passages.db"
    assert LAYOUT.conflicts(MAIN) == ROOT / ".remem/main/conflicts"
    assert LAYOUT.aside(MAIN) == ROOT / ".remem/main/aside"
    assert LAYOUT.domain_path(MAIN, "people") == ROOT / "memory/domains/people.md"


@each_row(("kind", "plural"), [("group", "groups"), ("peer", "peers"), ("shared", "shared")])
def test_every_other_scope_has_its_own_folder(kind: str, plural: str) -> None:
    scope = next(scope for scope in SCOPES if scope.kind == kind)
    folder = folder_name("team")

    assert LAYOUT.state_folder(scope) == ROOT / ".remem" / plural / folder
    assert LAYOUT.domains(scope) == ROOT / "memory" / plural / folder / "domains"
    assert LAYOUT.domain_path(scope, "facts", 3).name == "facts-3.md"


def test_no_two_scopes_share_a_place() -> None:
    for place in (LAYOUT.state_folder, LAYOUT.database, LAYOUT.passages, LAYOUT.domains):
        assert len({place(scope) for scope in SCOPES}) == len(SCOPES)


@settings(deadline=None)
@given(st.text(min_size=1, max_size=20))
def test_no_name_leads_out_of_the_workspace(name: str) -> None:
    for kind in ("group", "peer", "shared"):
        for path in (
            LAYOUT.state_folder(Scope(kind, name)),
            LAYOUT.domains(Scope(kind, name)),
        ):
            assert ".." not in path.parts
            assert len(path.relative_to(ROOT).parts) == (3 if ".remem" in path.parts else 4)


TOPICS = st.text(
    st.characters(categories=["L", "N"], include_characters="-_"), min_size=1, max_size=20
)


def is_topic(name: str) -> bool:
    try:
        return check_topics([name]) == (name,)
    except ConfigError:
        return False


@settings(deadline=None)
@given(st.sampled_from(sorted(STEMS.values())) | TOPICS.filter(is_topic), st.integers(1, 5000))
def test_a_file_name_is_split_into_stem_and_part(stem: str, part: int) -> None:
    assert stem_and_part(domain_file(stem, part)) == (stem, part)


@each_row(
    "name",
    [
        *("facts-1.md", "facts-02.md", "facts-0.md", "facts-99999999999999999999.md"),
        *("facts.txt", "facts", ".md", "-2.md", ""),
    ],
)
def test_a_name_that_remem_never_gives_is_not_a_domain_file(name: str) -> None:
    assert stem_and_part(name) is None


@each_row("topic", ["work", "home-lab", "2026", "q3-2026-plan", "健康", "café", "हिन्दी"])
def test_these_can_be_topics(topic: str) -> None:
    assert check_topics([topic]) == (topic,)


@each_row(
    "topic",
    ["", "facts", "Facts", "untrusted", "INDEX", "index", "facts-2", "work-17", "-work", "_work",
     ".work", "..", "a/b", "a\\b", "a b", "a\n", "a.md", "x" * 41, "cafe\u0301", "a\u202eb"],
)  # fmt: skip
def test_these_cannot(topic: str) -> None:
    with pytest.raises(ConfigError, match="topic"):
        check_topics([topic])


def test_two_topics_never_share_a_file() -> None:
    for twins in (["Work", "work"], ["work", "work"], ["STRASSE", "strasse"]):
        with pytest.raises(ConfigError, match="name the same file"):
            check_topics(twins)
    assert check_topics(["work", "health"]) == ("work", "health")
