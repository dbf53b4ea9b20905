"""Who speaks is read off the beginnings of lines, and only where they are names."""

from __future__ import annotations

import pytest

from remem.search.passages.ranking import (
    only_speaker_named,
    share_by_people,
    share_by_speaker,
    speakers_in,
)


@pytest.mark.parametrize(
    "line",
    ["Mara: hello", "- Mara: hello", "> Mara: hello", "**Mara:** hello", "**Mara**: hello"],
)
def test_a_name_before_a_colon_speaks(line: str) -> None:
    assert speakers_in(line) == ("mara",)


@pytest.mark.parametrize(
    "line", ["see https://example.org", "12:30 lunch", "a port: 80:443", "nobody", "x" * 60 + ": y"]
)
def test_what_is_no_name_does_not(line: str) -> None:
    assert speakers_in(line) in ((), ("a port",))


def test_the_share_of_a_persons_lines_is_told_where_an_assistant_speaks_too() -> None:
    assert (
        share_by_people(speakers_in("User: hi\nAssistant: hello\nUser: bye\nAssistant: bye")) == 0.5
    )
    assert share_by_people(speakers_in("user: hi")) == 1.0
    assert share_by_people(speakers_in("Assistant: hi")) == 0.0
    assert share_by_people(speakers_in("Mara: hi\nplain words")) == 0.0, (
        "two people have no such roles"
    )


def test_the_one_whom_a_question_names_is_known_by_his_lines() -> None:
    talk = [("mara", "tom"), ("mara", "tom"), ("tom", "mara")]

    assert only_speaker_named("What is Mara's dog called?", talk) == "mara"
    assert only_speaker_named("Did Mara meet Tom?", talk) is None
    assert only_speaker_named("Where was the user?", [("user",)] * 5) is None
    assert only_speaker_named("What about Mara?", talk[:1]) is None, "a label begins a line or two"
    assert share_by_speaker("mara", ("mara", "tom", "tom", "tom")) == 0.25
    assert share_by_speaker(None, ("mara",)) == 0.0
