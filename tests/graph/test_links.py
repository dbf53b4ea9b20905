"""Relations in text: what links state, and how a statement is written."""

from __future__ import annotations

import pytest

from remem.errors import InvalidInput
from remem.graph.links import Link, links_in, relation_text, relation_type
from tests.tables import each_row


@each_row(
    ("text", "links"),
    [
        ("[[Ann]] works at [[Acme]]", [Link("Ann", "works at", "Acme")]),
        ("[[Ann]] knows [[Bo]]: since school", [Link("Ann", "knows", "Bo")]),
        ("- part_of [[Acme]]", [Link(None, "part_of", "Acme")]),
        ('- "two words" [[Acme]]', [Link(None, "two words", "Acme")]),
        ("We met [[Ann|her]] at [[Acme#Office]].", [Link("Ann", "at", "Acme")]),
        ("Ask [[Ann]], or [[Bo]].", [Link(None, "mentions", one) for one in ("Ann", "Bo")]),
        ("no links, [not one](x.md), [[]]", []),
        ("[[安]] 住在 [[里斯本]]", [Link("安", "住在", "里斯本")]),
    ],
)  # fmt: skip
def test_links_state_relations(text: str, links: list[Link]) -> None:
    assert list(links_in(text)) == links


@each_row("subject", ["", "a]]b", "a|b", "a#b", "x" * 101])
def test_a_name_that_no_link_can_hold_is_refused(subject: str) -> None:
    with pytest.raises(InvalidInput, match="subject"):
        relation_text(subject, "knows", "Bo")


@each_row("relation", ["", "[[x]]", "1", "a\nb [[c]] d"])
def test_a_relation_that_cannot_be_read_back_is_refused(relation: str) -> None:
    with pytest.raises(InvalidInput):
        relation_text("Ann", relation, "Bo")


def test_types_are_upper_case_words() -> None:
    assert relation_type("works at") == relation_type("WORKS_AT") == "WORKS_AT"
    assert relation_type("住在") == "住在"


@each_row("text", ["[[reply_to_current]] Yes.", "[[reply_to: 12]] No.", "[[...]]"])
def test_marks_of_a_host_and_punctuation_are_not_names(text: str) -> None:
    assert list(links_in(text)) == []
