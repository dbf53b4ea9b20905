"""A memory that grows, measured: what must come out whole does, and the figures can be seen."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import growth
from bench.growth import Growth, Size, grown
from bench.growth_plot import lines, svg
from bench.isolation import recall_in_group, recall_with_filter
from bench.timing import Timing, time_in_turn
from bench.workload import Workload
from remem.app.opening import open_workspace
from tests.deterministic import Deterministic


@pytest.fixture
def model() -> Deterministic:
    return Deterministic()


def test_a_filter_and_a_group_come_out_whole(tmp_path: Path, model: Deterministic) -> None:
    with open_workspace(tmp_path, background=False, embedder=model) as memory:
        memory.store_many(
            {"category": "fact", "content": text, "tags": ["seldom"] if i % 100 == 0 else []}
            for i, text in enumerate(Workload().texts(300))
        )

    assert recall_with_filter(tmp_path, model, "seldom", ["what was it"])[1] == 3
    assert recall_in_group(tmp_path, model)[1] == (5, 5)
    assert recall_in_group(tmp_path, model)[1] == (5, 5)  # measured again at the next size


@pytest.mark.slow
def test_a_memory_is_measured_at_each_size(
    model: Deterministic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the processes, which take seconds to start."""
    monkeypatch.setattr(growth, "side_by_side", lambda *_args, **_kinds: (0.5, 0.2))
    monkeypatch.setattr(growth, "memory_of", lambda *_args: 100.0)
    said: list[str] = []

    measured = grown([300, 100], model, encoded=20, progress=said.append)

    assert [size.entries for size in measured.sizes] == [100, 300]
    assert all(size.kept == (1, 1) and size.group == (5, 5) for size in measured.sizes)
    assert all(size.recall.p50 > 0 and size.disk > 100 for size in measured.sizes)
    assert any("300 measured" in line for line in said)


def test_both_are_asked_the_same_questions_in_turn() -> None:
    heard: list[str] = []

    asked = time_in_turn(
        lambda q: heard.append(f"we {q}"), lambda q: heard.append(f"they {q}"), "ab"
    )

    assert heard == ["we a", "they a", "we b", "they b"] * 2  # once to warm up
    assert asked.ratio == asked.p50 / asked.bare_p50
    assert asked.cpu >= 0


def test_the_texts_of_a_workload_are_always_the_same() -> None:
    assert Workload().texts(50)[:20] == Workload().texts(20)
    assert Workload(seed=1).texts(5) != Workload(seed=2).texts(5)


def sized(entries: int, milliseconds: float) -> Size:
    half = milliseconds / 2
    asked = Timing(milliseconds, 2 * milliseconds, milliseconds, half, milliseconds, half)
    return Size(
        entries=entries,
        stored=1000.0,
        bare_stored=4000.0,
        quick=800.0,
        vectors=500.0,
        recall=asked,
        common=asked,
        filtered_ms=milliseconds,
        kept=(entries // 1000, entries // 1000),
        group_ms=3.0,
        group=(5, 5),
        cold=0.4,
        parts=0.2,
        megabytes=150.0,
        disk=2000.0,
    )


def test_figures_over_size_are_printed_and_plotted() -> None:
    growth = Growth("2 cores", "3.11", "a note", (sized(10_000, 20.0), sized(1_000_000, 90.0)))
    shown = list(lines(growth))

    assert shown[0] == "10,000 entries"
    assert any("recall p50 90.0 ms, bare parts 45.0 ms: 2.00 (goal ≤ 2)" in line for line in shown)
    assert any(line.strip().startswith("1,000,000 █") for line in shown)
    drawn = ElementTree.fromstring(svg(growth))
    assert len(drawn.findall("{http://www.w3.org/2000/svg}polyline")) == 6
    assert "1,000,000" in svg(growth)


def test_one_size_can_be_drawn_too() -> None:
    growth = Growth("2 cores", "3.11", "a note", (sized(10_000, 20.0),))

    assert ElementTree.fromstring(svg(growth)) is not None
    assert not any("█" in line for line in lines(growth))
