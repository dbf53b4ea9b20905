"""Passages are found by keyword always, and by vector if there is a model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from remem.model.passage import FileMark, Passage
from remem.ports.passages import PassageStore
from remem.search.passages.search import ScopeSearch, SearchFindings
from remem.search.passages.selection import Relevance, choose
from remem.search.query.embedding import UNSUPPORTED_LANGUAGE, QueryEmbedder, TimeLimit
from remem.search.query.question import parse_question
from remem.search.rank.ranking import Candidate, rank
from remem.store.sqlite.passages import SqlitePassages
from tests.deterministic import IDENTITY, Deterministic
from tests.tables import each_row

NOW = "2026-11-15T12:00:00Z"
FILES = {
    "MEMORY.md": ["The gateway runs on atlas.", "PR 42 fixes v3.", "我们的数据中心在法兰克福。"],
    "memory/2026-11-14.md": ["Bought tea and rice."],
    "memory/projects/atlas.md": ["Deadline is in May.", "Budget unknown."],
    "memory/notes/atlas.md": ["Peaks and maps."],
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PassageStore]:
    passages = SqlitePassages(tmp_path / "passages.db")
    passages.write(
        lambda tx: tx.replace(
            [
                (
                    FileMark(path, 1, 1, n, "0", 0),
                    [
                        Passage(path, i, i, text, day=day_of(path))
                        for i, text in enumerate(texts, 1)
                    ],
                )
                for n, (path, texts) in enumerate(FILES.items())
            ]
        )
    )
    yield passages
    passages.close()


def day_of(path: str) -> str | None:
    return "2026-11-14" if "2026-11-14" in path else None


def with_vectors(store: PassageStore) -> None:
    store.write(lambda tx: tx.set_vector_models(IDENTITY))
    with store.read() as reading:
        pending = reading.pending(100)
    made = Deterministic().embed([pending_text.text for pending_text in pending])
    store.write(
        lambda tx: tx.save_vectors(
            IDENTITY, [(text.id, text.version, v) for text, v in zip(pending, made, strict=True)]
        )
    )


class Latin(Deterministic):
    """A model of languages in ASCII letters."""

    def language_support(self, text: str) -> int:
        return 2 if text.isascii() else 0


def found(store: PassageStore, query: str, least: float | None = None) -> list[str]:
    search = ScopeSearch(store, QueryEmbedder((Latin(),), None), TimeLimit(30))
    findings = search(query, ("memory",), NOW, 6)
    return [result.ranked.passage.citation for result in choose(findings.above(least), 6)]


@pytest.mark.parametrize("vectors", [False, True])
@each_row(
    ("query", "first"),
    [
        ("where does the gateway run", "MEMORY.md#L1"),
        ("gatewya", "MEMORY.md#L1"),
        ("PR 42", "MEMORY.md#L2"),
        ("v3", "MEMORY.md#L2"),
        ("数据中心", "MEMORY.md#L3"),
        ("zebra 42 xylophone", "MEMORY.md#L2"),
        ("what did I buy yesterday?", "memory/2026-11-14.md#L1"),
        ("2026-11-14", "memory/2026-11-14.md#L1"),
        ("memory/projects/atlas.md", "memory/projects/atlas.md#"),
        ("what does memory/projects/atlas.md say", "memory/projects/atlas.md#"),
        ("'atlas.md'", ("memory/notes/atlas.md#L1", "memory/projects/atlas.md#")),
        ("atlas", ("memory/notes/atlas.md#L1", "memory/projects/atlas.md#")),
    ],
)
def test_the_right_passage_comes_first(
    store: PassageStore, query: str, first: str | tuple[str, ...], vectors: bool
) -> None:
    if vectors:
        with_vectors(store)

    assert found(store, query)[0].startswith(first)


def test_a_path_comes_before_a_name_and_a_name_before_a_stem(store: PassageStore) -> None:
    paths = [place.partition("#")[0] for place in found(store, "memory/projects/atlas.md")]

    assert paths[:2] == ["memory/projects/atlas.md"] * 2
    assert set(paths[2:3]) <= {"memory/notes/atlas.md", "MEMORY.md"}


def test_a_common_word_in_a_question_is_not_taken_for_a_file(store: PassageStore) -> None:
    assert found(store, "on which host does the gateway of atlas run")[0] == "MEMORY.md#L1"


def test_the_default_threshold_applies_to_vector_hits_only() -> None:
    asked = parse_question("tea", date(2026, 11, 15))

    def found(number: int, text: str, coverage: float, **scores: float) -> Candidate:
        passage = Passage(f"{number}.md", 1, 1, text)
        return Candidate(passage, kind="passage", number=number, coverage=coverage, **scores)  # type: ignore[arg-type]

    candidates = [
        found(1, "tea", 1.0, keyword=1.0, meaning=0.1, late_interaction=0.3),
        found(2, "teas, by stem", 1.0, keyword=0.05, meaning=0.05, late_interaction=0.0),
        found(3, "drinks", 0.0, meaning=0.04, late_interaction=0.0),
        found(4, "a hot leaf brew", 0.0, meaning=0.6, late_interaction=0.25),
    ]
    relevance = Relevance(candidates, asked)
    results = [relevance.found(result) for result in rank(candidates, asked, NOW)]
    findings = SearchFindings(asked, (), tuple(results))

    def numbers(least: float | None) -> set[int | None]:
        return {result.ranked.candidate.number for result in findings.above(least)}

    assert numbers(None) == {1, 2, 4}
    assert numbers(0.35) == {1, 4}


def test_a_model_that_does_not_support_the_language_is_not_used(store: PassageStore) -> None:
    with_vectors(store)
    findings = ScopeSearch(store, QueryEmbedder((Latin(),), None), TimeLimit(30))(
        "数据中心", ("memory",), NOW, 6
    )

    assert findings.model is None
    assert findings.fallback_reason == UNSUPPORTED_LANGUAGE
    assert findings.failed is None
    assert findings.above(None)[0].ranked.passage.start == 3


def test_a_query_of_symbols_finds_nothing_without_an_error(store: PassageStore) -> None:
    for query in ("?", '"', "* OR NEAR(", "\u200b", "🦀", "(){}^", "a" * 10_000):
        found(store, query)
