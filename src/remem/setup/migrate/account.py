"""How does a person read the account of a migration? As Markdown with one table and few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from remem.maintenance.migrate.account import FileAccount, Migration, Said, counted

_SHOWN: Final = 25
_LONGEST: Final = 110


def report(done: Migration, *, whole: bool) -> str:
    """The report; `whole` lists every file, otherwise the largest ones."""
    return (
        "\n".join([*_headline(done), *_table(done, whole=whole), *_rest(done, whole=whole)]) + "\n"
    )


def _headline(done: Migration) -> Iterator[str]:
    title = "Migration, tried out: nothing was written" if done.dry_run else "Migration"
    lines = sum(len(each.lines) for each in done.files)
    new, changed = (sum(getattr(each, name) for each in done.files) for name in ("new", "changed"))
    same = sum(each.unchanged for each in done.files)
    tokens = done.tokens
    yield f"# {title}"
    yield ""
    yield (
        f"{lines:,} lines in {len(done.files):,} files: {counted(done.files, 'taken'):,} taken, "
        f"{counted(done.files, 'merged'):,} merged, {counted(done.files, 'left'):,} left. "
        f"Statements: {new:,} new, {changed:,} changed, {same:,} as before."
    )
    yield ""
    yield (
        f"Tokens: MEMORY.md and USER.md cost {tokens.curated:,} in every conversation; "
        f"the index costs {tokens.index:,}. Notes: {tokens.notes:,}. Entries: {tokens.entries:,}."
    )
    if done.redacted:
        yield ""
        yield f"Secrets were masked in {done.redacted:,} statements; the files still hold them."


def _table(done: Migration, *, whole: bool) -> Iterator[str]:
    files = list(done.files)
    if not whole:
        files.sort(key=lambda each: (each.path.startswith("memory/"), -each.count("taken")))
    shown, rest = (files, []) if whole else (files[:_SHOWN], files[_SHOWN:])
    yield ""
    yield "| file | lines | taken | merged | left | why left |"
    yield "|---|--:|--:|--:|--:|---|"
    for each in shown:
        yield _row(f"{each.path}", [each])
    if rest:
        yield _row(f"{len(rest):,} more files", rest)
    yield _row("**all**", done.files)


def _row(name: str, files: Sequence[FileAccount]) -> str:
    reasons: Counter[str] = Counter()
    for each in files:
        reasons.update(each.reasons())
    why = ", ".join(f"{reason} {number:,}" for reason, number in reasons.most_common())
    cells = [
        name.replace("|", "\\|"),
        f"{sum(len(each.lines) for each in files):,}",
        f"{counted(files, 'taken'):,}",
        f"{counted(files, 'merged'):,}",
        f"{counted(files, 'left'):,}",
        why.replace("|", "\\|"),
    ]
    return f"| {' | '.join(cells)} |"


def _rest(done: Migration, *, whole: bool) -> Iterator[str]:
    decided = [each for each in done.reversals if each.decided]
    open_ = [each for each in done.reversals if not each.decided]
    yield from _listed(
        "Taken back later (the earlier entry is superseded)",
        [(each.earlier, each.later, each.why) for each in decided],
    )
    yield from _listed(
        "Cannot both hold: say which one stands",
        [(each.earlier, each.later, f"{each.rule}; {each.why}") for each in open_],
    )
    removed = [
        f"- {each.path} line {each.line}, {each.id}: {_short(each.content)}"
        for each in done.removed
    ]
    yield from _section("Gone from their files (the entries are kept)", removed, whole=whole)
    yield from _section("Trouble", [f"- {each}" for each in done.trouble], whole=whole)


def _listed(title: str, pairs: Sequence[tuple[Said, Said, str]]) -> Iterator[str]:
    lines = []
    for earlier, later, why in pairs:
        lines += [f"- {why}", f"  - {_place(earlier)}", f"  - {_place(later)}"]
    yield from _section(title, lines, whole=True)


def _section(title: str, lines: Sequence[str], *, whole: bool) -> Iterator[str]:
    if not lines:
        return
    yield from ("", f"## {title}", "")
    yield from lines if whole else lines[:_SHOWN]
    if not whole and len(lines) > _SHOWN:
        yield f"- and {len(lines) - _SHOWN:,} more; --report FILE has them all"


def _place(said: Said) -> str:
    when = f" ({said.day})" if said.day else ""
    return f"{said.path} line {said.line}{when}: {_short(said.content)}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
