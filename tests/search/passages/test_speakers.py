"""Speakers are read from names at the beginning of lines."""

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
def test_a_name_before_a_colon_is_a_speaker(line: str) -> None:
    assert speakers_in(line) == ("mara",)


@pytest.mark.parametrize(
    "line", ["see https://example.org", "12:30 lunch", "a port: 80:443", "nobody", "x" * 60 + ": y"]
)
def test_other_text_before_a_colon_is_not_a_speaker(line: str) -> None:
    assert speakers_in(line) in ((), ("a port",))


def test_the_share_of_lines_by_people_counts_lines_with_a_role() -> None:
    assert (
        share_by_people(speakers_in("User: hi\nAssistant: hello\nUser: bye\nAssistant: bye")) == 0.5
    )
    assert share_by_people(speakers_in("user: hi")) == 1.0
    assert share_by_people(speakers_in("Assistant: hi")) == 0.0
    assert share_by_people(speakers_in("Mara: hi\nplain words")) == 0.0, (
        "two people have no such roles"
    )


def test_the_named_speaker_is_found_by_their_lines() -> None:
    talk = [("mara", "tom"), ("mara", "tom"), ("tom", "mara")]

    assert only_speaker_named("What is Mara's dog called?", talk) == "mara"
    assert only_speaker_named("Did Mara meet Tom?", talk) is None
    assert only_speaker_named("Where was the user?", [("user",)] * 5) is None
    assert only_speaker_named("What about Mara?", talk[:1]) is None, "a label begins a line or two"
    assert share_by_speaker("mara", ("mara", "tom", "tom", "tom")) == 0.25
    assert share_by_speaker(None, ("mara",)) == 0.0
