"""Facts are read in all the shapes that people give their files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from time import time_ns
from typing import Any

import pytest

from remem.files.facts import NAMES_FILE, FactFiles, KnownFacts, entity_of, file_for, names_in
from remem.files.layout import Layout
from tests.samples.para import facts as sample_facts
from tests.samples.world import world
from tests.tables import each_row


def write(root: Path, path: str, value: Any) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def known(root: Path) -> KnownFacts:
    return FactFiles(Layout(root))()


@each_row(
    ("path", "entity"),
    [
        ("brain/areas/zoe/items.json", "zoe"),
        ("brain/areas/people/zoe/items.json", "people/zoe"),
        ("brain/areas/zoe-facts.json", "zoe"),
        ("brain/areas/items.json", "brain/areas"),
        ("life/areas/people/zoe/facts.json", "life/areas/people/zoe"),
        ("life/projects/boat-facts.json", "life/projects/boat"),
        ("para/areas/people/zoe/facts.json", "para/areas/people/zoe"),
    ],
)
def test_a_file_belongs_to_the_entity_of_its_folder_or_name(path: str, entity: str) -> None:
    assert entity_of(path) == entity


def test_two_files_of_one_entity_are_read_together(tmp_path: Path) -> None:
    write(tmp_path, "life/projects/boat/items.json", [{"id": "b-1", "fact": "It floats."}])
    write(tmp_path, "life/projects/boat-facts.json", {"_m": {}, "facts": [{"fact": "It is red."}]})

    found = known(tmp_path)

    boat = found.named("boat")
    assert boat is not None
    assert [fact.fact for fact in found.facts_of(boat)] == ["It is red.", "It floats."]
    assert boat.kind == "project"
    assert file_for(boat) in boat.files


def test_facts_are_found_in_every_usual_folder(tmp_path: Path) -> None:
    for tree in ("brain/areas", "life/areas", "para/areas", "memory/areas"):
        write(tmp_path, f"{tree}/people/zoe/facts.json", [{"id": "zoe-001", "fact": "Zoë sings."}])

    assert sorted(known(tmp_path).entities) == [
        *("life/areas/people/zoe", "para/areas/people/zoe", "people/zoe")
    ]


def test_an_object_without_a_statement_is_not_a_fact_and_keeps_its_id(tmp_path: Path) -> None:
    silent = [{"id": "zoe-002", "fact": " "}, {"id": "zoe-003", "note": "x"}]
    write(tmp_path, "brain/areas/zoe/items.json", [{"id": "zoe-001", "fact": "Sings."}, *silent])

    (file,) = known(tmp_path).files

    assert [fact.id for fact in file.facts] == ["zoe-001"]
    assert file.ids == ["zoe-001", "zoe-002", "zoe-003"]


def test_names_kinds_aliases_and_merges_come_from_the_file_of_names(tmp_path: Path) -> None:
    write(tmp_path, "brain/areas/zoe/items.json", [{"id": "zoe-001", "fact": "Zoë sings."}])
    write(tmp_path, "brain/areas/zo/items.json", [{"id": "zo-001", "fact": "Zo dances."}])
    said = {
        "zoe": {"name": "Zoë Müller", "kind": "person", "aliases": ["Z", 7], "note": "mine"},
        "zo": {"mergedInto": "zoe"},
        "odd": "no object",
    }
    write(tmp_path, NAMES_FILE, said)

    found = known(tmp_path)

    zoe = found.named("zoë müller")
    assert zoe is not None
    assert (zoe.id, zoe.kind, zoe.aliases) == ("zoe", "person", ("Z",))
    assert found.named("zo") == zoe
    assert [fact.fact for fact in found.facts_of(zoe)] == ["Zo dances.", "Zoë sings."]


def test_an_error_names_the_line_and_does_not_affect_other_files(tmp_path: Path) -> None:
    write(tmp_path, "brain/areas/a/items.json", '[{"id": "a-1", "fact": "A."},\n {"id": "a-2",')
    write(tmp_path, "brain/areas/b/items.json", [{"id": "b-1", "fact": "B."}])
    write(tmp_path, NAMES_FILE, '{\n "b": oops}')

    found = known(tmp_path)

    assert [fact.fact for fact in found.facts] == ["A.", "B."]
    file, names = found.problems
    assert "brain/areas/a/items.json" in file
    assert "line 2, column" in file
    assert names == f"{NAMES_FILE} is not JSON at line 2, column 7; it is left unchanged"


def test_invalid_text_and_links_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "brain/areas/a/items.json", "[]")
    (tmp_path / "brain/areas/a/items.json").write_bytes(b'[{"fact": "\xff"}]')
    (tmp_path / "secret.json").write_text('[{"fact": "Secret."}]')
    (tmp_path / "brain/areas/b").mkdir()
    os.symlink(tmp_path / "secret.json", tmp_path / "brain/areas/b/items.json")

    found = known(tmp_path)

    assert found.facts == []
    assert ["not UTF-8" in found.problems[0], "symbolic link" in found.problems[1]] == [True, True]


def test_a_file_is_read_again_when_it_changed_and_forgotten_when_it_is_gone(tmp_path: Path) -> None:
    write(tmp_path, "brain/areas/a/items.json", [{"id": "a-1", "fact": "A."}])
    read = FactFiles(Layout(tmp_path))
    assert [fact.fact for fact in read().facts] == ["A."]

    write(tmp_path, "brain/areas/a/items.json", [{"id": "a-1", "fact": "B."}])
    assert [fact.fact for fact in read().facts] == ["B."]
    (tmp_path / "brain/areas/a/items.json").unlink()
    assert read().facts == []


def test_what_did_not_change_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "brain/areas/a/items.json", [{"id": "a-1", "fact": "A."}])
    read = FactFiles(Layout(tmp_path))
    first = read().files[0]
    assert read().files[0] == first
    assert read().files[0] is not first, "it is too recent to be sure of"

    monkeypatch.setattr("remem.files.facts.time_ns", lambda: time_ns() + 10**10)
    later = read().files[0]
    assert read().files[0] is later


def test_a_missing_file_of_names_is_not_a_problem() -> None:
    assert names_in("").problem is None
    assert names_in("[]").problem == f"{NAMES_FILE} is not a JSON object; it is left unchanged"


def test_the_shapes_of_real_workspaces_are_read(tmp_path: Path) -> None:
    for path, data in sample_facts(world("english", 3)).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)

    found = known(tmp_path)

    assert len(found.entities) >= 10
    assert len(found.facts) >= 20
    (problem,) = found.problems
    assert problem.startswith("life/resources/broken/items.json: the JSON is broken at line 1")
    berth = found.with_id("berth-001")[0]
    assert berth.superseded_by == "berth-002"
