from hypothesis import given
from hypothesis import strategies as st

from remem.files.transcripts.records import WIDTH, Turn, render, wrap


def test_every_line_names_the_speaker_and_the_line_of_the_file() -> None:
    turn = Turn(12, "assistant", " ".join(["word"] * 400), "2026-11-10T09:00:00Z")

    lines = list(render(turn))

    assert len(lines) == 3
    assert {(line.line, line.role, line.time) for line in lines} == {
        (12, "assistant", "2026-11-10T09:00:00Z")
    }
    assert all(line.text.startswith("Assistant: word") for line in lines)
    assert all(line.text.endswith("word") for line in lines)


def test_a_line_that_just_fits_is_not_cut() -> None:
    assert list(wrap("x" * WIDTH)) == ["x" * WIDTH]
    assert list(wrap("x" * WIDTH + " y")) == ["x" * WIDTH, "y"]
    assert list(wrap("x" * 400 + " " + "y" * 400)) == ["x" * 400, "y" * 400]


def test_a_word_without_a_space_is_cut_where_it_must() -> None:
    assert [len(piece) for piece in wrap("x" * 1700)] == [800, 800, 100]


@given(st.lists(st.text(alphabet="ab数", min_size=1, max_size=40), max_size=60))
def test_no_word_is_lost_or_made(words: list[str]) -> None:
    text = " ".join(words)

    pieces = list(wrap(text, 30))

    assert all(0 < len(piece) <= 30 for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")
