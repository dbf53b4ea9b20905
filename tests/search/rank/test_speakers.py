"""Speakers are read from names at the beginning of lines."""

from __future__ import annotations

from remem.search.rank.context import (
    named_speakers,
    share_by_people,
    share_by_speaker,
    speakers_in,
)
from tests.tables import each_row


@each_row(
    "line",
    ["Mara: hello", "- Mara: hello", "> Mara: hello", "**Mara:** hello", "**Mara**: hello"],
)
def test_a_name_before_a_colon_is_a_speaker(line: str) -> None:
    assert speakers_in(line) == ("mara",)


@each_row(
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


def test_a_name_that_begins_several_lines_is_a_speaker() -> None:
    talk = ["Mara: hi\nTom: hi", "Mara: yes\nTom: no", "Tom: bye\nMara: bye\nUser: ok"]

    assert named_speakers(talk) == {"mara", "tom"}
    assert named_speakers(talk[:1]) == set(), "a label begins a line or two"
    assert named_speakers(["User: a\nUser: b\nUser: c"]) == set()
    assert share_by_speaker("mara", ("mara", "tom", "tom", "tom")) == 0.25
    assert share_by_speaker(None, ("mara",)) == 0.0


def test_the_label_of_a_line_in_a_list_is_not_a_speaker() -> None:
    labels = ["- **Sora**: needs the paid plan"] * 4
    talk = ["Mara: hello\nTom: hi\nMara: how are you?\nTom: fine\nMara: good"]

    assert named_speakers(labels) == set()
    assert named_speakers(talk) == {"mara"}
