"""What every store of passages promises; run over the file and over the one in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from remem.errors import EmbedderMismatch, StoreClosed
from remem.model.passage import FileMark, Passage, Source
from remem.ports.models import Embedding, Floats, ModelIdentity
from remem.ports.passages import PassageStore
from remem.store.fallback import MemoryPassages
from remem.store.sqlite.passages import SqlitePassages
from remem.text.words import search_terms
from tests.tables import each_row

MODEL = ModelIdentity("m", 8, "f16")
BOTH: tuple[Source, ...] = ("memory", "sessions")
ADAPTERS: dict[str, Callable[[Path], PassageStore]] = {
    "sqlite": lambda folder: SqlitePassages(folder / "passages.db"),
    "memory": lambda _folder: MemoryPassages(),
}


@pytest.fixture(params=ADAPTERS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PassageStore]:
    opened = ADAPTERS[request.param](tmp_path)
    yield opened
    opened.close()


def mark(path: str = "memory/a.md", digest: str = "d", **more: object) -> FileMark:
    return FileMark(path, 10, 20, 30, digest, **more)  # type: ignore[arg-type]


def passage(text: str, path: str = "memory/a.md", line: int = 1, **more: object) -> Passage:
    return Passage(path, line, line, text, **more)  # type: ignore[arg-type]


def keep(store: PassageStore, path: str, *texts: str, **more: object) -> None:
    cut = [passage(text, path, line, **more) for line, text in enumerate(texts, start=1)]
    store.write(lambda tx: tx.replace([(mark(path), cut)]))


def found(store: PassageStore, query: str, sources: tuple[Source, ...] = BOTH) -> list[str]:
    with store.read() as reading:
        rows = [row for row, _ in reading.keyword(search_terms(query), sources, 50).hits]
        passages = reading.passages(rows)
    return [passages[row].text for row in rows]


def rows_of(store: PassageStore, path: str = "memory/a.md") -> list[int]:
    with store.read() as reading:
        return [row for row, _ in reading.of_file(path)]


def unit(axis: int) -> Floats:
    vector = np.zeros(8, np.float32)
    vector[axis] = 1
    return vector


def embed(store: PassageStore, axes: dict[int, int]) -> None:
    store.write(
        lambda tx: tx.save_vectors(
            MODEL, [(row, 1, Embedding(unit(axis))) for row, axis in axes.items()]
        )
    )


def test_a_passage_is_read_as_it_was_stored(store: PassageStore) -> None:
    whole = Passage(
        path="memory/2026-03-18-庭.md",
        start=4,
        end=9,
        text="- 数据中心 moved\n\ttabs – “quotes” \ufffd",
        headings=("Top", "Sub — ‘x’"),
        within=("parent", "child"),
        source="memory",
        curated=True,
        day="2026-03-18",
        importance=7,
        triggers="a; b",
        project="p",
    )
    written = mark(whole.path, "digest", tokens=12, problem="odd", changed_ns=5)

    store.write(lambda tx: tx.replace([(written, [whole])]))

    with store.read() as reading:
        assert reading.files() == {whole.path: written}
        assert [passage for _, passage in reading.of_file(whole.path)] == [whole]
        assert reading.counts() == (1, 1)
        (row,) = reading.passages(range(100))
        assert reading.passages([row, 99]) == {row: whole}


def test_the_passages_of_a_file_are_those_of_the_last_replacement(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea in the garden", "cake in the hall")
    keep(store, "memory/b.md", "tea in the cellar")

    keep(store, "memory/a.md", "coffee in the garden")

    assert found(store, "tea") == ["tea in the cellar"]
    assert found(store, "cake") == []
    assert found(store, "garden") == ["coffee in the garden"]


def test_unchanged_passages_keep_their_rows_and_vectors(store: PassageStore) -> None:
    keep(store, "memory/a.md", "one", "two")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    first, second = rows_of(store)
    embed(store, {first: 1, second: 2})

    keep(store, "memory/a.md", "zero", "one", "two")

    _, *kept = rows_of(store)
    assert kept == [first, second]
    with store.read() as reading:
        assert [item.text for item in reading.pending(9)] == ["zero"]
        assert [reading.passages([row])[row].start for row in kept] == [2, 3]
        assert set(reading.vectors_of(MODEL, kept)) == {first, second}


def test_a_row_is_never_used_again(store: PassageStore) -> None:
    keep(store, "memory/a.md", "one", "two")
    before = rows_of(store)

    store.write(lambda tx: tx.forget(["memory/a.md"]))
    keep(store, "memory/a.md", "one", "three")

    assert not set(before) & set(rows_of(store))


def test_equal_lines_of_a_file_each_have_a_passage(store: PassageStore) -> None:
    keep(store, "memory/a.md", "same", "same", "same")
    keep(store, "memory/a.md", "same", "same")

    assert len(rows_of(store)) == 2
    assert found(store, "same") == ["same", "same"]


def test_a_forgotten_file_is_gone_from_words_and_vectors(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea")
    keep(store, "memory/b.md", "cake")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    (tea,), (cake,) = rows_of(store), rows_of(store, "memory/b.md")
    embed(store, {tea: 1, cake: 2})
    with store.read() as reading:
        assert len(reading.nearest(MODEL, unit(1), BOTH, 9)) == 2

    store.write(lambda tx: tx.forget(["memory/a.md", "memory/never.md"]))

    with store.read() as reading:
        assert set(reading.files()) == {"memory/b.md"}
        assert [row for row, _ in reading.nearest(MODEL, unit(1), BOTH, 9)] == [cake]
        assert reading.vectors_of(MODEL, [tea]) == {}
        assert reading.stored_spelling("teaa") is None
    assert found(store, "tea") == []


def test_a_mark_is_updated_without_its_passages(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea")
    before = rows_of(store)

    store.write(lambda tx: tx.update_marks([mark("memory/a.md", "d", changed_ns=77)]))

    with store.read() as reading:
        assert reading.files()["memory/a.md"].changed_ns == 77
    assert rows_of(store) == before


def test_text_counts_for_more_than_a_heading_and_that_for_more_than_a_path(
    store: PassageStore,
) -> None:
    keep(store, "memory/tea.md", "by its path only, some more words")
    keep(store, "memory/b.md", "by heading only, some more words", headings=("tea",))
    keep(store, "memory/c.md", "tea by its own words, some more words")

    assert [text.partition(" o")[0] for text in found(store, "tea")] == [
        "tea by its",
        "by heading",
        "by its path",
    ]


def test_a_nested_bullet_is_found_by_its_parents(store: PassageStore) -> None:
    keep(store, "MEMORY.md", "Phase 2: in May", within=("Rebuild of the greenhouse",))

    assert found(store, "greenhouse") == ["Phase 2: in May"]


def test_host_annotations_are_not_indexed_but_triggers_are(store: PassageStore) -> None:
    text = "- booked <!-- importance: 7 --> <!-- trigger: wedding -->"
    keep(store, "MEMORY.md", text, triggers="wedding", importance=7)

    assert found(store, "importance") == []
    assert found(store, "trigger") == []
    assert found(store, "wedding") == [text]


@each_row("query", ["数据中心", "データセンター", "데이터", "Köln", "v3", "PR 42"])
def test_any_script_and_short_codes_are_found(store: PassageStore, query: str) -> None:
    keep(store, "memory/a.md", f"foo {query} bar", "nothing of the kind")

    assert found(store, query)[0] == f"foo {query} bar"


def test_words_and_vectors_of_one_source_are_found_alone(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea at home")
    keep(store, "sessions/main/1.jsonl", "tea was said", source="sessions")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    (file,), (said,) = rows_of(store), rows_of(store, "sessions/main/1.jsonl")
    embed(store, {file: 1, said: 1})

    assert found(store, "tea", ("memory",)) == ["tea at home"]
    assert found(store, "tea", ("sessions",)) == ["tea was said"]
    assert found(store, "tea", ()) == []
    with store.read() as reading:
        near = {
            sources: [row for row, _ in reading.nearest(MODEL, unit(1), sources, 9)]
            for sources in (("memory",), ("sessions",), BOTH, ())
        }
    assert near == {("memory",): [file], ("sessions",): [said], BOTH: [file, said], (): []}


def test_the_total_counts_matches_beyond_the_limit(store: PassageStore) -> None:
    keep(store, "memory/a.md", *(f"tea number {n}" for n in range(30)))

    with store.read() as reading:
        matches = reading.keyword(["tea"], ("memory",), 4)
    assert (len(matches.hits), matches.total) == (4, 30)


def test_a_misspelt_word_is_corrected(store: PassageStore) -> None:
    keep(store, "memory/a.md", "the greenhouse is cold")

    with store.read() as reading:
        assert reading.stored_spelling("greenhuose") == "greenhouse"


def test_new_passages_are_queued_with_their_headings(
    store: PassageStore,
) -> None:
    text = "- moved <!-- importance: 3 -->"
    keep(store, "memory/a.md", text, headings=("Projects", "Data"), within=("Hall",))

    with store.read() as reading:
        assert reading.vector_state().pending == 1
        (waiting,) = reading.pending(9)
    assert waiting.text == "Projects\nData\nHall\n- moved"


def test_another_model_queues_all_passages(store: PassageStore) -> None:
    other = ModelIdentity("other", 8, "f16")
    keep(store, "memory/a.md", "tea")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    (row,) = rows_of(store)
    embed(store, {row: 1})

    store.write(lambda tx: tx.set_vector_models(other))

    with store.read() as reading:
        assert reading.vector_state().pending == 1
        assert reading.vector_state().vectors == {MODEL: 1, other: 0}
        assert reading.vector_state().models == str(other)
        assert reading.nearest(other, unit(1), BOTH, 9) == []


def test_the_vector_of_a_removed_passage_is_not_stored(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    (row,) = rows_of(store)
    store.write(lambda tx: tx.forget(["memory/a.md"]))

    embed(store, {row: 1})

    with store.read() as reading:
        assert reading.vector_state().vectors == {MODEL: 0}
        assert reading.nearest(MODEL, unit(1), BOTH, 9) == []


def test_a_moved_or_copied_file_keeps_its_vectors(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea", "cake")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    embed(store, dict(zip(rows_of(store), (1, 2), strict=True)))

    keep(store, "memory/archive/a.md", "tea", "cake", "new")
    store.write(lambda tx: tx.forget(["memory/a.md"]))

    with store.read() as reading:
        assert [item.text for item in reading.pending(9)] == ["new"]
        (nearest, _), *_ = reading.nearest(MODEL, unit(2), BOTH, 9)
        assert reading.passages([nearest])[nearest].citation == "memory/archive/a.md#L2"


def test_a_quick_vector_is_used_until_the_models_own_replaces_it(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea", "cake")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    tea, cake = rows_of(store)

    store.write(
        lambda tx: tx.save_vectors(
            MODEL, [(tea, 1, Embedding(unit(1))), (cake, 1, Embedding(unit(2)))], quick=True
        )
    )

    with store.read() as reading:
        assert reading.nearest(MODEL, unit(2), BOTH, 1)[0][0] == cake
        assert [item.id for item in reading.pending(9)] == [tea, cake]
        assert reading.pending(9, None, MODEL) == []
        assert reading.vectors_of(MODEL, [tea, cake], quick=False) == {}
    embed(store, {cake: 3})
    store.write(lambda tx: tx.save_vectors(MODEL, [(cake, 1, Embedding(unit(2)))], quick=True))
    with store.read() as reading:
        assert reading.nearest(MODEL, unit(3), BOTH, 1)[0][0] == cake
        assert [item.id for item in reading.pending(9)] == [tea]
        assert set(reading.vectors_of(MODEL, [tea, cake], quick=False)) == {cake}


def test_a_copy_of_a_passage_with_a_quick_vector_is_queued_too(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea")
    store.write(lambda tx: tx.set_vector_models(MODEL))
    store.write(
        lambda tx: tx.save_vectors(MODEL, [(rows_of(store)[0], 1, Embedding(unit(1)))], quick=True)
    )

    keep(store, "memory/archive/a.md", "tea")
    store.write(lambda tx: tx.forget(["memory/a.md"]))

    with store.read() as reading:
        assert [item.text for item in reading.pending(9)] == ["tea"]
        assert len(reading.nearest(MODEL, unit(1), BOTH, 9)) == 1


def test_a_vector_of_another_length_is_refused(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea")

    with pytest.raises(EmbedderMismatch):
        store.write(lambda tx: tx.save_vectors(MODEL, [(1, 1, Embedding(np.ones(9, np.float32)))]))
    with store.read() as reading, pytest.raises(EmbedderMismatch):
        reading.nearest(MODEL, np.ones(9, np.float32), BOTH, 1)


def test_a_failing_file_rolls_back_the_whole_replacement(store: PassageStore) -> None:
    keep(store, "memory/a.md", "tea")

    with pytest.raises(UnicodeEncodeError):
        store.write(
            lambda tx: tx.replace(
                [(mark("memory/b.md"), [passage("good", "memory/b.md")]), (mark("\ud800"), [])]
            )
        )

    with store.read() as reading:
        assert set(reading.files()) == {"memory/a.md"}
    assert found(store, "good") == []


def test_a_closed_store_raises_an_error(store: PassageStore) -> None:
    store.close()
    store.close()

    with pytest.raises(StoreClosed), store.read():
        pass
    with pytest.raises(StoreClosed):
        store.write(lambda tx: tx.forget([]))


def test_scrubbing_removes_all_bytes_of_removed_text(store: PassageStore, tmp_path: Path) -> None:
    keep(store, "memory/a.md", "The quetzal nests here.", "The gate opens at nine.")
    keep(store, "memory/a.md", "The gate opens at nine.")

    store.scrub()

    assert found(store, "gate") == ["The gate opens at nine."]
    for path in tmp_path.iterdir():
        assert b"quetzal" not in path.read_bytes().lower(), path
