import os
import tracemalloc
from pathlib import Path

import pytest

from remem.errors import FileError
from remem.files.transcripts.records import MAX_LINE, Skipped, lines, records
from tests.files.transcripts.samples import written


def numbers(path: Path, skipped: Skipped | None = None) -> list[int]:
    return [record.line for record in records(path, Skipped() if skipped is None else skipped)]


def test_lines_are_counted_as_every_program_counts_them(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\n  \n{"a":"\xe2\x80\xa8 and \\u0085"}\n{"a":3}')

    assert numbers(path) == [1, 4, 5]


def test_invalid_lines_are_counted_by_kind(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl",
        [
            b'{"a": 1}',
            b"{broken",
            b'{"a": "\xff\xfe"}',
            b"\x00\x00\x00\x00",
            b'{"a": "\x00"}',
            b"[1, 2]",
            b'"text"',
            b"null",
            b"[" * 200_000,
            b'{"a": ' + b"9" * 5000 + b"}",
            b'{"a": 2}',
        ],
    )
    skipped = Skipped()

    assert numbers(path, skipped) == [1, 11]
    assert skipped == {"not json": 5, "not utf-8": 1, "wrong shape": 3}


def test_an_overlong_line_is_skipped_and_the_next_one_keeps_its_number(
    tmp_path: Path,
) -> None:
    fits = b'{"a": "' + b"x" * (MAX_LINE - 9) + b'"}'
    assert len(fits) == MAX_LINE
    path = written(tmp_path / "s.jsonl", [fits, fits + b" ", b"{}", b"y" * MAX_LINE * 2, b"{}"])
    skipped = Skipped()

    assert [number for number, _ in lines(path, skipped)] == [1, 3, 5]
    assert skipped == {"too long": 2}


def test_fifty_megabytes_in_one_line_take_no_fifty_megabytes_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        for _ in range(50):
            file.write(b"z" * 2**20)
        file.write(b'\n{"a": 1}\n')

    tracemalloc.start()
    try:
        assert numbers(path) == [2]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < path.stat().st_size / 2


def test_a_link_a_pipe_and_a_folder_are_not_read(tmp_path: Path) -> None:
    target = written(tmp_path / "t.jsonl", [{"a": 1}])
    (tmp_path / "link").symlink_to(target)
    os.mkfifo(tmp_path / "pipe")

    for name in ("link", "pipe", ".", "none"):
        with pytest.raises(FileError):
            numbers(tmp_path / name)


def test_a_reader_that_stops_early_closes_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [{"a": 1}] * 3)
    before = len(os.listdir("/proc/self/fd"))

    stream = records(path, Skipped())
    next(stream)
    stream.close()

    assert len(os.listdir("/proc/self/fd")) == before
