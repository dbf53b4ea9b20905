"""Questions are made from the files, and are the same each time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.setup.validate.equivalence import MAX_QUESTIONS, MemoryText, questions
from tests.conftest import SECRET


def memory(*lines: str) -> MemoryText:
    return MemoryText("MEMORY.md", "\n".join(["# Memory", "", *lines, ""]), curated=True)


def notes(count: int) -> list[MemoryText]:
    return [
        MemoryText(
            f"memory/{i}.md", f"# Day\n\n- visitor{i} brought parcel{i} from harbour{i}\n", False
        )
        for i in range(count)
    ]


def test_a_question_has_the_rarest_words_of_a_line_in_order() -> None:
    asked = questions(
        [
            memory(
                "- The garden gate opens with the brass key under the garden bench",
                "- The garden bench was painted green by the neighbour",
                "- The brass bell rings when the garden gate opens at noon",
            )
        ]
    )

    assert [question.text for question in asked] == [
        "gate opens key under",
        "bench painted green neighbour",
        "brass bell rings noon",
    ]
    assert [(question.start, question.end) for question in asked] == [(3, 3), (4, 4), (5, 5)]


def test_the_same_files_give_the_same_questions() -> None:
    files = [memory("- Mara mends the copper boiler every winter"), *notes(80)]

    assert questions(files) == questions(files)


def test_there_are_at_most_fifty_half_of_them_from_curated_files() -> None:
    curated = memory(*(f"- rule{i} concerns drawer{i} and shelf{i}" for i in range(200)))

    asked = questions([curated, *notes(200)])

    assert len(asked) == MAX_QUESTIONS == 50
    assert sum(question.path == "MEMORY.md" for question in asked) == 25
    assert {question.path for question in asked} >= {"memory/0.md", "memory/192.md"}


def test_one_kind_of_file_fills_up_for_the_other() -> None:
    curated = memory(*(f"- rule{i} concerns drawer{i} and shelf{i}" for i in range(200)))

    assert len(questions([curated, *notes(3)])) == 50
    assert len(questions(notes(200))) == 50
    assert len(questions([memory("- one lonely telling line"), *notes(3)])) == 4


def test_short_repeated_and_secret_lines_are_not_used() -> None:
    twice = "- The ladder hangs behind the stable"

    assert (
        questions([memory("- ok", "- yes it is", twice, twice, f"- api key: {SECRET} here")]) == []
    )


def test_lines_in_scripts_without_spaces_are_used() -> None:
    asked = questions([memory("- 数据中心位于法兰克福附近的工业区")])

    assert [question.text for question in asked] == ["数据中心位于"]


def test_annotations_and_addresses_are_left_out_of_questions() -> None:
    line = "- Mara mends boilers <!-- importance: 7 --> at https://example.com/x/y daily"

    (asked,) = questions([memory(line)])

    assert asked.text == "Mara mends boilers daily"


@given(st.lists(st.text(max_size=200), max_size=12))
def test_any_text_gives_valid_questions(texts: list[str]) -> None:
    files = [MemoryText(f"memory/{i}.md", text, i % 2 == 0) for i, text in enumerate(texts)]

    for question in questions(files):
        assert question.text.strip()
        assert 1 <= question.start <= question.end
