from __future__ import annotations

import json

from remem.model.passage import Passage
from remem.search.refresh.cutting import cut_file
from tests.tables import each_row

PATH = "brain/areas/zoe-mueller/items.json"


def facts(text: str) -> list[Passage]:
    return list(cut_file(PATH, "facts", text).passages)


def fact(id_: str, said: str, **more: object) -> dict[str, object]:
    return {"id": id_, "fact": said, "category": "status", "status": "active", **more}


def test_each_fact_is_a_passage_with_the_lines_of_its_object() -> None:
    text = json.dumps(
        [fact("zoe-001", "Zoë is a doctor.", timestamp="2026-02-03"), fact("zoe-002", "She left.")],
        indent=2,
        ensure_ascii=False,
    )

    one, two = facts(text)

    assert one.text == "zoe-001: Zoë is a doctor. (status, active, 2026-02-03)"
    assert one.headings == ("zoe-mueller",)
    assert one.day == "2026-02-03"
    lines = text.split("\n")
    for passage, id_ in ((one, "zoe-001"), (two, "zoe-002")):
        assert lines[passage.start - 1].strip() == "{"
        assert lines[passage.end - 1].strip().rstrip(",") == "}"
        assert id_ in "\n".join(lines[passage.start - 1 : passage.end])


def test_a_list_inside_an_object_and_one_line_files_are_read() -> None:
    inner = json.dumps({"_metadata": {"tags": ["x"]}, "facts": [fact("a", "A."), fact("b", "B.")]})

    assert [passage.citation for passage in facts(inner)] == [f"{PATH}#L1", f"{PATH}#L1"]


def test_items_without_a_fact_are_skipped() -> None:
    text = json.dumps([1, "x", {"id": "no text"}, {"fact": "without an id"}, {"fact": 7}])

    assert [passage.text for passage in facts(text)] == ["without an id"]


@each_row("text", ["", " \n", "{}", "[]", '{"facts": []}', '{"facts": 7}'])
def test_a_file_without_facts_has_no_passages(text: str) -> None:
    assert facts(text) == []


@each_row("text", ["null", "7", "[] and more", "{1}"])
def test_a_file_that_is_not_a_list_of_facts_is_reported_with_the_position(text: str) -> None:
    assert "at line 1, column" in (cut_file(PATH, "facts", text).problem or "")


def test_a_broken_file_gives_the_facts_before_the_break() -> None:
    whole = json.dumps([fact("a", "A."), fact("b", "B.")], indent=1)

    made = cut_file(PATH, "facts", whole[:-20])
    assert [passage.text for passage in made.passages] == ["a: A. (status, active)"]
    assert made.problem == "the JSON is broken at line 12, column 3"
