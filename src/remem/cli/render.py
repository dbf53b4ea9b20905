"""How answers are shown to a person, with and without colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from remem.admin.audit.result import Audit
from remem.admin.status import Status
from remem.cli.commands.audit import show_audit
from remem.cli.commands.facts import show_facts
from remem.cli.commands.files import show_disclosed, show_excerpt, show_found
from remem.cli.commands.flush import show_flushed
from remem.cli.commands.learning import show_consolidated, show_heartbeat, show_taken_back
from remem.cli.opening import counted
from remem.cli.terminal import console, visible
from remem.disclose.get import Excerpt
from remem.disclose.open.result import OpenResult
from remem.entries.lifecycle import ForgetReport
from remem.entries.receipt import Receipt
from remem.entries.reinforcement import ReinforceReport
from remem.learn.consolidate.result import Consolidation, UndoResult
from remem.learn.facts.answers import FactAnswer
from remem.learn.flush.result import FlushResult
from remem.learn.heartbeat import Heartbeat
from remem.model.entry import Entry, Version
from remem.search.answer.answer import Answer, Recalled
from remem.search.passages.snippet import SearchResult

_TOLD: Final = ("category", "priority", "tags", "context", "expires_at", "trust", "archived")
"""What else than the words makes a version."""


def show(result: object) -> None:
    _FORMS[type(result)](console(), result)


def show_receipt(out: Console, receipt: Receipt) -> None:
    if not receipt.stored:
        out.print(f"not stored: {receipt.reason}")
        return
    known = f"merged into {receipt.id}, version {receipt.version}"
    what = known if receipt.deduplicated else f"stored {receipt.id}"
    out.print(f"{what} ({receipt.category}, {counted(receipt.token_cost, 'token')})")
    for label, values in (
        ("redacted", () if receipt.hint else receipt.redacted),
        ("replaces", receipt.superseded),
        ("similar to", receipt.linked),
    ):
        if values:
            out.print(f"{label}: {', '.join(values)}")
    if receipt.hint:
        out.print(receipt.hint)


def show_forgotten(out: Console, forgotten: ForgetReport) -> None:
    out.print(f"archived {forgotten.id}, version {forgotten.version}")


def show_reinforced(out: Console, done: ReinforceReport) -> None:
    back = "restored and " if done.revived else ""
    times = counted(done.strength + done.uses - 1, "time")
    until = f"; unused, it would be archived on {done.stale_on}" if done.stale_on else ""
    out.print(f"{done.id} {back}reinforced, {times} in all{until}")


def show_answer(out: Console, answer: Answer) -> None:
    for entry in answer.entries:
        out.print(_heading(entry))
        out.print(_body(entry.content))
        if entry.context:
            out.print(_body(f"why stored: {entry.context}", "dim"))
        if entry.version is not None:
            out.print(_body(_details(entry), "dim"))
        if entry.why:
            signals = sorted(entry.why.items(), key=lambda signal: -abs(signal[1]))
            reasons = " ".join(f"{name}{value:+.2f}" for name, value in signals if round(value, 2))
            out.print(_body(f"ranked by: {reasons}", "dim"))
    if not answer.entries:
        out.print("nothing found" if not answer.total_entries_matched else "nothing fits")
    budget = answer.token_count + answer.budget_remaining
    shown, matched = len(answer.entries), answer.total_entries_matched
    out.print(Text(f"{shown} of {matched} matches, {answer.token_count} of {budget} tokens", "dim"))
    for note in answer.notes:
        out.print(Text(f"note: {visible(note)}", "yellow"))


def show_status(out: Console, status: Status) -> None:
    held, health = status.progressive, status.health
    _table(
        out,
        f"{health.scope}: {counted(held.total_entries, 'entry', 'entries')}, "
        f"{counted(held.total_tokens_estimated, 'token')}",
        [
            ("by category", _counted(held.by_category)),
            ("by priority", _counted(held.by_priority)),
            ("archived", health.archived),
            ("waiting for review", health.waiting_for_review),
            ("last stored", held.last_store or "never"),
            ("last recalled", held.last_recall or "never"),
            ("last flushed", _flushed(held.last_flush, held.last_flush_reason)),
        ],
    )
    domains = {domain.name: domain.tokens for domain in status.index.on_demand_domains}
    _table(
        out,
        "cost in tokens",
        [
            ("index, always loaded", status.index.always_loaded_tokens),
            ("domains, on demand", _counted(domains)),
            (
                "other memory files",
                f"{status.legacy.total_tokens_estimated} in "
                f"{counted(status.legacy.files, 'file')}, "
                f"{counted(status.legacy.chunks, 'passage')}",
            ),
            *(
                [("conversations", counted(health.passages_of_conversations, "passage"))]
                if health.passages_of_conversations
                else []
            ),
        ],
    )
    encoded = health.encoded_by or {health.model or "no model yet": 0}
    _table(
        out,
        "health",
        [
            *(("vectors by", f"{name} ({count})") for name, count in encoded.items()),
            ("without a vector", _unread(health.without_vector, health.with_quick_vector)),
            ("files to write", health.files_to_write),
            ("passages without one", health.passages_without_vector),
            *(("not wholly read", visible(path)) for path in health.files_in_trouble),
            ("tokens counted by", health.token_counter),
            *(("degraded", visible(reason)) for reason in health.degraded),
            *(("notice", visible(notice)) for notice in health.notices),
        ],
    )


def _unread(waiting: int, quick: int) -> str:
    return f"{waiting} ({quick} have a quick one)" if quick else str(waiting)


def _flushed(when: str | None, why: str | None) -> str:
    return f"{when} ({visible(why)})" if when and why else when or "never"


def show_history(out: Console, versions: Iterable[Version]) -> None:
    before: Entry | None = None
    for version in versions:
        out.print(
            Text(f"version {version.version}  {version.at}  {visible(version.change)}", "bold")
        )
        out.print(_body(version.entry.content))
        for name in _TOLD if before else ():
            old, new = getattr(before, name), getattr(version.entry, name)
            if old != new:
                out.print(_body(f"{name}: {_value(old)} → {_value(new)}", "dim"))
        before = version.entry


def show_entries(out: Console, entries: Iterable[Entry], *, origins: bool = False) -> None:
    """Entries as a list; with `origins`, where each was said and what is known about it."""
    for entry in entries:
        kind = (
            entry.category if entry.priority == "medium" else f"{entry.category}  {entry.priority}"
        )
        out.print(Text(f"{entry.id}  {kind}  {entry.created_at}", "bold"))
        out.print(_body(entry.content))
        if origins:
            for origin in entry.origins:
                line = f", line {origin.position}" if origin.position is not None else ""
                out.print(_body(f"from {origin.source}{line}", "dim"))
            if entry.context:
                out.print(_body(entry.context, "yellow"))


def _heading(each: Recalled) -> Text:
    marks = [
        each.priority if each.priority != "medium" else "",
        each.trust if each.trust == "untrusted" else "",
        "shortened" if each.truncated else "",
        "archived" if each.archived else "",
        f"replaced by {each.superseded_by}" if each.superseded_by else "",
        *(f"#{visible(tag)}" for tag in each.tags),
    ]
    rest = "  ".join(mark for mark in marks if mark)
    return Text.assemble(
        (f"{each.score:.2f}  {each.id}  {each.category}", "bold"), ("  " + rest if rest else "")
    )


def _details(each: Recalled) -> str:
    parts = [
        f"version {each.version}",
        f"stored {each.stored_at}",
        f"changed {each.updated_at}" if each.updated_at != each.stored_at else "",
        f"expires {each.expires_at}" if each.expires_at else "",
        f"trust {each.trust}" if each.trust else "",
        f"related to {', '.join(each.related_to)}" if each.related_to else "",
    ]
    return ", ".join(part for part in parts if part)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) and value else str(value or "none")


def _body(text: str, style: str = "") -> Text:
    return Text("\n".join(f"    {line}" for line in visible(text).split("\n")), style)


def _table(out: Console, title: str, rows: Sequence[tuple[str, object]]) -> None:
    width = max(len(name) for name, _ in rows)
    out.print(Text(title, "bold"))
    for name, value in rows:
        out.print(f"  {name:<{width}}  {value}")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{visible(name)} {count}" for name, count in counts.items()) or "none"


_FORMS: Final[Mapping[type, Callable[[Console, Any], None]]] = {
    Receipt: show_receipt,
    ForgetReport: show_forgotten,
    ReinforceReport: show_reinforced,
    FactAnswer: show_facts,
    Answer: show_answer,
    Status: show_status,
    Audit: show_audit,
    SearchResult: show_found,
    Excerpt: show_excerpt,
    FlushResult: show_flushed,
    Heartbeat: show_heartbeat,
    Consolidation: show_consolidated,
    UndoResult: show_taken_back,
    OpenResult: show_disclosed,
}
