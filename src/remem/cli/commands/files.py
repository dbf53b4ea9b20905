"""Commands for the memory files: search, get, open, start and refresh; and `status`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click

from remem.app.tools.entries import STATUS
from remem.app.tools.files import GET, OPEN, SEARCH
from remem.cli.commands.tools import tool_command
from remem.cli.opening import CommandTarget, existing_workspace, next_step, opened
from remem.cli.terminal import (
    ago,
    json_option,
    progress,
    remark,
    respond,
    say,
    say_indented,
    say_notes,
    say_table,
    warn,
)
from remem.errors import EmbedderError, counted
from remem.model.entry import is_entry_id

if TYPE_CHECKING:
    from remem.admin.status import Health, Status
    from remem.disclose.get import Excerpt
    from remem.disclose.open.result import OpenResult
    from remem.search.passages.snippet import Hit, SearchResult
    from remem.search.refresh.refresh import RefreshReport


def _show_hits(result: SearchResult) -> None:
    for hit in result.results:
        say(_heading(hit), bold=True)
        say_indented(hit.snippet.partition("\n\nSource: ")[0] if hit.citation else hit.snippet)
    if not result.results and not result.unavailable:
        say("nothing found; try other words, or `remem status` to see what is searched")
    if result.mode:
        say(_method(result), dim=True)
    say_notes([note for note in (result.warning, result.action) if note])


def _method(result: SearchResult) -> str:
    """Return one line on the method of a search, and on texts that it may have missed."""
    model = (result.model or "").partition("/")[0]
    method = f"searched by words and meaning ({model})" if model else "searched by words only"
    pending = result.debug.pending_vectors if result.debug else None
    return f"{method}; {counted(pending, 'text')} not embedded yet" if pending else method


def _heading(hit: Hit) -> str:
    last = "" if hit.start_line == hit.end_line else f"-{hit.end_line}"
    parts = [
        f"{hit.score:.2f}",
        f"{hit.path}:{hit.start_line}{last}".replace("\n", "\\n"),  # possible in a file name
        "conversation" if hit.source == "sessions" else "",
        "earlier" if hit.earlier else "",
        f"importance {hit.importance}" if hit.importance is not None else "",
        hit.project_key or "",
    ]
    return "  ".join(part for part in parts if part)


def _show_excerpt(excerpt: Excerpt) -> None:
    if excerpt.status == "ok":
        say(excerpt.text, fold=False)
    elif excerpt.status == "not_found":
        remark(f"there is no memory file {excerpt.path}")
    else:
        remark(f"{excerpt.path}: {excerpt.error or excerpt.warning or 'it cannot be read'}")
        hint = "`remem search WORDS` shows the paths of memory files"
        if is_entry_id(excerpt.path):
            hint = f"`remem history {excerpt.path}` shows the memory with this id"
        say(f"hint: {hint}", err=True)


def _show_opened(result: OpenResult) -> None:
    for page in result.pages:
        parts = "  (excerpts)" if page.truncated else ""
        say(f"{page.path}  {page.tier}{parts}", bold=True)
        say(f"{page.text}\n", fold=False)
    for step in result.trace:
        cost = f"  {step.tokens} tokens" if step.tokens else ""
        say(f"{step.step:<12}{step.outcome}{cost}", dim=True)
        for reason in step.refused or ():
            say(f"{'':<12}refused: {reason}", fg="yellow")
    say_notes(result.notes)
    say(f"{result.token_count} of {result.budget} tokens", dim=True)


@click.command()
@json_option
@click.pass_obj
def start(target: CommandTarget, as_json: bool) -> None:
    """Print the text that a host adds to a new conversation.

    In main: the index, how to find the rest, the last flush, and the newest of today's and
    yesterday's notes, at most 2,000 tokens in total. In a group: its gate and its own index.

    \b
    remem start
    remem --session agent:main:telegram:group:-100123 start
    """
    with opened(target) as workspace:
        result = workspace.start()
    respond(result, as_json, lambda start: click.echo(start.text, nl=False))
    for reason in result.problems:
        warn(reason)


@click.command()
@click.option("--vectors", is_flag=True, help="Make all missing vectors of entries and passages.")
@json_option
@click.pass_obj
def refresh(target: CommandTarget, vectors: bool, as_json: bool) -> None:
    """Bring search up to date with the memory files.

    Search looks for changes automatically and reads only changed files. This command reads them
    now, and lists the files that could not be read.

    \b
    remem refresh
    remem refresh --vectors
    """
    made = 0

    def count(number: int) -> None:
        nonlocal made
        made = number
        report(f"{counted(number, 'vector')} made")

    with opened(target) as workspace, progress() as report:
        try:
            result = workspace.refresh(
                lambda read, total: report(f"{read:,} of {counted(total, 'file')} read"),
                with_vectors=vectors,
                vector_progress=count,
            )
        except EmbedderError as error:
            warn(str(error))
            result = workspace.refresh()
        models, without_model = workspace.services.resources.models, workspace.keyword_only
        hint = workspace.language_hint
    respond(result, as_json, _show_refreshed)
    if vectors and models.embedders and not as_json:
        say(f"{counted(made, 'vector')} made")
    if hint and not as_json:
        remark(hint)
    next_step(target, "search WORDS", "searches the files", quiet=as_json)
    if as_json or not result.without_vector:
        return
    if models.embedders and not vectors:
        remark(
            "keyword search already finds these passages; vectors are computed while a server "
            "runs, by `remem maintain`, or now with `remem refresh --vectors`"
        )
    if without_model:
        remark(without_model)


def _show_refreshed(refreshed: RefreshReport) -> None:
    say(
        f"{counted(refreshed.read, 'file')} read, {refreshed.unchanged:,} unchanged, "
        f"{refreshed.forgotten:,} removed: {counted(refreshed.passages, 'passage')}"
    )
    if refreshed.without_vector:
        say(f"{counted(refreshed.without_vector, 'passage')} without a vector")
    for problem in refreshed.problems:
        remark(f"{problem.path}: {problem.reason}")


def _show_status(status: Status) -> None:
    entries, health = status.progressive, status.health
    say(
        f"{health.scope}: {counted(entries.total_entries, 'entry', 'entries')}, "
        f"{counted(entries.total_tokens_estimated, 'token')}",
        bold=True,
    )
    reason = f" ({entries.last_flush_reason})" if entries.last_flush_reason else ""
    rows: list[tuple[str, object]] = [
        ("by category", _counts(entries.by_category)),
        ("by priority", _counts(entries.by_priority)),
        ("archived", health.archived),
        ("waiting for review", health.waiting_for_review),
        ("last stored", _when(entries.last_store)),
        ("last recalled", _when(entries.last_recall)),
        ("last flushed", _when(entries.last_flush) + (reason if entries.last_flush else "")),
    ]
    if status.spaces:
        spaces = [f"{name} ({level})" for name, level in status.spaces.items()]
        rows.append(("shared spaces", ", ".join(spaces)))
    say_table(rows, indent="  ")
    say("cost in tokens", bold=True)
    files = counted(status.legacy.files, "file")
    passages = counted(status.legacy.chunks, "passage")
    domains = {domain.name: domain.tokens for domain in status.index.on_demand_domains}
    rows = [
        ("index, always loaded", f"{status.index.always_loaded_tokens:,}"),
        ("domains, on demand", _counts(domains)),
        (
            "other memory files",
            f"{status.legacy.total_tokens_estimated:,} in {files}, {passages}",
        ),
    ]
    if health.passages_of_conversations:
        rows.append(("conversations", counted(health.passages_of_conversations, "passage")))
    say_table(rows, indent="  ")
    _show_health(health)


def _when(time: str | None) -> str:
    return ago(time) if time else "never"


def _show_health(health: Health) -> None:
    say("health", bold=True)
    rows: list[tuple[str, object]] = [
        ("search", _readiness(health)),
        ("files to write", health.files_to_write),
        *(("not fully read", path) for path in health.files_with_problems),
        ("tokens counted by", health.token_counter),
        *([("entries in", health.store)] if health.store != "sqlite" else []),
        *(("degraded", reason) for reason in health.degraded),
        *(("notice", notice) for notice in health.notices),
    ]
    say_table(rows, indent="  ")


def _readiness(health: Health) -> str:
    """Return a sentence that says how questions are answered at present."""
    model = next(iter(health.encoded_by), health.model or "").partition("/")[0]
    missing = health.without_vector + health.passages_without_vector
    if not model or any(reason.startswith("keyword only") for reason in health.degraded):
        return "by words only"
    if not missing:
        return f"ready: by words and by meaning ({model})"
    texts = counted(missing, "text")
    method = f"by words and by meaning ({model}); {texts} not embedded yet"
    return f"{method}, `remem refresh --vectors` does it now"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def _name_workspace(target: CommandTarget, _status: Status) -> None:
    if target.session == "main":
        say(f"workspace: {existing_workspace(target).root}", err=True)


COMMANDS: Final = {
    "search": tool_command(SEARCH, _show_hits, degraded=lambda found: [found.fallback or ""]),
    "get": tool_command(GET, _show_excerpt, failed=lambda excerpt: excerpt.status != "ok"),
    "open": tool_command(OPEN, _show_opened),
    "status": tool_command(STATUS, _show_status, then=_name_workspace),
    "start": start,
    "refresh": refresh,
}
