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
    """Add the section to AGENTS.md, unless it has one.

    `id_` are the eight hexadecimal digits that its markers get.
    """
    with _locked(layout):
        remarks: list[str] = []
        journal = SetupJournal.of_activation(layout)
        records = _clean_up(layout, journal, remarks)
        data = _read_agents(layout)
        if data is not None and has_section(data):
            if not is_untouched(data):
                remarks.append(f"the section in {FILE} was edited by hand and was not changed")
            return ActivationResult(FILE, changed=False, remarks=tuple(remarks))
        _end_records(layout, journal, records, data, remarks)

        def change(latest: bytes | None) -> bytes:
            base = latest or b""
            text = base if has_section(base) else with_section(base, id_)
            journal.begin(FILE, latest, text, gap_before(base))
            return text

        try:
            rewrite(layout, layout.root / FILE, change)
        except RememError:
            for record in journal.changes(remarks) if not is_active(layout) else ():
                journal.end(record)
            raise
        return ActivationResult(FILE, changed=True, remarks=tuple(remarks))


def roll_back(layout: Layout) -> RollbackResult:
    """Remove the section; text that a person wrote around it or in it is kept."""
    with _locked(layout):
        remarks: list[str] = []
        copies: list[str] = []
        journal = SetupJournal.of_activation(layout)
        records = _clean_up(layout, journal, remarks)
        before = atomic.read(layout.root / FILE)

        def change(latest: bytes | None) -> bytes | None:
            return _remove_section(layout, journal, records, latest, copies)

        after = rewrite(layout, layout.root / FILE, change)
        digest = None if after is None else atomic.digest(after)
        exact = records[-1].before == digest if records else after == before
        _end_records(layout, journal, records, after, remarks)
        return RollbackResult(FILE, after != before, exact, tuple(copies), tuple(remarks))


def _remove_section(
    layout: Layout,
    journal: SetupJournal,
    records: Sequence[SetupChange],
    latest: bytes | None,
    copies: list[str],
) -> bytes | None:
    """Return the content of the file without the section; None if remem created the file."""
    if latest is None:
        return None
    record = records[-1] if records else None
    if record and any(record.after == atomic.digest(latest) for record in records):
        with suppress(FileError):  # the recorded bytes are damaged; the markers still work
            return journal.before(record)
    rest = without_section(latest, record.gap if record else 1)
    if rest is None:
        return latest
    if rest.edited is not None:
        copy = atomic.unused_path(layout.conflicts(MAIN), FILE)
        atomic.create(copy, rest.edited)
        copies.append(layout.relative(copy))
    was_created = (
        record is not None and record.before is None and not rest.data.strip(b"\xef\xbb\xbf\r\n\t ")
    )
    return None if was_created else rest.data


def _clean_up(layout: Layout, journal: SetupJournal, remarks: list[str]) -> list[SetupChange]:
    """Return the recorded changes, and clean up the temporary files of an interrupted write.

    Files with recorded bytes are removed, others are moved to the conflicts folder.
    """
    journal.tidy()
    records = journal.changes(remarks)
    digests = {digest for record in records for digest in (record.before, record.after)}
    conflict = workspace_copies(layout, MAIN).conflict
    path = layout.root / FILE
    for copy in clear_temporary_files(path, lambda data: atomic.digest(data) in digests, conflict):
        remarks.append(
            f"an earlier write was interrupted; its content is in {layout.relative(copy)}"
        )
    return records


def _end_records(
    layout: Layout,
    journal: SetupJournal,
    records: Sequence[SetupChange],
    current: bytes | None,
    remarks: list[str],
) -> None:
    """Remove the records of changes; if a person removed the file, keep a copy of its old bytes."""
    for record in records:
        if current is None and record.before is not None:
            copy = atomic.unused_path(layout.conflicts(MAIN), FILE)
            journal.keep_bytes(record, copy)
            name = layout.relative(copy)
            remarks.append(
                f"{FILE} was removed after remem had changed it; its earlier content is in {name}"
            )
        else:
            journal.end(record)


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
