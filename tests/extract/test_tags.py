"""Tags are what a person would choose: names and topics, not sentences and not dates."""

from __future__ import annotations

from remem.extract.headings import tag_of
from remem.extract.rules import Rules
from remem.model.statement import SourceDocument
from tests.tables import each_row


@each_row(
    ("heading", "tag"),
    [
        ("Harbour", "harbour"),
        ("Anna Berg", "anna berg"),
        ("Mail (work)", "mail"),
        ("Mail: how it is sorted", "mail"),
        ("Mail rules", "mail"),
        ("Harbour preferences (Anna)", "harbour"),
        ("Main project: Harbour", "harbour"),
        ("Anna's preferences", "anna"),
        ("About Anna", "anna"),
        ("Über Anna", "anna"),
        ("Anna について", "anna"),
        ("关于 Anna", "anna"),
        ("Projet SaaS (long terme)", "saas"),
        ("🎣 Fishing trips 2026", "fishing trips"),
        ("3. **Harbour watch**", "harbour watch"),
        ("Security monitoring installed", "security monitoring"),
    ],
)
def test_a_heading_gives_its_topic(heading: str, tag: str) -> None:
    assert tag_of(heading) == tag


@each_row(
    "heading",
    [
        "Rules",
        "Critical rules",
        "Active projects",
        "Wichtige Entscheidungen",
        "2026-11-18",
        "MEMORY.md: long-term memory",
        "Never forget the agreements!",
        "What is new",
        "Was wir im Chat nicht sagen",
        "Knowledge graph weekly",
        "一个很长很长很长很长的标题",
        "Twitter投稿の正しい方法と手順",
        "@anna blocked",
    ],
)
def test_a_heading_without_a_topic_gives_no_tag(heading: str) -> None:
    assert tag_of(heading) is None


def _tags(text: str, *, curated: bool) -> set[str]:
    path = "MEMORY.md" if curated else "memory/2026-11-18.md"
    found = Rules().extract(SourceDocument(path, text, "2026-11-18", curated=curated)).statements
    return {tag for statement in found for tag in statement.tags}


def test_headings_of_notes_are_events_and_give_no_tags() -> None:
    text = "# Day\n\n## Harbour\n\n- Decided to paint the boat blue.\n"

    assert _tags(text, curated=True) == {"harbour"}
    assert _tags(text, curated=False) == set()


def test_a_colour_is_not_a_hashtag() -> None:
    text = "# Notes\n\n- Decided: the logo is #1a365d, buttons #fff, errors #b8860b. #brand\n"

    assert _tags(text, curated=True) == {"brand"}
