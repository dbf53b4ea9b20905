from __future__ import annotations

import json

import pytest

from remem.errors import FileError
from remem.model.passage import Passage
from remem.search.refresh.cutting import cut_facts, cut_file

PATH = "brain/areas/zoe-mueller/items.json"


def facts(text: str) -> list[Passage]:
    return list(cut_facts(PATH, text))


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
    for each, id_ in ((one, "zoe-001"), (two, "zoe-002")):
        assert lines[each.start - 1].strip() == "{"
        assert lines[each.end - 1].strip().rstrip(",") == "}"
        assert id_ in "\n".join(lines[each.start - 1 : each.end])


def test_a_list_inside_an_object_and_one_line_files_are_read() -> None:
    inner = json.dumps({"_metadata": {"tags": ["x"]}, "facts": [fact("a", "A."), fact("b", "B.")]})

    assert [each.citation for each in facts(inner)] == [f"{PATH}#L1", f"{PATH}#L1"]


def test_what_is_no_fact_is_passed_over() -> None:
    text = json.dumps([1, "x", {"id": "no text"}, {"fact": "without an id"}, {"fact": 7}])

    assert [each.text for each in facts(text)] == ["without an id"]


@pytest.mark.parametrize("text", ["", " \n", "{}", "[]", '{"facts": []}', '{"facts": 7}'])
def test_a_file_without_facts_has_no_passages(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize("text", ["null", "7", "[] and more", "{1}"])
def test_what_is_no_list_of_facts_is_told_with_its_place(text: str) -> None:
    with pytest.raises(FileError, match="at line 1, column"):
        facts(text)


def test_a_broken_file_gives_what_stands_before_the_break() -> None:
    whole = json.dumps([fact("a", "A."), fact("b", "B.")], indent=1)
    found = cut_facts(PATH, whole[:-20])

    assert next(found).text == "a: A. (status, active)"
    with pytest.raises(FileError, match="at line 12, column 3"):
        next(found)
    made = cut_file(PATH, "facts", whole[:-20])
    assert [passage.text for passage in made.passages] == ["a: A. (status, active)"]
    assert made.trouble == "the JSON is broken at line 12, column 3"
