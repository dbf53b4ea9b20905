"""A page is written around a person's lines, and none of them is ever lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.model.page import (
    Point,
    Sentence,
    blank_generated_lines,
    compose_page,
    generated_lines,
    page_lines,
)
from remem.model.page_sources import BEGIN_LINE, END_LINE
from remem.text.marked_line import add_mark, line_digest

OLD = [add_mark("Two facts.", ("items.json",)), "", "## Status", "", add_mark("- A.", ("x-1",))]
NEW = [add_mark("Two facts.", ("items.json",)), "", "## Status", "", add_mark("- B.", ("x-2",))]


def made(old: str | None, lines: list[str]) -> str:
    return compose_page(old, "Anna", lines, own_titles=frozenset({"Status"})).text


def test_a_new_page_has_a_title_and_generated_lines() -> None:
    head, _, sources = made(None, OLD).partition("<!-- remem: sources of the lines above\n")

    assert head == "\n".join(
        ["# Anna", "", BEGIN_LINE, "", "Two facts.", "", "## Status", "", "- A.", "", ""]
    )
    listed = f"{line_digest('Two facts.')} items.json\nStatus:\n{line_digest('- A.')} x-1\n"
    assert sources == f"{listed}{END_LINE}\n"


def test_lines_about_facts_name_their_fact_themselves() -> None:
    page = compose_page(None, "Anna", OLD, own_titles=frozenset(), facts=True).text

    assert f"Two facts.\n\n## Status\n\n{OLD[-1]}\n" in page
    assert [line.sources for line in generated_lines(page)] == [("items.json",), ("x-1",)]


def test_a_page_of_an_earlier_version_is_converted_and_keeps_a_persons_lines() -> None:
    first, fact = (
        f"{text} <!-- {source} {line_digest(text)} -->"
        for text, source in (("Two facts.", "items.json"), ("- A.", "x-1"))
    )
    begin = "<!-- remem: begin (made by remem: write your own lines above or below) -->"
    old = "\n".join(
        [
            "# Anna",
            "",
            begin,
            "",
            first,
            "",
            "## Status",
            "",
            fact,
            "- Mine.",
            "",
            "<!-- remem: end -->",
            "",
            "Below.",
            "",
        ]
    )

    page = compose_page(old, "Anna", OLD, own_titles=frozenset({"Status"}))

    assert page.rescued == ("- Mine.",)
    assert page.former_sources == {"items.json", "x-1"}
    assert page.text == made(None, OLD) + "\n## Kept by hand\n\n- Mine.\n\nBelow.\n"


def test_removing_the_sources_of_the_lines_repeats_no_line() -> None:
    page = made(None, OLD)
    start, end = page.index("<!-- remem: sources"), page.index(END_LINE)

    for broken in (page[:start], page[:start] + page[end:]):
        assert made(f"{broken}\nBelow.\n", OLD).count("- A.") == 1
        assert made(f"{broken}\nBelow.\n", OLD).endswith("\nBelow.\n")


def test_the_same_lines_give_the_same_bytes() -> None:
    page = made(None, OLD)

    assert made(page, OLD) == page


def test_only_generated_lines_are_replaced() -> None:
    page = f"---\ntags: [x]\n---\n{made(None, OLD)}\n## My own\n\nRemember the cake.\n"

    changed = compose_page(page, "Anna", NEW, own_titles=frozenset({"Status"}))

    assert "- A." not in changed.text
    assert "- B." in changed.text
    assert changed.text.startswith("---\ntags: [x]\n---\n# Anna\n")
    assert changed.text.endswith("\n## My own\n\nRemember the cake.\n")
    assert changed.rescued == ()


def test_a_persons_lines_between_the_markers_move_to_their_own_section() -> None:
    page = made(None, OLD)
    edited = page.replace("## Status", "## Status\n\n- Has a sister.\n\n### Also\n\nlikes cake")

    changed = compose_page(edited, "Anna", NEW, own_titles=frozenset({"Status"}))

    assert changed.rescued == ("- Has a sister.", "### Also", "likes cake")
    assert changed.text.endswith(
        f"{END_LINE}\n\n## Kept by hand\n\n- Has a sister.\n### Also\nlikes cake\n"
    )
    assert compose_page(changed.text, "Anna", NEW, own_titles=frozenset()).text == changed.text


def test_an_edited_generated_line_is_kept_with_its_source() -> None:
    edited = made(None, OLD).replace("- A.", "- Not A at all.")

    changed = compose_page(edited, "Anna", OLD, own_titles=frozenset({"Status"}))

    assert changed.rescued == ("- Not A at all. <!-- instead of x-1 -->",)
    assert "\n- A.\n" in changed.text


def test_later_rescued_lines_join_the_same_section() -> None:
    first = made(made(None, OLD).replace("## Status", "- One."), OLD)
    second = made(first.replace("## Status", "- Two."), OLD)

    assert second.endswith("## Kept by hand\n\n- One.\n- Two.\n")


def test_a_removed_end_marker_loses_no_line() -> None:
    page = made(None, OLD).replace(END_LINE, "") + "\nBelow.\n"

    assert made(page, NEW).endswith(f"{END_LINE}\n\nBelow.\n")


def test_a_persons_page_keeps_its_text_below_generated_lines() -> None:
    page = "# Anna Berg\n\nA good friend.\n\n- Lives in Lisbon.\n"

    changed = compose_page(
        page, "Anna", OLD, own_titles=frozenset(), known_texts=frozenset({"lives in lisbon."})
    ).text

    assert changed.startswith(f"# Anna Berg\n\n{BEGIN_LINE}\n")
    assert changed.endswith(f"{END_LINE}\n\nA good friend.\n")


def test_line_endings_and_the_byte_order_mark_stay() -> None:
    page = "\ufeff# Anna\r\n\r\nMine.\r\n"

    changed = made(page, OLD)

    assert changed.startswith("\ufeff# Anna\r\n")
    assert changed.count("\n") == changed.count("\r\n")
    assert made(changed, OLD) == changed


def test_headings_with_a_day_are_generated() -> None:
    page = made(None, [OLD[0], "", "## 2026-05-07", "", OLD[-1]])

    assert compose_page(page, "Anna", NEW, own_titles=frozenset()).rescued == ()


def test_blanking_generated_lines_keeps_line_numbers() -> None:
    page = made(None, OLD).replace("## Status", "## Status\n\nmine")

    left = blank_generated_lines(page).split("\n")

    assert [line for line in left if line] == ["# Anna", "mine"]
    assert left.index("mine") == page.split("\n").index("mine")


SOURCES_LINE = "<!-- remem: sources of the lines above"
LINE = st.text(
    st.characters(exclude_characters="\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), max_size=20
)


@given(st.lists(LINE, max_size=8), st.data())
def test_no_line_of_a_person_is_lost_wherever_they_write_it(
    mine: list[str], data: st.DataObject
) -> None:
    lines = made(None, OLD).split("\n")
    for added in mine:
        # Among the sources, a line that ends with a colon is the name of a heading.
        last = lines.index(SOURCES_LINE) if added.strip().endswith(":") else len(lines)
        lines.insert(data.draw(st.integers(0, last)), added)
    text = "\n".join(lines)

    page = compose_page(text, "Anna", NEW, own_titles=frozenset({"Status"}))

    ours = {BEGIN_LINE, END_LINE, "", "## Status", "# Anna", *OLD}
    kept = [line.strip() for line in page.text.removeprefix("\ufeff").split("\n")]
    for added in mine:
        bare = added.removeprefix("\ufeff").strip()
        if bare not in ours:
            assert bare in kept, (bare, page.text)


def test_a_version_that_writes_over_the_page_would_be_caught() -> None:
    """The checker above, on a writer that does not look at what is there."""
    page = made(None, OLD).replace("## Status", "## Status\n\n- Has a sister.")

    careless = "\n".join(["# Anna", "", BEGIN_LINE, *NEW, END_LINE])

    assert "- Has a sister." in made(page, NEW)
    assert "- Has a sister." not in careless


def test_generated_lines_are_read_back_in_order() -> None:
    assert [our.sources for our in generated_lines(made(None, OLD))] == [("items.json",), ("x-1",)]


POINTS = [
    Point("a-2", "Lives in Lisbon.", "Status", "2026-05-03"),
    Point("a-1", "Works at Halden since 2025-01-01.", "Status", "2025-01-01", "completed"),
    Point("a-3", "Likes tea.", "Preferences"),
]


def test_points_are_listed_under_their_headings_with_state_and_day() -> None:
    assert page_lines("lead", POINTS) == [
        "lead",
        "",
        "## Status",
        "",
        add_mark("- Lives in Lisbon. (2026-05-03)", ("a-2",)),
        add_mark("- Works at Halden since 2025-01-01. (completed)", ("a-1",)),
        "",
        "## Preferences",
        "",
        add_mark("- Likes tea.", ("a-3",)),
    ]


def test_a_sentence_replaces_its_points_and_the_rest_are_listed() -> None:
    told = [Sentence("She lives in Lisbon and likes tea.", ("a-2", "a-3"))]

    assert page_lines("lead", POINTS, told)[2:] == [
        "## Status",
        "",
        add_mark("She lives in Lisbon and likes tea.", ("a-2", "a-3")),
        "",
        add_mark("- Works at Halden since 2025-01-01. (completed)", ("a-1",)),
    ]
