"""Activate a memory by adding a section to AGENTS.md, and roll that back.

The memory is active if the file has the section. The earlier bytes of the file are written to a
journal first. After a crash, the next command finds either the old file, or the new file and the
old bytes in the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Final

from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import clear_temporary_files, rewrite, workspace_copies
from remem.files.setup_journal import SetupChange, SetupJournal
from remem.model.scope import MAIN
from remem.setup.agents_section import (
    gap_before,
    has_section,
    is_untouched,
    with_section,
    without_section,
)

FILE: Final = "AGENTS.md"


@dataclass(frozen=True, slots=True)
class ActivationResult:
    """The result of `activate`; `changed` is False if the section was already there."""

    file: str
    changed: bool
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RollbackResult:
    """The result of `roll_back`; `exact` means that the file is exactly as it was before.

    `kept` lists copies of text that a person wrote into the section or saved at the same time.
    """

    file: str
    changed: bool
    exact: bool
    kept: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def planned_diff(layout: Layout, id_: str) -> str:
    """Return the change that `activate` would make, as a unified diff; empty if there is none."""
    from remem.text.line_edits import diff_text  # rarely needed, slow to import

    data = _read_agents(layout)
    if has_section(data or b""):
        return ""
    return diff_text(data, with_section(data or b"", id_), FILE)


def is_active(layout: Layout) -> bool:
    """Return whether AGENTS.md describes this memory."""
    return has_section(atomic.read(layout.root / FILE) or b"")


def activate(layout: Layout, id_: str) -> ActivationResult:
    """Add the section to AGENTS.md, unless it has one; `id_` are the eight hexadecimal digits of
    its markers."""
    with _locked(layout):
        remarks: list[str] = []
        journal = SetupJournal.of_activation(layout)
        plans = _clean_up(layout, journal, remarks)
        data = _read_agents(layout)
        if data is not None and has_section(data):
            if not is_untouched(data):
                remarks.append(f"the section in {FILE} was edited by hand and was not changed")
            return ActivationResult(FILE, False, tuple(remarks))
        _end(layout, journal, plans, data, remarks)

        def change(latest: bytes | None) -> bytes:
            base = latest or b""
            text = base if has_section(base) else with_section(base, id_)
            journal.begin(FILE, latest, text, gap_before(base))
            return text

        try:
            rewrite(layout, layout.root / FILE, change)
        except RememError:
            for plan in journal.changes(remarks) if not is_active(layout) else ():
                journal.end(plan)
            raise
        return ActivationResult(FILE, True, tuple(remarks))


def roll_back(layout: Layout) -> RollbackResult:
    """Remove the section; text that a person wrote around it or in it is kept."""
    with _locked(layout):
        remarks: list[str] = []
        copies: list[str] = []
        journal = SetupJournal.of_activation(layout)
        plans = _clean_up(layout, journal, remarks)
        before = atomic.read(layout.root / FILE)

        def change(latest: bytes | None) -> bytes | None:
            return _remove_section(layout, journal, plans, latest, copies)

        after = rewrite(layout, layout.root / FILE, change)
        digest = None if after is None else atomic.digest(after)
        exact = plans[-1].before == digest if plans else after == before
        _end(layout, journal, plans, after, remarks)
        return RollbackResult(FILE, after != before, exact, tuple(copies), tuple(remarks))


def _remove_section(
    layout: Layout,
    journal: SetupJournal,
    plans: Sequence[SetupChange],
    latest: bytes | None,
    copies: list[str],
) -> bytes | None:
    """Return the content of the file without the section; None if remem created the file."""
    if latest is None:
        return None
    plan = plans[-1] if plans else None
    if plan and any(plan.after == atomic.digest(latest) for plan in plans):
        with suppress(FileError):  # the recorded bytes are damaged; the markers still work
            return journal.before(plan)
    rest = without_section(latest, plan.gap if plan else 1)
    if rest is None:
        return latest
    if rest.edited is not None:
        copy = atomic.unused_path(layout.conflicts(MAIN), FILE)
        atomic.create(copy, rest.edited)
        copies.append(layout.relative(copy))
    was_created = (
        plan is not None and plan.before is None and not rest.data.strip(b"\xef\xbb\xbf\r\n\t ")
    )
    return None if was_created else rest.data


def _clean_up(layout: Layout, journal: SetupJournal, remarks: list[str]) -> list[SetupChange]:
    """Read the plans, and clean up the temporary files of an interrupted write.

    Files with known bytes are removed, others are moved to the conflicts folder.
    """
    journal.tidy()
    plans = journal.changes(remarks)
    known = {digest for plan in plans for digest in (plan.before, plan.after)}
    conflict = workspace_copies(layout, MAIN).conflict
    path = layout.root / FILE
    for copy in clear_temporary_files(path, lambda data: atomic.digest(data) in known, conflict):
        remarks.append(
            f"an earlier write was interrupted; its content is in {layout.relative(copy)}"
        )
    return plans


def _end(
    layout: Layout,
    journal: SetupJournal,
    plans: Sequence[SetupChange],
    now: bytes | None,
    remarks: list[str],
) -> None:
    """Finish the recorded plans; if a person removed the file, keep a copy of its old bytes."""
    for plan in plans:
        if now is None and plan.before is not None:
            copy = atomic.unused_path(layout.conflicts(MAIN), FILE)
            journal.keep_bytes(plan, copy)
            name = layout.relative(copy)
            remarks.append(
                f"{FILE} was removed after remem had changed it; its earlier content is in {name}"
            )
        else:
            journal.end(plan)


def _read_agents(layout: Layout) -> bytes | None:
    data = atomic.read(layout.root / FILE)
    if data is not None and b"\0" in data:
        raise FileError(
            f"{layout.root / FILE} contains a NUL byte, so it is not a text file",
            hint="save it as UTF-8; it was not changed",
        )
    return data


def _locked(layout: Layout) -> AbstractContextManager[None]:
    folder = layout.state_folder(MAIN)
    atomic.refuse_links(layout.root, folder)
    make_folder(folder)
    return exclusive_lock(folder / "activation.lock")
