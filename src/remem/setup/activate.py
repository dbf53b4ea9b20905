"""How is a memory switched on and off? One section is added to AGENTS.md, and taken out again.

Whether it is on, the file itself says. The journal only knows what the file was before, and is
written first: whatever a kill interrupts, the next command finds either the old bytes in their
place, or the new ones and the old in the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.journal import Journal, Plan
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.files.rewrite import rewrite
from remem.model.scope import MAIN
from remem.setup.agents_section import cleared, gap_before, has_section, is_untouched, with_section

FILE: Final = "AGENTS.md"


@dataclass(frozen=True, slots=True)
class Activated:
    """What became of the file; `changed` is False where the section was there already."""

    file: str
    changed: bool
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RolledBack:
    """`exact` says that the file is, byte for byte, what it was before.

    `kept` names copies of what a person wrote into the section or saved at the same time.
    """

    file: str
    changed: bool
    exact: bool
    kept: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def planned(layout: Layout, id_: str) -> str:
    """The change that `activate` would make, as a unified diff; empty for none."""
    import difflib  # seldom needed, and not small

    data = _agents(layout)
    if has_section(data or b""):
        return ""
    old, new = (_shown(each) for each in (data or b"", with_section(data or b"", id_)))
    return "".join(difflib.unified_diff(old, new, FILE if data is not None else "/dev/null", FILE))


def is_active(layout: Layout) -> bool:
    """Whether agents are told of this memory."""
    return has_section(atomic.read(layout.root / FILE) or b"")


def activate(layout: Layout, id_: str) -> Activated:
    """Tell agents of this memory; `id_` is eight hexadecimal digits that mark the section."""
    with _alone(layout):
        remarks: list[str] = []
        journal = Journal.of(layout)
        old = _with_strays(layout, journal, remarks)
        data = _agents(layout)
        if data is not None and has_section(data):
            if not is_untouched(data):
                remarks.append(f"the section of {FILE} was edited, and stays as it is")
            return Activated(FILE, False, tuple(remarks))
        _end(layout, journal, old, data, remarks)

        def change(latest: bytes | None) -> bytes:
            base = latest or b""
            wanted = base if has_section(base) else with_section(base, id_)
            journal.begin(FILE, latest, wanted, gap_before(base))
            return wanted

        try:
            rewrite(layout, layout.root / FILE, change)
        except RememError:
            _end_if_inactive(layout, journal, remarks)
            raise
        return Activated(FILE, True, tuple(remarks))


def roll_back(layout: Layout) -> RolledBack:
    """Take the section out; what a person has written around it, or in it, is kept."""
    with _alone(layout):
        remarks: list[str] = []
        kept: list[str] = []
        journal = Journal.of(layout)
        plans = _with_strays(layout, journal, remarks)
        before = atomic.read(layout.root / FILE)

        def change(latest: bytes | None) -> bytes | None:
            return _without(layout, journal, plans, latest, kept)

        after = rewrite(layout, layout.root / FILE, change)
        digest = None if after is None else atomic.digest(after)
        exact = plans[-1].before == digest if plans else after == before
        _end(layout, journal, plans, after, remarks)
        return RolledBack(FILE, after != before, exact, tuple(kept), tuple(remarks))


def _without(
    layout: Layout,
    journal: Journal,
    plans: Sequence[Plan],
    latest: bytes | None,
    kept: list[str],
) -> bytes | None:
    """What a file should hold when nothing of ours is in it any more."""
    if latest is None:
        return None
    plan = plans[-1] if plans else None
    if plan and any(plan.after == atomic.digest(latest) for plan in plans):
        with suppress(FileError):  # of bytes that are damaged; the section has its marks
            return journal.before(plan)
    found = cleared(latest, plan.gap if plan else 1)
    if found is None:
        return latest
    if found.words is not None:
        copy = atomic.unused(layout.conflicts(MAIN), FILE)
        atomic.create(copy, found.words)
        kept.append(_name(layout, copy))
    nobodys = (
        plan is not None and plan.before is None and not found.data.strip(b"\xef\xbb\xbf\r\n\t ")
    )
    return None if nobodys else found.data


def _with_strays(layout: Layout, journal: Journal, remarks: list[str]) -> list[Plan]:
    """The plans; what a killed write has left beside the file is removed if it is known."""
    journal.tidy()
    plans = journal.plans(remarks)
    known = {digest for plan in plans for digest in (plan.before, plan.after)}
    for stray in atomic.strays(layout.root):
        if not stray.name.startswith(f".{FILE}."):
            continue
        data = atomic.read(stray)
        if data is not None and atomic.digest(data) in known:
            atomic.settle(stray, atomic.digest(data))
        else:
            copy = atomic.unused(layout.conflicts(MAIN), FILE)
            atomic.set_aside(stray, copy)
            remarks.append(f"a write was cut short; the bytes are kept in {_name(layout, copy)}")
    return plans


def _end(
    layout: Layout,
    journal: Journal,
    plans: Sequence[Plan],
    now: bytes | None,
    remarks: list[str],
) -> None:
    """The plans are done with. Where a person removed the file, its old bytes are kept."""
    for plan in plans:
        if now is None and plan.before is not None:
            copy = atomic.unused(layout.conflicts(MAIN), FILE)
            journal.keep_bytes(plan, copy)
            name = _name(layout, copy)
            remarks.append(f"{FILE} was removed since; its bytes from before are in {name}")
        else:
            journal.end(plan)


def _end_if_inactive(layout: Layout, journal: Journal, remarks: list[str]) -> None:
    if not is_active(layout):
        for plan in journal.plans(remarks):
            journal.end(plan)


def _agents(layout: Layout) -> bytes | None:
    data = atomic.read(layout.root / FILE)
    if data is not None and b"\0" in data:
        raise FileError(
            f"{layout.root / FILE} is not UTF-8 text", hint="save it as UTF-8; it was not touched"
        )
    return data


def _shown(data: bytes) -> list[str]:
    """The lines of a file for a diff; the last one may have no line end, and says so."""
    lines = data.decode(errors="replace").replace("\r\n", "\n").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix()


def _alone(layout: Layout) -> AbstractContextManager[None]:
    folder = layout.state_folder(MAIN)
    atomic.refuse_links(layout.root, folder)
    atomic.make_folder(folder)
    return alone(folder / "activation.lock")
