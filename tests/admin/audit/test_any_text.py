"""Whatever stands in MEMORY.md, it is read, and no promise about it is broken."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from remem.admin.audit.coverage import measure_coverage
from remem.admin.audit.duplicates import lexical_duplicates
from remem.admin.audit.noise import find_noise
from remem.admin.audit.recommend import AuditFindings, make_plans
from remem.admin.audit.sources import Sources, memory_costs, sections
from remem.files.host_files import FileContent
from remem.model.contradictions import contradictions
from remem.model.entry import Entry, Origin
from remem.model.host_loading import MEMORY_MD, omitted_parts
from remem.text.line_edits import apply_edit
from remem.text.statements import statements
from remem.text.tokens import estimate
from tests.tiers import examples

PIECES = [
    "# T",
    "## Setup",
    "## Setup (2026-05-07)",
    "### 🧠 深",
    "- The gate is red and the roof is green today.",
    "- The gate is red and the roof is green.",
    "  - the gate is red and the roof is green",
    "* Heartbeat OK, 8 checks",
    "- Default model: a-1",
    "- Default model: b-2 <!-- importance: 7 -->",
    "- Never use the helper script.",
    "The helper script is now the primary way.\r",
    "- x [score=0.8 recalls=0 avg=0.6 source=memory/a.md:1-1]",
    "<!-- openclaw-memory-promotion:memory:memory/a.md:1:1 -->",
    "<!-- never closed",
    "| a | b |",
    "|---|---|",
    "```",
    "~~gone~~ ✅",
    "",
    "\u2028 \x0b \x85 odd breaks",
    "---",
    "[[", "**", "[score=", "20260-13-99",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=25).map("\n".join)


def findings(text: str, entries: list[Entry]) -> AuditFindings:
    data = text.encode("utf-8", "replace")
    shown = data.decode()
    said = statements(MEMORY_MD, shown, always_loaded=True)
    host = {MEMORY_MD: FileContent(MEMORY_MD, data)}
    cut = omitted_parts({MEMORY_MD: len(shown)})
    sources = Sources(host, cut, (), tuple(memory_costs(shown, {}, estimate)), ())
    return AuditFindings(
        sources=sources,
        pairs=lexical_duplicates(said),
        contradictions=contradictions(said),
        noise=find_noise(said, lambda _path, _first, _last: "x"),
        stale=[],
        coverage=measure_coverage(shown, entries),
        count=estimate,
    )


@settings(max_examples=examples(300))
@given(TEXTS, st.lists(st.sampled_from(PIECES), max_size=6))
def test_every_recommendation_saves_what_it_says(text: str, known: list[str]) -> None:
    when = "2026-11-15T12:00:00Z"
    entries = [
        Entry(f"mem-{n}", "fact", item, when, when, origins=(Origin(MEMORY_MD, n),))
        for n, item in enumerate(known)
    ]
    found = findings(text, entries)
    data = found.sources.host[MEMORY_MD].data
    before = sum(item.tokens for item in found.sources.costs)

    for number, plan in enumerate(make_plans(found), 1):
        assert plan.recommendation.number == number
        if plan.edit is not None:
            after = apply_edit(data, plan.edit).decode()
            costs = memory_costs(after, {}, estimate)
            saved = before - sum(cost.tokens for cost in costs)
            assert saved == plan.recommendation.estimated_savings_tokens > 0


@settings(max_examples=examples(300))
@given(TEXTS)
def test_removed_lines_are_elsewhere_or_noise(text: str) -> None:
    found = findings(text, [])
    data = found.sources.host[MEMORY_MD].data
    noisy = {item.statement.start for item in found.noise}
    lines = data.decode().split("\n")

    for plan in make_plans(found):
        if plan.edit is None:
            continue
        left = " ".join(apply_edit(data, plan.edit).decode().split("\n")).casefold()
        for number in plan.edit.dropped - noisy:
            words = lines[number - 1].casefold().split("<!--")[0].split()
            assert all(word.strip("*.-:;,!?'\"()[]_`~|\r") in left for word in words)


@given(TEXTS)
def test_every_line_is_in_one_section(text: str) -> None:
    numbers = [n for section in sections(text) for n in range(section.start, section.end + 1)]

    assert numbers == list(range(1, text.count("\n") + 2))


def test_a_huge_file_of_one_line_is_read(tmp_path: Path) -> None:
    for text in ("- " + "a " * 200_000, "- " + "[score=" * 20_000, "- " + "<!--" * 20_000):
        found = findings(text, [])
        assert found.pairs == []
