"""Which statements of the owner's files are in a start text."""

from __future__ import annotations

from remem.model.loaded_statements import compare_with_start


def count(text: str) -> int:
    return len(text.split())


FILES = {
    "USER.md": "# User\n\n- Name: Mara Lindqvist\n- Time zone: Europe/Stockholm\n",
    "MEMORY.md": "# Rules\n\n- Never send mail without asking\n- Answers are short\n- **Pets:**\n",
}


def test_statements_are_recognised_in_shortened_lines_and_templates_do_not_count() -> None:
    start = "# Index\n\n- [P] Mara Lindqvist\n- [I] Never send mail without asking…\n"

    found = compare_with_start(FILES, start, 100, count)

    assert (found.total, found.kept, found.kept_by_cutting) == (4, 2, 4)
    assert [(one.path, one.line) for one in found.missing] == [("USER.md", 4), ("MEMORY.md", 4)]


def test_the_files_are_cut_off_at_the_size_of_the_start_text() -> None:
    found = compare_with_start(FILES, "- Never send mail without asking", 7, count)

    assert (found.kept, found.kept_by_cutting) == (1, 1)


def test_what_the_owner_dropped_does_not_count() -> None:
    found = compare_with_start(
        FILES, "", 100, count, dropped_lines={("USER.md", 3), ("MEMORY.md", 3)}
    )

    assert found.total == 2


def test_what_is_not_worth_loading_does_not_count() -> None:
    found = compare_with_start(
        FILES, "", 100, count, worth_of=lambda statement: 1 if statement.path == "USER.md" else -1
    )

    assert found.total == 2


def test_statements_count_by_their_worth() -> None:
    start = "- Never send mail without asking"

    found = compare_with_start(
        FILES, start, 10, count, worth_of=lambda statement: 3 if "Never" in statement.text else 1
    )

    assert (found.kept, found.kept_by_cutting) == (1, 2)
    assert (found.share_kept, found.share_kept_by_cutting) == (0.5, 2 / 6)
