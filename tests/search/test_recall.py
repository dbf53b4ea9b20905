"""Recall answers questions, applies filters and reads entries by id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from remem.model.entry import Origin
from tests.conftest import NOW, Opener
from tests.tables import each_row

NOTES = [
    ("fact", "The gateway host is atlas.example.org, port 8443."),
    ("fact", "PR 42 fixed the login loop."),
    ("fact", "The API is at v3 since May; v2 is gone."),
    ("fact", "Ubuntu 20.04 runs on the build server."),
    ("preference", "David prefers dark roast coffee."),
    ("instruction", "Never send external messages without asking first."),
    ("decision", "We chose pre-edit hooks over post-edit hooks."),
    ("person", "Mara is the accountant; reach her at the Tuesday call."),
    ("insight", "Flaky tests came from the shared clock."),
    ("fact", "新的数据中心在上海，负责人是王伟。"),
    ("fact", "東京のオフィスは渋谷に移転しました。"),
    ("fact", "서울 사무실은 강남으로 이사했습니다."),
    ("fact", "ห้องประชุมอยู่ชั้นสาม"),
    ("fact", "الخادم الجديد في برلين"),
]


@pytest.fixture
def filled(root: Path, tmp_path: Path) -> Iterator[Workspace]:
    """Keywords alone: what the questions below need no model for."""
    with open_workspace(
        root, background=False, clock=lambda: NOW, environment={"REMEM_MODELS": str(tmp_path)}
    ) as memory:
        for category, content in NOTES:
            memory.store(category=category, content=content)
        yield memory


@each_row(
    ("question", "answer"),
    [
        ("where is the gateway host", "atlas"),
        ("PR 42", "login loop"),
        ("v3", "since May"),
        ("20.04", "build server"),
        ("gatway hosst", "atlas"),
        ("what does David prefer to drink?", "dark roast"),
        ("pre-edit", "pre-edit hooks"),
        ("why are tests flaky", "shared clock"),
        ("who is Mara", "accountant"),
        ("数据中心", "上海"),
        ("谁是数据中心的负责人？", "王伟"),
        ("渋谷", "東京"),
        ("강남", "서울"),
        ("ประชุม", "ห้อง"),
        ("برلين", "الخادم"),
    ],
)
def test_a_plain_question_is_answered_first(filled: Workspace, question: str, answer: str) -> None:
    entries = filled.recall(question).entries

    assert entries, question
    assert answer in entries[0].content


@each_row(
    "query",
    ['"', "a AND", "NEAR(", "content:x", "*", "^", "-", "() OR", "'; DROP TABLE x; --", "%", "_"],
)
def test_query_syntax_is_treated_as_words(filled: Workspace, query: str) -> None:
    filled.recall(query)


def test_the_answer_has_the_seeds_fields(filled: Workspace) -> None:
    answer = filled.recall("gateway host")

    entry = answer.entries[0]
    assert entry.category == "fact"
    assert entry.priority == "medium"
    assert 0 < entry.score <= 1
    assert entry.stored_at == "2026-11-15T12:00:00Z"
    assert answer.token_count + answer.budget_remaining == 3000
    assert answer.total_entries_matched >= 1


def test_filters_apply_before_counting(filled: Workspace) -> None:
    answer = filled.recall("gateway David Mara hooks", categories=["person"])

    assert {entry.category for entry in answer.entries} == {"person"}
    assert answer.total_entries_matched == 1


def test_tags_and_priority_narrow_the_answer(memory: Workspace) -> None:
    memory.store(category="fact", content="Alpha server", tags=["Ops"], priority="high")
    memory.store(category="fact", content="Beta server", tags=["ops"])
    memory.store(category="fact", content="Gamma server")

    tagged = memory.recall("server", tags=["ops"]).entries
    urgent = memory.recall("server", priority_min="high").entries

    assert {entry.content for entry in tagged} == {"Alpha server", "Beta server"}
    assert [entry.content for entry in urgent] == ["Alpha server"]


def test_a_query_of_ids_reads_those_entries_whole_and_counts_as_use(memory: Workspace) -> None:
    long = memory.store(category="fact", content="A sentence. " * 400)
    other = memory.store(category="fact", content="Another one.")

    answer = memory.recall(f"{long.id}, {other.id}", token_budget=9000)
    memory.close()

    assert [entry.id for entry in answer.entries] == [long.id, other.id]
    assert answer.entries[0].content == "A sentence. " * 400


def test_reading_by_id_counts_as_use_and_listing_does_not(opened: Opener) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="The spare key lies under the pot.").id
    memory.recall("spare key")
    memory.recall(id_)
    memory.close()

    assert opened().entry(id_).uses == 1


def test_why_names_the_signals_that_placed_an_entry(memory: Workspace) -> None:
    memory.store(category="fact", content="The gateway host is atlas.")
    first = memory.recall("gateway host", why=True).entries[0]

    assert first.why is not None
    assert {"keyword", "meaning", "tokens", "priority", "retention"} <= set(first.why)


def test_an_archived_entry_is_left_out_unless_asked_for(opened: Opener) -> None:
    memory = opened()
    memory.store(category="fact", content="The fair is on.", expires="2026-11-16")
    later = opened(clock=lambda: "2026-11-17T00:00:00Z")

    assert later.recall("fair").entries == ()
    asked = later.recall("fair", include_archived=True).entries
    assert [entry.archived for entry in asked] == [True]


def test_a_date_in_the_question_prefers_what_was_said_then(memory: Workspace) -> None:
    for month in ("03", "06", "09"):
        memory.store(
            category="decision",
            content=f"Budget meeting {month}: we decided on plan {month}.",
            created_at=f"2026-{month}-10",
        )

    first = memory.recall("what did we decide in June about the budget").entries[0]

    assert first.stored_at.startswith("2026-06")


def test_a_name_in_the_question_prefers_what_that_person_said(memory: Workspace) -> None:
    for speaker in ("Tom", "Mara"):
        memory.store(
            category="fact",
            content=f"{speaker}: I adopted a beagle.",
            origin=Origin("chat", 1, speaker, "user"),
        )

    first = memory.recall("What did Mara adopt?").entries[0]

    assert first.content.startswith("Mara")


def test_old_notes_are_found_however_old_they_are(memory: Workspace) -> None:
    memory.store(category="fact", content="The boiler code is 7741.", created_at="2019-01-01")
    for i in range(30):
        memory.store(category="fact", content=f"Boiler maintenance visit number {i} took place.")

    assert "7741" in memory.recall("what is the boiler code").entries[0].content


def test_without_a_hit_the_answer_is_empty_and_says_what_was_searched(opened: Opener) -> None:
    memory = opened()

    answer = memory.recall("anything at all")

    assert answer.entries == ()
    assert answer.total_entries_matched == 0


def test_the_time_of_the_last_recall_is_recorded(opened: Opener) -> None:
    memory = opened()
    memory.store(category="fact", content="One.")
    memory.recall("one")
    memory.close()

    assert opened().status().progressive.last_recall == "2026-11-15T12:00:00Z"


def test_a_second_recall_within_a_minute_writes_nothing(opened: Opener, tmp_path: Path) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="One.").id
    memory.recall("one")
    memory.close()
    (database,) = tmp_path.rglob("entries.db")
    before = database.read_bytes()

    memory = opened()
    memory.recall("one")
    memory.close()
    assert database.read_bytes() == before

    memory = opened()
    memory.recall(id_)
    memory.close()
    assert database.read_bytes() != before, "reading by its id is use, each time"


def test_a_question_that_only_names_a_category_finds_its_entries(filled: Workspace) -> None:
    assert "pre-edit" in filled.recall("what did we decide?").entries[0].content


def test_a_question_that_only_names_a_day_finds_what_was_said_then(filled: Workspace) -> None:
    filled.store(category="fact", content="The boiler was swept.", created_at="2026-11-02")

    found = filled.recall("what happened last monday", now="2026-11-08T12:00:00Z").entries

    assert found[0].content == "The boiler was swept."


def test_a_filter_without_a_question_lists_what_it_admits(filled: Workspace) -> None:
    filled.store(category="decision", content="Ship on Friday.", priority="critical")

    found = filled.recall(categories=["decision"]).entries

    assert [entry.content for entry in found] == [
        "Ship on Friday.",
        "We chose pre-edit hooks over post-edit hooks.",
    ]


def test_a_recall_without_question_and_filter_is_refused(filled: Workspace) -> None:
    with pytest.raises(InvalidInput, match="query"):
        filled.recall()


@each_row(
    ("name", "meant"),
    [
        ("category", "categories"),
        ("budget", "token_budget"),
        ("top_k", "limit"),
        ("max_results", "limit"),
        ("include_untrustd", "include_untrusted"),
        ("asof", "as_of"),
    ],
)
def test_an_unknown_option_is_refused_with_a_suggestion(
    memory: Workspace, name: str, meant: str
) -> None:
    with pytest.raises(InvalidInput, match=f"recall has no parameter '{name}'") as told:
        memory.recall("tea", **{name: 3})  # type: ignore[call-arg]

    assert f"did you mean {meant}?" in str(told.value.hint)


def test_an_unknown_option_without_a_similar_name_lists_all_options(memory: Workspace) -> None:
    with pytest.raises(InvalidInput, match="it takes: categories, priority_min") as told:
        memory.recall("tea", zzz=3)  # type: ignore[call-arg]

    assert "did you mean" not in str(told.value)


def test_of_many_unknown_ids_only_some_are_listed(memory: Workspace) -> None:
    memory.store(category="fact", content="Tea is at five.")
    ids = [f"mem-{number:08d}" for number in range(12)]

    answer = memory.recall(" ".join(ids))

    assert answer.entries == ()
    (note,) = answer.notes
    assert note == f"no entry here has the id {', '.join(ids[:5])} and 7 more"


@each_row(
    ("zone", "yesterday", "other"),
    [
        ("Asia/Tokyo", "2026-11-17T20:00:00Z", "2026-11-17T03:00:00Z"),
        ("America/Los_Angeles", "2026-11-18T01:00:00Z", "2026-11-17T02:00:00Z"),
        ("UTC", "2026-11-17T20:00:00Z", "2026-11-18T01:00:00Z"),
    ],
)
def test_yesterday_is_the_day_before_in_the_time_zone_of_the_owner(
    tmp_path: Path, zone: str, yesterday: str, other: str
) -> None:
    """It is 08:00 on the 19th in Tokyo, and 15:00 on the 18th in Los Angeles."""
    (tmp_path / "memory").mkdir()
    (tmp_path / ".remem").mkdir()
    (tmp_path / ".remem/config.toml").write_text(f'timezone = "{zone}"\nembedder = "none"\n')
    day = "18" if zone == "Asia/Tokyo" else "17"
    for number in (16, 17, 18, 19):
        note = tmp_path / f"memory/2026-11-{number}.md"
        note.write_text(f"- Dinner on the {number}th was fine.\n", encoding="utf-8")
    with open_workspace(
        tmp_path, background=False, clock=lambda: "2026-11-18T23:00:00Z", environment={}
    ) as memory:
        memory.store(category="fact", content="Dinner was noodles.", created_at=yesterday)
        memory.store(category="fact", content="Dinner was soup.", created_at=other)
        question = "what was for dinner yesterday?"

        entries = [e.content for e in memory.recall(question).entries if e.category == "fact"]
        paths = [hit.path for hit in memory.search(question).results]

        assert entries[0] == "Dinner was noodles."
        assert next(p for p in paths if "2026" in p) == f"memory/2026-11-{day}.md"


def test_a_memory_of_a_day_without_a_time_is_of_that_day_in_every_time_zone(
    tmp_path: Path,
) -> None:
    (tmp_path / ".remem").mkdir()
    settings = 'timezone = "America/Los_Angeles"\nembedder = "none"\n'
    (tmp_path / ".remem/config.toml").write_text(settings)
    with open_workspace(tmp_path, background=False, environment={}) as memory:
        memory.store(category="fact", content="The boiler was swept.", created_at="2026-11-02")

        (found,) = memory.recall("what happened on November 2?", now="2026-11-08").entries

        assert found.content == "The boiler was swept."
