"""How does a person let his machine do maintenance every day? Shown first, taken back exactly."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from remem.cli.connect import asking, refuse, tell_undone
from remem.hosts.command import this_command
from remem.hosts.schedule.recipes import Kind
from remem.hosts.schedule.run import Scheduled, Scheduling, installed, usual_kind
from remem.hosts.schedule.run import install as set_timer
from remem.hosts.schedule.run import uninstall as take_back
from remem.notes.layout import Layout
from remem.notes.whose import read_config
from remem.wiring import host_folders


def change_schedule(
    layout: Layout, kind: str | None, *, install: bool, dry_run: bool, yes: bool
) -> None:
    """Set the timer, or take back whichever is set; one that is set is the one that is meant."""
    folders = host_folders(read_config(layout), Path.cwd())
    chosen = [cast(Kind, kind)] if kind else installed(layout)
    for each in chosen or [usual_kind(folders)]:
        job = Scheduling(layout, each, this_command(layout.root), folders)
        _change(job, install=install, dry_run=dry_run, yes=yes)


def _change(job: Scheduling, *, install: bool, dry_run: bool, yes: bool) -> None:
    if install:
        done = set_timer(job, asking(f"Set this timer ({job.kind})?", dry_run, yes))
    else:
        done = take_back(job, asking(f"Take the timer back ({job.kind})?", dry_run, yes))
    if done is None:
        refuse(dry_run, f"remem maintain --{'install' if install else 'uninstall'} --yes")
        return
    if install:
        _tell_set(done, job.kind)
    else:
        tell_undone(done.files)
        if not done.files:
            click.echo(f"there is no timer of this workspace ({job.kind})")
    for line in done.undone:
        click.echo(f"run this yourself: {line}", err=True)


def _tell_set(done: Scheduled, kind: Kind) -> None:
    changed = [each for each in done.files if each.changed]
    for each in changed:
        click.echo(f"wrote {each.path}")
    if not changed:
        click.echo(f"the timer is set already ({kind})")
