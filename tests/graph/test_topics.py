"""Which tags are topics of the graph."""

from __future__ import annotations

from remem.graph.topics import topics_of
from remem.model.entry import Entry
from tests.tables import each_row

NOW = "2026-01-01T00:00:00Z"


def tagged(tag: str, context: str | None) -> Entry:
    return Entry("mem-00000000", "fact", "A text.", NOW, NOW, context=context, tags=(tag,))


@each_row(
    "heading",
    [
        "Key insights",
        "Current status",
        "Oberstes Ziel",
        "Projet principal",
        "学习与洞察",
        "P1",
        "Mar 2",
        "Montag",
        "检查清单",
        "Conclusion",
        "Fazit",
        "はじめに",
    ],
)
def test_a_heading_that_only_says_what_a_section_is_for_is_not_a_topic(heading: str) -> None:
    assert topics_of(tagged(heading.casefold(), f"MEMORY.md › {heading}")) == []


@each_row("heading", ["Green Harbour", "Tide tables", "Notion 格式", "潮汐表"])
def test_a_heading_that_names_a_subject_is_a_topic(heading: str) -> None:
    tag = heading.casefold()
    assert topics_of(tagged(tag, f"MEMORY.md › {heading}")) == [tag]


def test_a_tag_that_somebody_chose_is_always_a_topic() -> None:
    assert topics_of(tagged("status", None)) == ["status"]
    assert topics_of(tagged("status", "MEMORY.md › Green Harbour")) == ["status"]
