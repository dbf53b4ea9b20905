"""Commands that maintain a memory: maintain, decay and doctor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import click

from remem.cli.opening import CommandTarget, existing_workspace, next_step, opened, require_owner
from remem.cli.questions import approval, nothing_changed
from remem.cli.terminal import (
    json_option,
    progress,
    remark,
    respond,
    say,
    say_notes,
    say_table,
    yes_option,
)
from remem.errors import InvalidInput, counted

if TYPE_CHECKING:
    from remem.admin.doctor.findings import Finding
    from remem.entries.decay import DecayReport, FadingEntry, UndoneDecay
    from remem.files.layout import Layout
    from remem.ops.doctor import Diagnosis
    from remem.ops.maintain import MaintenanceReport, TaskStatus
    from remem.setup.timers import Timer, TimerKind

_MAX_FADING: Final = 20


@click.command()
@click.option("--only", multiple=True, metavar="TASK", help="Run this task, due or not.")
@click.option("--all", "every", is_flag=True, help="Run all tasks, due or not.")
@click.option("--install", is_flag=True, help="Install a timer that runs it every day.")
@click.option("--uninstall", is_flag=True, help="Remove the timer.")
@click.option("--with", "kind", metavar="systemd|cron", help="Which timer to use.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@yes_option
@json_option
@click.pass_obj
def maintain(
    target: CommandTarget,
    /,
    *,
    only: tuple[str, ...],
    every: bool,
    install: bool,
    uninstall: bool,
    kind: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Run all maintenance that is due, for the whole workspace.

    Runs heartbeat, consolidate, synthesize, decay, refresh and vectors, and finishes interrupted
    flushes, first in main and then in every group and direct chat. Some tasks are due every day,
    some every week; tasks that are not due are skipped. An interrupted task continues the next
    time. With --install, a systemd timer or a line in the crontab runs it every day.

    \b
    remem maintain
    remem maintain --only decay --json
    remem maintain --install
    """
    require_owner(target, "maintain")
    layout = existing_workspace(target)
    if install or uninstall:
        if install and uninstall:
            raise InvalidInput("choose one of --install and --uninstall")
        _change_timers(layout, kind, install=install, dry_run=dry_run, yes=yes)
        return
    from remem.ops.maintain import maintain as run_tasks

    with progress() as report:
        result = run_tasks(layout, only=only, every=every, dry_run=dry_run, progress=report)
    respond(result, as_json, _show_maintenance)
    if not result.healthy:
        raise click.exceptions.Exit(1)
    if dry_run:
        next_step(target, "maintain", "runs the due tasks", quiet=as_json)
    else:
        next_step(target, "recent", "shows what changed", quiet=as_json)


def _change_timers(
    layout: Layout, kind: str | None, *, install: bool, dry_run: bool, yes: bool
) -> None:
    """Install or remove timers: of the given kind, or else of the installed or default kind."""
    from remem.app.environment import host_folders
    from remem.files.sessions import read_config
    from remem.model.arguments import one_of
    from remem.setup.hosts.recipes import this_command
    from remem.setup.timers import Timer, TimerKind  # slow to import

    folders = host_folders(read_config(layout), Path.cwd())
    timer = Timer(layout, this_command(layout.root), folders)
    kinds: list[TimerKind]
    if kind is not None:
        kinds = [one_of(kind, get_args(TimerKind), "timer")]
    else:
        kinds = timer.installed() or [timer.default_kind()]
    for timer_kind in kinds:
        _change_timer(timer, timer_kind, install=install, dry_run=dry_run, yes=yes)


def _change_timer(
    timer: Timer, kind: TimerKind, *, install: bool, dry_run: bool, yes: bool
) -> None:
    from remem.cli.file_changes import show_commands, show_restored, show_written

    change = timer.install if install else timer.uninstall
    question = f"{'Install' if install else 'Remove'} this timer ({kind})?"
    timer_change = change(kind, approval(question, yes=yes, dry_run=dry_run))
    if timer_change is None:
        option = "--install" if install else "--uninstall"
        nothing_changed(f"remem maintain {option} --yes", dry_run=dry_run)
        return
    if install:
        show_written(timer_change.files, f"the timer is already installed ({kind})")
    else:
        show_restored(timer_change.files)
        if not timer_change.files:
            say(f"this workspace has no timer ({kind})")
    show_commands(timer_change.remaining_commands)


def _show_maintenance(report: MaintenanceReport) -> None:
    if report.busy:
        say("another run is in progress; nothing was done")
        return
    say_table([("scope", "task", "due", "state", "result"), *map(_task_row, report.steps)])
    failures = sum(step.state == "failed" for step in report.steps)
    finished = sum(step.state == "done" for step in report.steps)
    say(f"{counted(finished, 'task')} done" + (f", {failures} failed" if failures else ""))


def _task_row(step: TaskStatus) -> tuple[str, str, str, str, str]:
    """Return the row of a task: its result, or the time of its last run if it was not run."""
    last = f"last done {step.last}" if step.last else "never done"
    result = last if step.state in ("due", "not due") else step.summary
    return step.scope, step.task, step.interval, step.state, result


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be archived.")
@click.option("--explain", is_flag=True, help="Also list entries due next or never archived.")
@click.option("--undo", is_flag=True, help="Restore the entries that the last run archived.")
@json_option
@click.pass_obj
def decay(
    target: CommandTarget, *, dry_run: bool, explain: bool, undo: bool, as_json: bool
) -> None:
    """Archive low-priority memories that have long been unused.

    A memory fades with the logarithm of its idle days, more slowly the more often it was used. That
    changes its rank among similar memories. Only low-priority memories are ever archived, after 210
    idle days at the earliest; critical memories and instructions never fade. Recall still finds an
    archived memory if nothing else answers the question; reading it by its id or `remem reinforce`
    restores it.

    \b
    remem decay --dry-run --explain
    remem decay
    remem decay --undo
    """
    if undo and (dry_run or explain):
        raise InvalidInput(
            "--undo cannot be combined with other options", hint="use `remem decay --undo` alone"
        )
    with opened(target) as workspace:
        if undo:
            respond(workspace.maintenance.undo_decay(), as_json, _show_restored)
        else:
            result = workspace.maintenance.decay(dry_run=dry_run, explain=explain)
            respond(result, as_json, lambda result: _show_decay(result, explain=explain))
            if not result.archived:
                step = ("decay --dry-run --explain", "says how long each memory stays")
            else:
                step = ("decay", "does it") if dry_run else ("decay --undo", "undoes it")
            next_step(target, *step, quiet=as_json)


def _show_decay(report: DecayReport, *, explain: bool) -> None:
    verb = "would be archived" if report.dry_run else "archived"
    say(f"{counted(len(report.archived), 'memory', 'memories')} {verb}")
    _show_fading(report.archived)
    if report.revived:
        memories = counted(report.revived, "memory", "memories")
        say(f"{memories} restored that a wrong clock had archived")
    if report.uses_found:
        say(f"{counted(report.uses_found, 'use')} found in conversations")
    if explain:
        upcoming = counted(len(report.upcoming), "low-priority memory", "low-priority memories")
        say(f"{upcoming} not stale yet")
        _show_fading(report.upcoming)
        for reason, count in report.kept.items():
            never = "never fade" if reason in ("critical", "instruction") else "never archived"
            say(f"{count} {reason}: {never}")
    say_notes(report.notes)


def _show_fading(entries: Sequence[FadingEntry]) -> None:
    for entry in entries[:_MAX_FADING]:
        retention = f"{entry.retention:.2f} left, due {entry.stale_on}"
        say(f"  {entry.id}  {retention}  {entry.content}")
        say(f"      {entry.reason}, reinforced {counted(entry.reinforced - 1, 'time')}")
    if len(entries) > _MAX_FADING:
        say(f"  and {len(entries) - _MAX_FADING} more")


def _show_restored(report: UndoneDecay) -> None:
    if report.revived:
        say(f"restored from the run of {report.run}: {', '.join(report.revived)}")
    else:
        say("nothing had been archived")


@click.command()
@click.option("--repair", is_flag=True, help="Repair as much as possible; old files are kept.")
@click.option(
    "--against",
    metavar="BACKUP",
    type=click.Path(exists=True, path_type=Path),
    help="Also compare facts with those of a backup.",
)
@click.option(
    "--move-chatter",
    is_flag=True,
    help="Move lines without lasting value from MEMORY.md to the notes of their days.",
)
@yes_option
@json_option
@click.pass_obj
def doctor(
    target: CommandTarget,
    /,
    *,
    repair: bool,
    against: Path | None,
    move_chatter: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Check the workspace and repair problems.

    It checks every record of the databases, full text, vectors, derived files, settings,
    permissions and leftover files, in main, every group and every direct chat. With --repair, a
    damaged database is rebuilt next to the old one, compared with it, and put in its place; the
    old one is kept. The exit status is 1 while a problem remains.

    It also reports content in the wrong place: lasting statements that are only in daily notes,
    chatter in MEMORY.md, facts that were rewritten instead of superseded (compared with remem's own
    record, git and the backup given by --against), and files that search has not read. --repair
    adds what is missing. Only --move-chatter changes MEMORY.md; it shows the change first, and
    `remem audit --undo` undoes it.

    \b
    remem doctor
    remem doctor --repair
    remem doctor --move-chatter
    """
    from remem.ops.doctor import examine_workspace

    require_owner(target, "doctor")
    layout = existing_workspace(target, even_without_state=True)
    if move_chatter:
        _move_chatter(target, yes=yes)
        return
    with progress() as report:
        diagnosis = examine_workspace(layout, repair=repair, progress=report, against=against)
    respond(diagnosis, as_json, lambda diagnosis: _show_diagnosis(diagnosis, repair=repair))
    if not diagnosis.healthy:
        problems = [finding for finding in diagnosis.remaining if finding.severity != "notice"]
        number = counted(len(problems), "problem")
        remark(
            f"{number} could not be repaired"
            if repair
            else f"{number} found; `remem doctor --repair` repairs as much as possible"
        )
        raise click.exceptions.Exit(1)
    if repair:
        next_step(target, "status", "shows the state of the memory", quiet=as_json)


def _show_diagnosis(diagnosis: Diagnosis, *, repair: bool) -> None:
    for finding in diagnosis.findings:
        say(_finding_line(finding))
        say(f"    means: {finding.meaning}\n    repair: {finding.repair}")
    for repaired in diagnosis.repairs:
        say(f"done  {repaired}")
    for finding in diagnosis.remaining if repair else ():
        say(f"left  {_finding_line(finding)}")
    if diagnosis.healthy:
        say("no problems, only notices" if diagnosis.remaining else "no problems found")


def _finding_line(finding: Finding) -> str:
    part = f"{finding.scope}: {finding.part}" if finding.scope else finding.part
    return f"{finding.severity:<6}  {part}: {finding.what}"


def _move_chatter(target: CommandTarget, *, yes: bool) -> None:
    with opened(target) as workspace:
        proposal = workspace.services.layers.propose_chatter_move()
        if proposal is None:
            say("MEMORY.md has no chatter")
            return
        if not approval("Apply these changes?", yes=yes)(proposal.diff):
            nothing_changed("remem doctor --move-chatter --yes")
        backup = workspace.services.layers.move_chatter(proposal)
    say(f"done: {proposal.change.description}")
    say(
        f"the previous versions are saved in {backup}; `remem audit --undo` restores MEMORY.md",
        err=True,
    )


COMMANDS: Final = {"maintain": maintain, "decay": decay, "doctor": doctor}
