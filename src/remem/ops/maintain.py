"""Maintenance: the tasks, how often each is due, and a function that runs the due ones.

Tasks run scope by scope, in the order of the table: learning comes first, then summaries, then
decay and search. Each finished task is recorded at once, so that an interrupted run continues where
it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, Literal

from remem.app.opening import all_scopes, open_scope, system_clock
from remem.app.workspace import Workspace
from remem.errors import InvalidInput, RememError, counted, quoted
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock_within
from remem.files.logs import TaskLog
from remem.model.scope import MAIN, Scope
from remem.ports import Clock
from remem.text.timestamps import parse_time

Interval = Literal["always", "daily", "weekly"]
_INTERVALS: Final[dict[Interval, timedelta]] = {
    "always": timedelta(0),
    # Timers are not exact; a daily task must not be delayed by a whole day.
    "daily": timedelta(hours=20),
    "weekly": timedelta(days=6, hours=20),
}
TaskState = Literal["done", "due", "not due", "failed"]
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MaintenanceTask:
    """A maintenance task; `run` performs it and returns a short summary."""

    name: str
    interval: Interval
    run: Callable[[Workspace], str]
    main_only: bool = False

    def is_due(self, last: str | None, now: str) -> bool:
        """Return whether the task is due; it also is if its last run is in the future."""
        if last is None or self.interval == "always":
            return True
        elapsed = parse_time(now) - parse_time(last)
        return elapsed < timedelta(0) or elapsed >= _INTERVALS[self.interval]


def _heartbeat(memory: Workspace) -> str:
    result = memory.maintenance.heartbeat()
    sources = f"{counted(result.conversations, 'conversation')} and {counted(result.notes, 'note')}"
    statements = counted(len(result.written), "statement")
    return _with_problems(f"{statements} stored from {sources}", result.problems)


def _consolidate(memory: Workspace) -> str:
    result = memory.maintenance.consolidate()
    statements = counted(result.statements, "statement")
    conversations = counted(result.conversations, "conversation")
    summary = f"{len(result.taken):,} of {statements} stored from {conversations}"
    if result.contradictions:
        contradictions = counted(len(result.contradictions), "contradiction")
        summary += f", {contradictions} (see `remem consolidate`)"
    return _with_problems(summary, result.problems)


def _synthesize(memory: Workspace) -> str:
    result = memory.maintenance.synthesize()
    written = sum(page.changed for page in result.pages)
    failures = (f"{page.path}: {page.problem}" for page in result.pages if page.problem)
    problems = (*result.problems, *failures)
    return _with_problems(f"{written} of {counted(len(result.pages), 'page')} written", problems)


def _with_problems(summary: str, problems: Sequence[str]) -> str:
    """Append the first problem to a summary, and the number of the others."""
    if not problems:
        return summary
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    return f"{summary}; problem: {problems[0]}{more}"


def _decay(memory: Workspace) -> str:
    result = memory.maintenance.decay()
    entries = counted(len(result.archived), "entry", "entries")
    return f"{entries} archived, {counted(result.uses_found, 'use')} found"


def _refresh(memory: Workspace) -> str:
    result = memory.refresh()
    if result.problems:
        unread = ", ".join(problem.path for problem in result.problems[:3])
        return f"{counted(result.read, 'file')} read; not read completely: {unread}"
    return f"{counted(result.read, 'file')} read, {result.unchanged:,} unchanged"


def _embed_pending(memory: Workspace) -> str:
    count = memory.maintenance.embed_pending()
    remaining = memory.refresh(with_vectors=True).without_vector
    summary = f"{counted(count, 'vector')} made for entries"
    return f"{summary}, {counted(remaining, 'passage')} without a vector" if remaining else summary


def _finish_leftovers(memory: Workspace) -> str:
    try:
        flushed = memory.maintenance.flush_idle()
    finally:
        memory.services.unfinished.finish_flush()
        memory.sync()
    if not flushed:
        return "nothing to finish"
    return f"{counted(len(flushed), 'idle conversation')} flushed"


def _record_facts(memory: Workspace) -> str:
    new = memory.services.layers.record_facts()
    return f"{counted(new, 'new wording', 'new wordings')} of facts recorded"


TASKS: Final = (
    MaintenanceTask("facts", "always", _record_facts, main_only=True),
    MaintenanceTask("heartbeat", "daily", _heartbeat),
    MaintenanceTask("consolidate", "weekly", _consolidate),
    MaintenanceTask("synthesize", "weekly", _synthesize, main_only=True),
    MaintenanceTask("decay", "daily", _decay),
    MaintenanceTask("refresh", "always", _refresh),
    MaintenanceTask("vectors", "always", _embed_pending),
    MaintenanceTask("leftovers", "always", _finish_leftovers),
)
"""The tasks in the order in which they run."""


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """The state of one task in one scope.

    `summary` says what the task did, or why it failed; `last` is the time of its previous run.
    """

    scope: str
    task: str
    interval: str
    state: TaskState
    summary: str = ""
    last: str | None = None


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """The result of a run; `busy` means that nothing was done, because another run is in progress.

    `steps` are the tasks in each scope, also those that were not due.
    """

    at: str
    steps: tuple[TaskStatus, ...]
    busy: bool = False

    @property
    def healthy(self) -> bool:
        """Whether no task failed."""
        return all(step.state != "failed" for step in self.steps)


def maintain(
    layout: Layout,
    *,
    only: Sequence[str] = (),
    every: bool = False,
    dry_run: bool = False,
    tasks: Sequence[MaintenanceTask] = TASKS,
    clock: Clock = system_clock,
    progress: Progress = lambda _: None,
) -> MaintenanceReport:
    """Run the tasks that are due, or those in `only` if there are any, or, with `every`, all tasks.

    With `dry_run`, only report which tasks would run. A task that fails is reported, remains due,
    and does not stop the others.
    """
    names = [task.name for task in tasks]
    for name in only:
        if name not in names:
            raise InvalidInput(
                f"unknown task {quoted(name)}", hint=f"the tasks are: {', '.join(names)}"
            )
    log = TaskLog(layout)
    with exclusive_lock_within(log.lock, 0.0) as acquired:
        if not acquired:
            return MaintenanceReport(clock(), (), busy=True)
        steps: list[TaskStatus] = []
        for scope in all_scopes(layout)[0]:
            last_runs = log.last()
            planned: list[tuple[MaintenanceTask, TaskStatus]] = []
            for task in tasks:
                if task.main_only and scope != MAIN:
                    continue
                last = last_runs.get((str(scope), task.name))
                is_chosen = task.name in only if only else every or task.is_due(last, clock())
                state: TaskState = "due" if is_chosen else "not due"
                planned.append(
                    (task, TaskStatus(str(scope), task.name, task.interval, state, last=last))
                )
            if dry_run or all(step.state != "due" for _, step in planned):
                steps += [step for _, step in planned]
            else:
                steps += _run_scope(layout, scope, planned, log, clock=clock, progress=progress)
    return MaintenanceReport(clock(), tuple(steps))


def _run_scope(
    layout: Layout,
    scope: Scope,
    steps: Sequence[tuple[MaintenanceTask, TaskStatus]],
    log: TaskLog,
    *,
    clock: Clock,
    progress: Progress,
) -> Iterator[TaskStatus]:
    """Run the due tasks of one scope, and yield the state of each task."""
    try:
        with open_scope(layout, scope, clock=clock) as memory:
            for task, step in steps:
                if step.state != "due":
                    yield step
                    continue
                progress(f"{step.scope}: {task.name}")
                try:
                    summary = task.run(memory)
                except (RememError, OSError) as error:
                    yield replace(step, state="failed", summary=str(error))
                    continue
                log.add(step.scope, task.name, clock())
                yield replace(step, state="done", summary=summary)
    except RememError as error:  # the scope cannot be opened or closed
        yield TaskStatus(str(scope), "open", "always", "failed", str(error))
