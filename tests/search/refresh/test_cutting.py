"""Passages cover the whole text, and nothing that fits is cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from remem.files.walking import FileKind
from remem.model.arguments import utf16_length
from remem.model.passage import Passage
from remem.search.passages.snippet import SNIPPET_LIMIT
from remem.search.refresh.cutting import cut_file
from remem.search.refresh.pieces import PASSAGE_TOKENS
from remem.text.markdown import lines_of
from remem.text.tokens import estimate

SENTENCE = "The greenhouse was moved to the northern wall because of the storm in autumn. "


def cut_all(text: str, kind: FileKind = "note", path: str = "memory/garden.md") -> list[Passage]:
    return list(cut_file(path, kind, text).passages)


def texts(text: str, kind: FileKind = "note") -> list[str]:
    return [passage.text for passage in cut_all(text, kind)]


def test_a_short_note_is_one_passage() -> None:
    text = "# Garden\n\nThe roses are red.\n\n- water them\n- cut them\n"

    (whole,) = cut_all(text)

    assert whole.text == text.rstrip("\n")
    assert (whole.start, whole.end) == (1, 6)


def test_a_long_note_is_cut_into_passages_that_overlap_a_little() -> None:
    text = "# Log\n\n" + "\n".join(f"- entry {n}: {SENTENCE}" for n in range(100)) + "\n"

    found = cut_all(text)

    assert len(found) > 4
    assert all(estimate(passage.text) <= PASSAGE_TOKENS * 1.1 for passage in found)
    assert all(estimate(passage.text) > PASSAGE_TOKENS / 2 for passage in found[:-1])
    for one, two in pairwise(found):
        shared = one.end - two.start + 1
        assert 1 <= shared <= 6, "some bullets stand in both"
        assert two.headings == ("Log",)


def test_a_passage_is_about_as_long_as_a_snippet() -> None:
    text = "# Log\n\n" + "\n".join(f"- entry {n}: {SENTENCE}" for n in range(100)) + "\n"

    assert max(utf16_length(passage.text) for passage in cut_all(text)) <= SNIPPET_LIMIT * 1.2


def test_a_bullet_that_fits_is_not_cut() -> None:
    text = "\n".join(f"- {n} {SENTENCE}\n  and its second line {n}" for n in range(60))

    for passage in texts(text):
        lines = passage.split("\n")
        assert lines[0].startswith("- ")
        assert lines[-1].startswith("  and its second line")


def test_a_section_begins_a_passage_and_its_heading_goes_along() -> None:
    text = f"# Garden\n\n{SENTENCE * 8}\n\n## Tools\n\n{SENTENCE * 8}\n\n## Seeds\n\nCarrots.\n"

    found = cut_all(text)

    assert [passage.text.split("\n")[0] for passage in found] == [
        "# Garden",
        "## Tools",
        "## Seeds",
    ]
    assert found[1].headings == ("Garden",)


def test_small_sections_share_a_passage() -> None:
    text = "".join(f"## Day {n}\n\n- watered\n\n" for n in range(5))

    assert len(cut_all(text)) == 1


def test_no_passage_ends_with_a_heading_that_has_text_below() -> None:
    text = "".join(f"## Part {n}\n\n{SENTENCE * (n % 7 + 3)}\n\n" for n in range(40))

    for passage in texts(text):
        assert not passage.rstrip().split("\n")[-1].startswith("#")


def test_one_very_long_line_is_cut_at_sentences_and_keeps_its_number() -> None:
    text = f"# A\n\n{SENTENCE * 100}\nnext\n"

    found = [passage for passage in cut_all(text) if "greenhouse" in passage.text]

    assert len(found) > 4
    assert {(passage.start, passage.end) for passage in found} <= {(3, 3), (3, 4)}
    assert all(passage.text.endswith(("autumn.", "next")) for passage in found)
    assert all(estimate(passage.text) <= PASSAGE_TOKENS * 1.1 for passage in found)


def test_chinese_passages_cost_no_more_tokens_than_others() -> None:
    text = "数据中心的温室被移到了北墙，因为秋天有暴风雨。" * 300

    found = texts(text)

    assert all(estimate(passage) <= PASSAGE_TOKENS for passage in found)
    assert min(estimate(passage) for passage in found[:-1]) > PASSAGE_TOKENS / 2
    assert {len(passage) for passage in found} != {1600}, (
        "a character is more than a quarter of a token"
    )


def test_a_line_without_any_boundary_is_cut_too() -> None:
    found = texts("x9Q" * 4000)

    assert all(0 < estimate(passage) <= PASSAGE_TOKENS for passage in found)
    assert sum(len(passage) for passage in found) >= 12_000


def test_an_unclosed_fence_does_not_swallow_the_rest() -> None:
    text = f"# A\n\n```\n{SENTENCE}\n\n# B\n\n" + "\n".join(f"- {n} {SENTENCE}" for n in range(40))

    assert any(passage.headings == ("B",) for passage in cut_all(text))
    assert any("39 The greenhouse" in passage for passage in texts(text))


def test_a_curated_file_has_one_passage_for_each_bullet() -> None:
    text = (
        "# Memory\n\n## People\n\n- Zoë is a doctor.\n- Max is her son.\n  He is ten.\n\n"
        "## Rules\n\nNever call before nine.\n\n1. First.\n2. Second.\n"
    )

    found = cut_all(text, "curated", "MEMORY.md")

    assert [(passage.text, passage.headings, passage.start, passage.end) for passage in found] == [
        ("- Zoë is a doctor.", ("Memory", "People"), 5, 5),
        ("- Max is her son.\n  He is ten.", ("Memory", "People"), 6, 7),
        ("Never call before nine.", ("Memory", "Rules"), 11, 11),
        ("1. First.", ("Memory", "Rules"), 13, 13),
        ("2. Second.", ("Memory", "Rules"), 14, 14),
    ]
    assert all(passage.curated for passage in found)


def test_a_nested_bullet_knows_its_parents() -> None:
    text = "- Greenhouse\n  - Phase 2\n    - in May\n- Hall\n"

    found = cut_all(text, "curated")

    assert [passage.within for passage in found] == [
        (),
        ("Greenhouse",),
        ("Greenhouse", "Phase 2"),
        (),
    ]


def test_the_items_of_a_list_know_the_line_that_introduces_it() -> None:
    text = (
        "**Prices:**\n- small 39\n- large 99\n  - with a lamp\n\nClosed in May.\n\n- bring keys\n"
    )

    found = cut_all(text, "curated")

    assert [(passage.text, passage.within) for passage in found] == [
        ("**Prices:**\n- small 39", ()),
        ("- large 99", ("**Prices:**",)),
        ("  - with a lamp", ("**Prices:**", "large 99")),
        ("Closed in May.", ()),
        ("- bring keys", ()),
    ]


def test_an_introduction_ends_with_its_section() -> None:
    text = "To avoid:\n- debts\n\n## Plans\n- a boat\n"

    assert [passage.within for passage in cut_all(text, "curated")] == [(), ()]


def test_code_goes_with_its_statement_and_a_table_stays_whole() -> None:
    text = (
        "- Restart it:\n\n  ```\n  systemctl restart x\n  ```\n\n"
        "| name | port |\n|---|---|\n| web | 80 |\n| db | 5432 |\n"
    )

    first, second = texts(text, "curated")

    assert first.startswith("- Restart it:")
    assert "systemctl" in first
    assert second.splitlines()[0] == "| name | port |"
    assert "5432" in second


def test_a_heading_without_text_is_a_passage() -> None:
    assert texts("# Memory\n\n## To do\n\n## Done\n\n- all\n", "curated") == ["## To do", "- all"]


def test_a_comment_in_a_curated_file_is_not_a_passage() -> None:
    text = "<!-- memory-promotion:memory:x:5:5 -->\n- promoted\n"

    assert texts(text, "curated") == ["- promoted"]


def test_annotations_of_a_host_are_read_and_stay_in_the_text() -> None:
    line = "- venue <!-- trigger: wedding, inn --> <!-- importance: 7 --> <!-- project: p -->"

    (only,) = cut_all(line, "curated")

    assert (only.importance, only.triggers, only.project) == (7, "wedding; inn", "p")
    assert only.text == line


def test_the_day_comes_from_the_name_else_from_the_headings() -> None:
    text = "# Log\n\n## 2026-05-07\n\n- planted\n\n## Ideas\n\n- more\n"

    named = cut_all(text, "note", "memory/2026-01-02.md")
    curated = cut_all(text, "curated", "MEMORY.md")
    undated = cut_all(text, "note", "memory/garden.md")

    assert {passage.day for passage in named} == {"2026-01-02"}
    assert [passage.day for passage in curated] == ["2026-05-07", None]
    assert {passage.day for passage in undated} == {"2026-05-07"}


def test_a_passage_that_begins_with_a_dated_heading_has_its_day() -> None:
    section = "- planted the beans in the long bed\n" * 20
    text = f"# Garden\n\n## 2026-05-07\n\n{section}\n## 2026-03-01\n\n{section}"

    days = [passage.day for passage in cut_all(text, "note", "memory/garden.md")]

    assert days[0] == "2026-05-07"
    assert days[-1] == "2026-03-01"


def test_crlf_and_a_byte_order_mark_leave_no_trace() -> None:
    assert texts("\ufeff- one\r\n- two\r\n", "curated") == ["- one", "- two"]


markdown = st.lists(
    st.one_of(
        st.sampled_from(["", "# A", "## B", "- x", "  - y", "\t- z", "```", "| a | b |", "---"]),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=40),
        st.builds(lambda n: "word " * n, st.integers(1, 900)),
        st.builds(lambda n: "数据" * n, st.integers(1, 600)),
    ),
    max_size=40,
).map("\n".join)


@given(markdown)
def test_every_line_of_a_note_is_in_a_passage_with_its_line_numbers(text: str) -> None:
    lines = lines_of(text.removeprefix("\ufeff"))
    found = cut_all(text)

    covered = {number for passage in found for number in range(passage.start, passage.end + 1)}
    assert covered >= {n for n, line in enumerate(lines, start=1) if line.strip()}
    for passage in found:
        assert estimate(passage.text) <= PASSAGE_TOKENS * 1.2
        whole = "\n".join(lines[passage.start - 1 : passage.end])
        assert passage.text == whole or (passage.text in whole and passage.start == passage.end)
    for number, line in enumerate(lines, start=1):
        said = "".join(passage.text for passage in found if passage.start <= number <= passage.end)
        assert all(word in said for word in line.split(" ") if len(word) < 50 and word.strip())


@given(markdown)
def test_every_statement_of_a_curated_file_is_in_a_passage(text: str) -> None:
    lines = lines_of(text.removeprefix("\ufeff"))
    found = cut_all(text, "curated")

    covered = {number for passage in found for number in range(passage.start, passage.end + 1)}
    for number, line in enumerate(lines, start=1):
        heading = line.lstrip(" ").startswith("#")
        if line.strip() and not heading and "<!--" not in text:
            assert number in covered
    for passage in found:
        assert estimate(passage.text) <= PASSAGE_TOKENS * 1.2
