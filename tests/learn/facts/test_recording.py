"""Facts are recorded and superseded; none is deleted, doubled or reworded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remem.app.workspace import Workspace
from remem.errors import FileError, InvalidInput
from tests.conftest import SECRET, Opener
from tests.samples.para import facts as sample_facts
from tests.samples.world import world

ZOE = "brain/areas/zoë-müller/items.json"


def items(root: Path, path: str = ZOE) -> Any:
    return json.loads((root / path).read_text(encoding="utf-8"))


def test_a_new_fact_has_the_fields_of_the_schema_and_its_origin(
    memory: Workspace, root: Path
) -> None:
    done = memory.facts.record(
        "Zoë Müller",
        "Zoë leads the choir.",
        category="milestone",
        timestamp="2026-11-02",
        source="observation",
        origin="memory/2026-11-02.md#L4-L5",
        kind="person",
    )

    assert items(root) == [
        {
            "id": "zoë-müller-001",
            "fact": "Zoë leads the choir.",
            "category": "milestone",
            "timestamp": "2026-11-02",
            "source": "observation",
            "status": "active",
            "supersededBy": None,
            "origin": "memory/2026-11-02.md#L4-L5",
        }
    ]
    assert done.facts is not None
    assert done.facts[0].place == f"{ZOE}#L2-L11"
    assert done.entity is not None
    assert (done.entity.name, done.entity.kind) == ("Zoë Müller", "person")


def test_the_defaults_are_today_and_this_conversation(opened: Opener, root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('timezone = "Pacific/Kiritimati"\n')

    opened(conversation="7f3a").facts.record("Zoë Müller", "Zoë sings.")

    (fact,) = items(root)
    assert (fact["timestamp"], fact["origin"]) == ("2026-11-16", "conversation:7f3a")
    assert (fact["category"], fact["source"]) == ("status", "conversation")


def test_the_same_statement_is_recorded_once(memory: Workspace, root: Path) -> None:
    first = memory.facts.record("Zoë Müller", "Zoë sings.")
    before = (root / ZOE).read_bytes()

    again = memory.facts.record("zoë  MÜLLER", "zoë  SINGS.")

    assert (first.known, again.known) == (False, True)
    assert again.facts == first.facts
    assert (root / ZOE).read_bytes() == before


def test_a_superseded_statement_can_be_recorded_again(memory: Workspace, root: Path) -> None:
    memory.facts.record("Zoë Müller", "Zoë lives in Bern.")
    memory.facts.supersede("zoë-müller-001", "Zoë lives in Basel.")

    back = memory.facts.record("Zoë Müller", "Zoë lives in Bern.")

    assert not back.known
    assert [item["id"] for item in items(root)] == [f"zoë-müller-00{n}" for n in (1, 2, 3)]


def test_superseding_writes_both_facts_in_one_step(memory: Workspace, root: Path) -> None:
    memory.facts.record("Zoë Müller", "Zoë lives in Bern.", timestamp="2026-01-05")

    done = memory.facts.supersede("zoë-müller-001", "Zoë lives in Basel.")

    old, new = items(root)
    assert (old["status"], old["supersededBy"]) == ("superseded", "zoë-müller-002")
    assert old["fact"] == "Zoë lives in Bern."
    assert (new["id"], new["status"], new["supersededBy"]) == ("zoë-müller-002", "active", None)
    assert done.superseded is not None
    assert done.superseded.superseded_by == "zoë-müller-002"
    assert done.contradicts is None, "what was replaced is no contradiction any more"


def test_a_successor_has_the_category_of_the_old_fact_by_default(
    memory: Workspace, root: Path
) -> None:
    old = memory.facts.record("Zoë Müller", "Zoë is Ann's boss.", category="relationship")
    assert old.facts is not None
    new = memory.facts.supersede(old.facts[0].id, "Zoë is Ann's colleague.")
    assert new.facts is not None
    memory.facts.supersede(new.facts[0].id, "Zoë has left.", category="milestone")

    kinds = [item["category"] for item in items(root)]

    assert kinds == ["relationship", "relationship", "milestone"]


def test_a_fact_can_be_superseded_by_an_existing_one(memory: Workspace, root: Path) -> None:
    memory.facts.record("Zoë Müller", "Zoë lives in Bern.", timestamp="2026-01-05")
    told = memory.facts.record("Zoë Müller", "Zoë now lives in Basel.")
    assert told.contradicts is not None
    (clash,) = told.contradicts
    assert clash.supersede
    assert clash.fact.fact == "Zoë lives in Bern."
    assert [item["status"] for item in items(root)] == ["active", "active"], "nothing is silent"

    done = memory.facts.supersede(clash.fact.id, "Zoë now lives in Basel.")

    assert done.known
    assert [item["supersededBy"] for item in items(root)] == ["zoë-müller-002", None]


@pytest.mark.parametrize(
    ("id_", "fact", "message"),
    [
        ("zoë-müller-009", "Zoë left.", "no fact has the id 'zoë-müller-009'"),
        ("zoë-müller-001", "Zoë lives in Bern.", "already says that"),
        ("", "Zoë left.", "id is missing"),
    ],
)
def test_impossible_successions_are_refused(
    memory: Workspace, root: Path, id_: str, fact: str, message: str
) -> None:
    memory.facts.record("Zoë Müller", "Zoë lives in Bern.")
    before = (root / ZOE).read_bytes()

    with pytest.raises(InvalidInput, match=message):
        memory.facts.supersede(id_, fact)

    assert (root / ZOE).read_bytes() == before


def test_a_fact_is_superseded_once(memory: Workspace) -> None:
    memory.facts.record("Zoë Müller", "Zoë lives in Bern.")
    memory.facts.supersede("zoë-müller-001", "Zoë lives in Basel.")

    with pytest.raises(InvalidInput, match="already superseded by zoë-müller-002"):
        memory.facts.supersede("zoë-müller-001", "Zoë lives in Chur.")


def test_an_id_used_by_two_entities_needs_the_entity(memory: Workspace, root: Path) -> None:
    for name in ("a", "b"):
        (root / f"brain/areas/{name}").mkdir(parents=True)
        text = json.dumps([{"id": "abc-001", "fact": f"{name} is old."}])
        (root / f"brain/areas/{name}/items.json").write_text(text)

    with pytest.raises(InvalidInput, match="several facts have the id"):
        memory.facts.supersede("abc-001", "It is new.")
    memory.facts.supersede("abc-001", "It is new.", entity="b")

    assert items(root, "brain/areas/a/items.json")[0].get("status") is None
    assert items(root, "brain/areas/b/items.json")[1]["id"] == "abc-002"


def test_a_longer_wording_is_reported_as_similar(memory: Workspace) -> None:
    memory.facts.record("Zoë Müller", "Zoë sings.")

    done = memory.facts.record("Zoë Müller", "Zoë sings. She has done so since 2019.")

    assert done.similar is not None
    assert [fact.fact for fact in done.similar] == ["Zoë sings."]


def test_a_name_in_another_spelling_is_another_entity(memory: Workspace, root: Path) -> None:
    memory.facts.record("Zoë Müller", "Zoë sings.")

    memory.facts.record("Zoe Mueller", "Zoe dances.")

    assert (root / "brain/areas/zoe-mueller/items.json").exists()


def test_secrets_are_masked_before_they_are_written(memory: Workspace, root: Path) -> None:
    done = memory.facts.record("Zoë Müller", f"Zoë's key is {SECRET}.")

    assert done.redacted
    assert SECRET not in (root / ZOE).read_text()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"fact": " "}, "fact is empty"),
        ({"entity": ""}, "entity is empty"),
        ({"entity": "???"}, "no letter or digit"),
        ({"category": "gossip"}, "category 'gossip' is unknown"),
        ({"source": "dream"}, "source 'dream' is unknown"),
        ({"timestamp": "soon"}, "timestamp 'soon' is not a date"),
        ({"fact": "a\0b"}, "NUL"),
    ],
)
def test_invalid_facts_are_refused_and_nothing_is_written(
    memory: Workspace, root: Path, values: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        memory.facts.record(**{"entity": "Zoë", "fact": "Zoë sings.", **values})

    assert not (root / "brain").exists()


def test_a_broken_file_is_not_written_and_the_others_are(memory: Workspace, root: Path) -> None:
    (root / "brain/areas/mara").mkdir(parents=True)
    broken = '[\n  {"id": "mara-001", "fact": "Mara sails."},\n  {"id":'
    (root / "brain/areas/mara/items.json").write_text(broken)

    with pytest.raises(FileError, match=r"brain/areas/mara/items.json.*line 3, column 9"):
        memory.facts.record("mara", "Mara rows.")
    done = memory.facts.record("Zoë", "Zoë sings.")

    assert (root / "brain/areas/mara/items.json").read_text() == broken
    assert any("line 3, column 9" in note for note in done.notes)
    assert [fact.fact for fact in memory.facts.active().facts or ()] == [
        "Mara sails.",
        "Zoë sings.",
    ]


def test_a_write_keeps_all_other_bytes_in_every_variant(memory: Workspace, root: Path) -> None:
    files = sample_facts(world("english", 3))
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    known = memory.services.facts.known()
    sound = {file.path for file in known.files if file.problem is None}
    assert len(sound) >= 9

    for path in sorted(sound):
        entity = next(file.entity for file in known.files if file.path == path)
        memory.facts.record(entity, f"Something new about {entity}.")

    for path, before in files.items():
        after = (root / path).read_bytes()
        if path.endswith(".json") and path in sound:
            head = before[: before.rindex(b"}", 0, before.rindex(b"]")) + 1]
            assert after.startswith(head), path
            assert after.endswith(before[before.rindex(b"]") :]), path
        else:
            assert after == before, path


def test_a_save_at_the_same_moment_is_kept(
    memory: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from remem.learn.facts import recording

    memory.facts.record("Zoë Müller", "Zoë sings.")
    written = recording.with_fact  # type: ignore[attr-defined]
    saved = []

    def slowly(text: str, fact: Any) -> str:
        if not saved:
            saved.append(1)
            (root / ZOE).write_text(text.replace("Zoë sings.", "Zoë sings loudly."))
        return written(text, fact)

    monkeypatch.setattr(recording, "with_fact", slowly)
    memory.facts.record("Zoë Müller", "Zoë dances.")

    assert [item["fact"] for item in items(root)] == ["Zoë sings loudly.", "Zoë dances."]
