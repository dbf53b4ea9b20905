"""A section makes room for a pointer only if every one of its lines is in an entry."""

from __future__ import annotations

from dataclasses import replace

from remem.admin.audit.coverage import measure_coverage
from remem.model.entry import Entry, Origin
from remem.text.line_edits import apply_edit

WHEN = "2026-11-15T12:00:00Z"
TEXT = """# Memory

## People
- **Ana** is a designer. <!-- importance: 7 -->
  - lives in Porto

## Hosts
| name | use |
|---|---|
| atlas | backups |

```sh
ssh atlas
```

## Rules
- Ask first.
- no active sessions found
"""


def entry(content: str, source: str = "MEMORY.md") -> Entry:
    return Entry("mem-1", "fact", content, WHEN, WHEN, origins=(Origin(source, 4),))


ANA = [entry("Ana is a designer."), entry("Ana is a designer: lives in Porto")]
HOSTS = [entry("name: atlas; use: backups\nssh atlas")]
RULES = [entry("Rules: Ask first.")]


def pointed(entries: list[Entry]) -> tuple[str, ...]:
    return measure_coverage(TEXT, entries).sections


def test_a_section_whose_lines_are_all_entries_gets_a_pointer() -> None:
    covered = measure_coverage(TEXT, ANA)
    after = apply_edit(TEXT.encode(), covered.edit).decode()

    assert covered.sections == ("People",)
    assert "## People\n<!-- remem: 2 lines are entries, see memory_recall -->" in after
    assert "Porto" not in after
    assert after.endswith(TEXT[TEXT.index("## Hosts") :])


def test_one_line_that_is_in_no_entry_keeps_its_section() -> None:
    assert pointed(ANA[:1]) == ()
    assert pointed([ANA[0], entry("lives in Portugal")]) == ()


def test_an_archived_entry_or_one_of_another_file_covers_nothing() -> None:
    assert pointed([replace(item, archived=True) for item in ANA]) == ()
    assert pointed([replace(item, trust="untrusted") for item in ANA]) == ()
    assert pointed([replace(item, origins=()) for item in ANA]) == ()
    assert pointed([entry(item.content, "USER.md") for item in ANA]) == ()


def test_a_table_row_is_covered_by_its_cells_and_code_by_its_lines() -> None:
    covered = measure_coverage(TEXT, HOSTS)

    assert covered.sections == ("Hosts",)
    assert "```" not in apply_edit(TEXT.encode(), covered.edit).decode()
    assert pointed([entry("name: atlas; use: music\nssh atlas")]) == ()


def test_noise_does_not_block_a_pointer_and_stays() -> None:
    covered = measure_coverage(TEXT, RULES)

    assert covered.sections == ("Rules",)
    assert "- no active sessions found" in apply_edit(TEXT.encode(), covered.edit).decode()


def test_a_short_line_is_not_found_inside_a_word() -> None:
    text = "## A\n- ok\n"

    assert measure_coverage(text, [entry("a book")]).sections == ()
    assert measure_coverage(text, [entry("A: ok")]).sections == ("A",)


def test_all_lines_are_covered_when_all_are_entries() -> None:
    covered = measure_coverage(TEXT, [*ANA, *HOSTS, *RULES])

    assert covered.is_migrated
    assert covered.missing == ()
    assert len(covered.sections) == 3


def test_lines_that_no_entry_has_are_named() -> None:
    covered = measure_coverage(TEXT, [*ANA, *HOSTS])

    assert covered.missing == ("- Ask first.",)
    assert covered.lines == 6
    assert not covered.is_migrated


NESTED = """# Memory

## Hosts
- atlas holds the backups

### The relay and its ports
#### Behind the proxy
- it listens on port 2525

### What nobody wrote down yet
- no active sessions found

## Rules
- Ask first.
"""
HELD = [
    entry("atlas holds the backups"),
    replace(
        entry("The relay and its ports › Behind the proxy: it listens on port 2525"),
        context="MEMORY.md › Memory › Hosts › The relay and its ports › Behind the proxy",
    ),
]


def test_a_heading_that_loses_all_its_lines_is_removed_too() -> None:
    """The known-bad version left it, and the next migration took it for a statement."""
    after = apply_edit(NESTED.encode(), measure_coverage(NESTED, HELD).edit).decode()

    assert (
        after.split()
        == (
            "# Memory ## Hosts <!-- remem: 2 lines are entries, see memory_recall --> "
            "### What nobody wrote down yet - no active sessions found ## Rules - Ask first."
        ).split()
    )


def test_a_heading_whose_words_are_in_no_entry_stays() -> None:
    bare = [HELD[0], entry("it listens on port 2525")]

    after = apply_edit(NESTED.encode(), measure_coverage(NESTED, bare).edit).decode()

    assert "### The relay and its ports\n#### Behind the proxy\n" in after
