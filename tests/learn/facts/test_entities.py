"""Entities get aliases and are merged and unmerged; their facts stay in their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import FileError, InvalidInput
from remem.files.facts import NAMES_FILE


@pytest.fixture
def two(memory: Workspace) -> Workspace:
    memory.facts.record("Zoë Müller", "Zoë sings.", kind="person")
    memory.facts.record("Zoe", "Zoe dances.")
    return memory


def facts_of(memory: Workspace, name: str) -> list[str]:
    return [fact.fact for fact in memory.facts.active(name).facts or ()]


def held(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (root / "brain/areas").rglob("items.json")}


def test_merging_keeps_both_histories_and_can_be_undone(two: Workspace, root: Path) -> None:
    facts, names = held(root), (root / NAMES_FILE).read_bytes()

    merged = two.facts.merge("Zoe", "Zoë Müller")

    assert merged.entity is not None
    assert merged.entity.merged == ("zoe",)
    assert facts_of(two, "Zoe") == facts_of(two, "Zoë Müller") == ["Zoe dances.", "Zoë sings."]
    assert held(root) == facts
    two.facts.unmerge("Zoe")
    assert facts_of(two, "Zoe") == ["Zoe dances."]
    assert facts_of(two, "Zoë Müller") == ["Zoë sings."]
    assert held(root) == facts
    assert (root / NAMES_FILE).read_bytes() == names


def test_what_was_recorded_after_a_merge_is_separated_by_its_name(two: Workspace) -> None:
    two.facts.merge("Zoe", "Zoë Müller")
    two.facts.record("Zoe", "Zoe moved to Kiel.")
    two.facts.record("Zoë Müller", "Zoë has a dog.")
    assert len(facts_of(two, "Zoe")) == 4

    two.facts.unmerge("Zoe")

    assert facts_of(two, "Zoe") == ["Zoe dances.", "Zoe moved to Kiel."]
    assert facts_of(two, "Zoë Müller") == ["Zoë sings.", "Zoë has a dog."]


def test_undoing_a_merge_leaves_no_empty_record(memory: Workspace, root: Path) -> None:
    memory.facts.record("boat", "It floats.")
    memory.facts.record("ship", "It floats too.")
    assert not (root / NAMES_FILE).exists()

    memory.facts.merge("boat", "ship")
    memory.facts.unmerge("boat")

    assert (root / NAMES_FILE).read_text().split() == ["{}"]


def test_facts_of_a_merged_entity_go_to_the_other_one(two: Workspace) -> None:
    two.facts.merge("Zoe", "Zoë Müller")

    done = two.facts.record("Zoe", "Zoë sings.")

    assert done.known, "the other's facts count too"
    new = two.facts.record("Zoe", "Zoë paints.")
    assert new.facts is not None
    assert new.facts[0].entity == "zoe", "it goes with the name if they are separated"
    assert two.facts.supersede("zoe-001", "Zoe danced.").facts[0].entity == "zoe"  # type: ignore[index]


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("Zoe", "nobody", "no entity is called 'nobody'"),
        ("nobody", "Zoe", "no entity is called 'nobody'"),
        ("Zoe", "zoe", "'zoe' is already the same as 'zoe'"),
    ],
)
def test_impossible_merges_are_refused(two: Workspace, one: str, other: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        two.facts.merge(one, other)


def test_a_merge_is_not_done_twice_or_in_a_circle(two: Workspace) -> None:
    two.facts.merge("Zoe", "Zoë Müller")

    with pytest.raises(InvalidInput, match="already"):
        two.facts.merge("Zoe", "Zoë Müller")
    with pytest.raises(InvalidInput, match="already"):
        two.facts.merge("Zoë Müller", "Zoe")
    with pytest.raises(InvalidInput, match="is not merged"):
        two.facts.unmerge("Zoë Müller")


def test_a_secret_is_refused_as_a_name(two: Workspace, root: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3

    with pytest.raises(InvalidInput, match="alias contains a secret") as refused:
        two.facts.add_aliases("Zoë Müller", ["Zo", secret])

    assert secret not in str(refused.value)
    names = root / "brain/entities.json"
    assert not names.exists() or '"Zo"' not in names.read_text()


def test_a_name_of_another_entity_is_refused_as_an_alias(two: Workspace) -> None:
    two.facts.add_aliases("Zoë Müller", ["Zo", "ZO", "Zoë  Müller", "Frau Müller"])

    assert facts_of(two, "frau-müller") == ["Zoë sings."]
    (zoe,) = [entity for entity in two.facts.entities().entities or () if entity.id == "zoë-müller"]
    assert zoe.aliases == ("Zo", "Frau Müller")
    with pytest.raises(InvalidInput, match="'Zoe' is a name of the entity 'zoe'"):
        two.facts.add_aliases("Zoë Müller", ["Zoe"])


def test_edits_of_the_names_file_are_kept(two: Workspace, root: Path) -> None:
    text = '{\n\t"zoe": {"aliases": [ "Z\\u00f6" ], "mine": 1.50},\n\t"x": {}\n}'
    (root / NAMES_FILE).write_text(text, encoding="utf-8")

    two.facts.add_aliases("zoe", ["Zoelein"])

    after = (root / NAMES_FILE).read_text(encoding="utf-8")
    assert '"mine": 1.50' in after
    assert '\n\t"x": {}\n}' in after
    assert "Zoelein" in after


def test_broken_names_are_reported_and_not_written(two: Workspace, root: Path) -> None:
    (root / NAMES_FILE).write_text('{"zoe": ')

    with pytest.raises(FileError, match="line 1, column 9"):
        two.facts.add_aliases("zoe", ["Z"])

    assert (root / NAMES_FILE).read_text() == '{"zoe": '
    assert facts_of(two, "zoe") == ["Zoe dances."]
    assert any("line 1, column 9" in note for note in two.facts.entities().notes)
