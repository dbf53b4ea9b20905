"""Deduplication never loses a word (the founding design, memory_store)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed, UnknownEntry
from remem.model.entry import Origin
from remem.ports.records import Where
from tests.conftest import SECRET, Opener
from tests.tables import each_row
from tests.tiers import examples


def contents(memory: Workspace) -> list[str]:
    with memory.services.store.read() as snapshot:
        return [
            entry.content
            for entry in snapshot.select(Where(state="any"))
            if entry.superseded_by is None
        ]


@contextmanager
def throwaway() -> Iterator[Workspace]:
    """A memory for one example of a property; fixtures outlive those."""
    with (
        TemporaryDirectory() as folder,
        open_workspace(folder, background=False, environment={"REMEM_MODELS": folder}) as memory,
    ):
        yield memory


def exported(memory: Workspace) -> list[dict[str, Any]]:
    return [json.loads(line) for line in memory.export()]


def test_a_new_memory_is_stored_as_the_seed_says(memory: Workspace) -> None:
    receipt = memory.store(category="fact", content="The gateway runs on atlas.")

    assert receipt.stored
    assert not receipt.deduplicated
    assert receipt.category == "fact"
    assert receipt.token_cost > 0
    assert memory.entry(receipt.id).content == "The gateway runs on atlas."


def test_the_same_words_again_reinforce_the_entry(memory: Workspace) -> None:
    first = memory.store(category="fact", content="The gateway runs on atlas.", tags=["ops"])
    second = memory.store(
        category="fact", content="The gateway runs on atlas.", tags=["host"], priority="high"
    )

    entry = memory.entry(first.id)
    assert (second.id, second.stored, second.deduplicated) == (first.id, True, True)
    assert entry.strength == 2
    assert entry.tags == ("ops", "host")
    assert entry.priority == "high"
    assert entry.version == 1


def test_a_later_lower_priority_does_not_replace_a_higher_one(memory: Workspace) -> None:
    first = memory.store(category="fact", content="Back up on Fridays.", priority="critical")
    memory.store(category="fact", content="Back up on Fridays.", priority="low")

    assert memory.entry(first.id).priority == "critical"


def test_another_spelling_is_a_new_version_and_the_old_one_stays(memory: Workspace) -> None:
    first = memory.store(category="fact", content="the gateway   runs on ATLAS.")
    second = memory.store(category="fact", content="The gateway runs on atlas.")

    history = memory.history(first.id)
    assert second.id == first.id
    assert second.deduplicated
    assert [version.entry.content for version in history] == [
        "the gateway   runs on ATLAS.",
        "The gateway runs on atlas.",
    ]


def test_a_text_that_holds_every_old_sentence_is_a_new_version(memory: Workspace) -> None:
    first = memory.store(category="fact", content="The gateway runs on atlas.")
    second = memory.store(
        category="fact", content="The gateway runs on atlas. It was moved there in May."
    )

    assert (second.id, second.deduplicated, second.version) == (first.id, True, 2)
    assert memory.history(first.id)[0].entry.content == "The gateway runs on atlas."


def test_a_similar_memory_is_stored_separately_and_linked(memory: Workspace) -> None:
    words = "the nightly backup of the wiki goes to the blue disk in the cellar at"
    first = memory.store(category="fact", content=f"{words} two")
    second = memory.store(category="fact", content=f"{words} three")

    assert second.id != first.id
    assert not second.deduplicated
    assert second.linked == (first.id,)
    assert memory.entry(first.id).related_to == (second.id,)
    assert memory.entry(second.id).related_to == (first.id,)


def test_only_the_same_category_and_trust_merge(memory: Workspace) -> None:
    fact = memory.store(category="fact", content="Tea after lunch.")
    preference = memory.store(category="preference", content="Tea after lunch.")
    stranger = memory.store(category="fact", content="Tea after lunch.", trust="untrusted")

    assert len({fact.id, preference.id, stranger.id}) == 3


def test_superseding_replaces_and_keeps_the_old_one(memory: Workspace) -> None:
    old = memory.store(category="decision", content="We use Postgres for the ledger.")
    new = memory.store(
        category="decision", content="We use SQLite for the ledger.", supersedes=[old.id]
    )

    answer = memory.recall("what do we use for the ledger")
    assert new.superseded == (old.id,)
    assert memory.entry(old.id).superseded_by == new.id
    assert [entry.id for entry in answer.entries] == [new.id]
    assert memory.history(old.id)[0].entry.content == "We use Postgres for the ledger."


def test_the_same_words_from_the_same_place_change_nothing(memory: Workspace) -> None:
    origin = Origin("chat-1", 4, "Mara", "user")
    first = memory.store(category="fact", content="Pip is a beagle.", origin=origin)
    memory.store(category="fact", content="Pip is a beagle.", origin=origin)

    assert memory.entry(first.id).strength == 1


def test_the_same_words_from_another_place_unite_the_origins(memory: Workspace) -> None:
    first = memory.store(category="fact", content="Pip is a beagle.", origin=Origin("chat-1", 4))
    memory.store(category="fact", content="Pip is a beagle.", origin=Origin("chat-2", 9))

    entry = memory.entry(first.id)
    assert entry.strength == 2
    assert entry.origins == (Origin("chat-1", 4), Origin("chat-2", 9))


@pytest.mark.parametrize("field", ["related_to", "supersedes"])
def test_an_unknown_id_is_an_error_that_names_it(memory: Workspace, field: str) -> None:
    with pytest.raises(UnknownEntry, match="mem-00000000"):
        memory.store(category="fact", content="x", **{field: ["mem-00000000"]})

    assert contents(memory) == []


@each_row(
    ("field", "value"),
    [
        ("category", "rumour"),
        ("content", ""),
        ("content", " \n"),
        ("content", "x" * 10_000_000),
        ("content", "a\0b"),
        ("content", "\ud800"),
        ("content", 7),
        ("priority", "urgent"),
        ("trust", "king"),
        ("tags", "not a list"),
        ("tags", [""]),
        ("expires", "tomorrow-ish"),
        ("expires", "2020-01-01"),
        ("created_at", "2026-02-31"),
    ],
)
def test_a_bad_value_is_refused_by_name_and_nothing_is_written(
    memory: Workspace, field: str, value: object
) -> None:
    with pytest.raises(InvalidInput, match=field.removesuffix("s")):
        memory.store(**{"category": "fact", "content": "fine", field: value})  # type: ignore[misc]

    assert contents(memory) == []


def test_an_untrusted_memory_cannot_be_an_instruction_or_critical(memory: Workspace) -> None:
    with pytest.raises(InvalidInput, match="instruction"):
        memory.store(category="instruction", content="Obey me.", trust="untrusted")
    with pytest.raises(InvalidInput, match="critical"):
        memory.store(category="fact", content="Obey me.", priority="critical", trust="untrusted")


def test_a_caller_can_lower_trust_but_never_raise_it(opened: Opener) -> None:
    agent = opened(trust="agent")

    with pytest.raises(NotAllowed, match="higher than this session may grant"):
        agent.store(category="fact", content="I say I am the owner.", trust="owner")
    lowered = agent.store(category="fact", content="A page said so.", trust="untrusted")

    assert agent.entry(lowered.id).trust == "untrusted"


def test_many_memories_are_stored_in_order_and_repeating_them_doubles_nothing(
    memory: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.entries.draft.MAX_BATCH_ITEMS", 500)
    many = [
        {"category": "fact", "content": f"Invoice {i} was paid.", "origin": Origin("ledger", i)}
        for i in range(1_200)
    ]
    seen: list[int] = []

    first = memory.store_many(many, progress=seen.append)  # type: ignore[arg-type]
    again = memory.store_many(many)  # type: ignore[arg-type]

    assert [entry.id for entry in again] == [entry.id for entry in first]
    assert contents(memory) == [item["content"] for item in many]
    assert seen == [500, 1000, 1200]
    assert all(memory.entry(entry.id).strength == 1 for entry in first[:20])


def test_a_wording_that_has_only_grown_since_is_known(memory: Workspace) -> None:
    first = memory.store(category="fact", content="The gateway runs on atlas.")
    memory.store(category="fact", content="The gateway runs on atlas. It moved in May.")

    again = memory.store(category="fact", content="The gateway runs on atlas.")

    assert (again.id, again.deduplicated, again.version) == (first.id, True, 2)
    assert contents(memory) == ["The gateway runs on atlas. It moved in May."]


def test_a_wording_that_was_replaced_since_is_news(memory: Workspace, root: Path) -> None:
    """Who edited it away and hears it again has two statements, not one."""
    first = memory.store(category="fact", content="The gateway runs on atlas.")
    file = root / "memory/domains/facts.md"
    file.write_text(file.read_text().replace("on atlas", "on borg"))
    assert memory.recall("gateway").entries[0].content == "The gateway runs on borg."

    again = memory.store(category="fact", content="The gateway runs on atlas.")

    assert again.id != first.id
    assert not again.deduplicated


def test_a_spelling_that_was_seen_before_is_no_new_version(memory: Workspace) -> None:
    first = memory.store(category="fact", content="the gateway   runs on ATLAS.")
    memory.store(category="fact", content="The gateway runs on atlas.")

    again = memory.store(category="fact", content="the gateway   runs on ATLAS.")

    assert (again.id, again.version) == (first.id, 2)
    assert memory.entry(first.id).content == "The gateway runs on atlas."


@pytest.mark.parametrize(
    ("many", "kept"),
    [
        (["Tea. Tea.", "Tea. No milk.", "Tea. tea."], ["Tea. No milk.", "Tea. tea."]),
        (["Tea.", "Tea. Tea.", "tea. tea."], ["tea. tea."]),
    ],
)
def test_what_was_extended_and_spelled_otherwise_since_is_known(
    memory: Workspace, many: list[str], kept: list[str]
) -> None:
    for _ in range(2):
        memory.store_many({"category": "fact", "content": text} for text in many)

    assert [line["entry"]["content"] for line in exported(memory)] == kept


@settings(max_examples=15)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["Tea.", "tea.", "No  milk.", "No milk.", "Two cups.", "茶を飲む。"]),
            min_size=1,
            max_size=4,
        ).map(" ".join),
        min_size=1,
        max_size=10,
    ),
    st.integers(0, 10),
)
def test_many_memories_repeated_after_a_kill_anywhere_leave_what_one_run_leaves(
    texts: list[str], killed_after: int
) -> None:
    many = [{"category": "fact", "content": text} for text in texts]
    with throwaway() as memory:
        memory.store_many(many[:killed_after])  # type: ignore[arg-type]
        memory.store_many(many)  # type: ignore[arg-type]
        once = [(line["entry"]["content"], line["entry"]["strength"]) for line in exported(memory)]
        memory.store_many(many)  # type: ignore[arg-type]
        twice = [(line["entry"]["content"], line["entry"]["strength"]) for line in exported(memory)]

    assert twice == once
    assert len(set(once)) == len(once)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.text(
            alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=80
        ).filter(str.strip),
        min_size=1,
        max_size=12,
    )
)
def test_whatever_is_stored_no_wording_is_ever_lost(memory: Workspace, texts: list[str]) -> None:
    """Every acknowledged wording is the content of an entry or of one of its versions."""
    for text in texts:
        receipt = memory.store(category="fact", content=text)
        wordings = [version.entry.content for version in memory.history(receipt.id)]
        if not receipt.redacted:
            assert text in wordings


def test_a_superseding_memory_that_is_sent_again_changes_nothing(memory: Workspace) -> None:
    old = memory.store(category="decision", content="We use Postgres.").id
    ids = {
        memory.store(category="decision", content="We use SQLite.", supersedes=[old]).id
        for _ in range(3)
    }

    assert len(ids) == 1
    assert memory.entry(old).superseded_by in ids


def test_storing_a_permanent_memory_again_with_an_expiry_keeps_it_permanent(
    memory: Workspace,
) -> None:
    id_ = memory.store(category="fact", content="Pip is a beagle.").id
    memory.store(category="fact", content="Pip is a beagle.", expires="2026-12-01")

    assert memory.entry(id_).expires_at is None


def test_secrets_in_an_origin_are_masked(memory: Workspace) -> None:
    receipt = memory.store(
        category="fact", content="It works.", origin=Origin(f"chat {SECRET}", 1, SECRET, "user")
    )

    (origin,) = memory.entry(receipt.id).origins
    assert SECRET not in f"{origin.source} {origin.speaker}"
    assert receipt.redacted


def test_another_spelling_from_the_same_place_is_stored_as_acknowledged(memory: Workspace) -> None:
    origin = Origin("chat", 1)
    id_ = memory.store(category="fact", content="the gateway  is ATLAS.", origin=origin).id
    memory.store(category="fact", content="The gateway is atlas.", origin=origin)

    assert memory.entry(id_).content == "The gateway is atlas."


def test_said_again_with_a_topics_tag_it_moves_to_the_topics_file(
    opened: Opener, root: Path
) -> None:
    opened().sync()
    (root / ".remem/config.toml").write_text('topics = ["garden"]\n', encoding="utf-8")
    memory = opened()
    memory.store(category="fact", content="Roses need lime.")
    memory.store(category="fact", content="Roses need lime.", tags=["garden"])

    assert "Roses" in (root / "memory/domains/garden.md").read_text(encoding="utf-8")
    assert "Roses" not in (root / "memory/domains/facts.md").read_text(encoding="utf-8")
