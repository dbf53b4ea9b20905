"""Token counts are kept between processes, so that a command need not load the tokenizer."""

from __future__ import annotations

from pathlib import Path

from remem.embed.counters import CachedCounter
from tests.tables import each_row

KEY = bytes(range(32))


class Counting:
    """Counts words, and records which texts it was asked about."""

    name = "words"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return len(text.split())


def saved(file: Path, counter: Counting, key: bytes | None = KEY) -> CachedCounter:
    return CachedCounter(counter, file, lambda: key)


def test_a_text_is_counted_once_for_all_processes(tmp_path: Path) -> None:
    first = saved(tmp_path / "counts", Counting())
    assert first.count("tea at four") == 3
    first.save()

    second = Counting()
    later = saved(tmp_path / "counts", second)

    assert later.count("tea at four") == 3
    assert later.count("tea \udc80 at five") == 4
    assert second.asked == ["tea \udc80 at five"]


def test_the_file_holds_no_text_and_no_digest_that_can_be_guessed(tmp_path: Path) -> None:
    for number, key in enumerate((KEY, KEY[::-1])):
        counter = saved(tmp_path / str(number), Counting(), key)
        counter.count("1234")
        counter.save()

    written = [(tmp_path / name).read_bytes() for name in "01"]
    assert b"1234" not in written[0]
    assert written[0][:16] != written[1][:16]


@each_row("damage", [b"half a record", bytes(20), b""])
def test_a_damaged_file_is_only_a_slower_start(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "counts").write_bytes(damage)

    assert saved(tmp_path / "counts", Counting()).count("tea at four") == 3


def test_without_a_key_or_a_folder_nothing_is_written(tmp_path: Path) -> None:
    unkeyed = saved(tmp_path / "counts", Counting(), None)
    gone = saved(tmp_path / "gone" / "counts", Counting())
    for counter in (unkeyed, gone):
        assert counter.count("tea at four") == 3
        counter.save()

    assert list(tmp_path.iterdir()) == []


def test_the_file_does_not_grow_without_limit(tmp_path: Path) -> None:
    counter = saved(tmp_path / "counts", Counting())
    for number in range(5000):
        counter.count(str(number))
    counter.save()

    assert (tmp_path / "counts").stat().st_size <= 100_000
    latest = Counting()
    saved(tmp_path / "counts", latest).count("4999")
    assert latest.asked == [], "the latest counts are kept"
