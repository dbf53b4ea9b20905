"""Count the false alarms of the doctor on sample workspaces.

Samples in several languages and shapes are generated, migrated and examined. An alarm is false if
it names a lasting statement (chatter), a statement that an entry contains (stranded), or a fact
that nobody changed (rewritten). Real problems of each kind are planted and must be found, so that
a doctor that reports nothing does not pass.

    python scripts/false_alarms.py [--seeds 3]
    python scripts/false_alarms.py --real FOLDER… [--out FINDINGS.jsonl]

The second form counts what audit and doctor find in real workspaces, which are not changed:
duplicates, contradictions, chatter, useless and outdated lines. FINDINGS.jsonl gets the kind and
the lines of each, for a reader who judges them; real workspaces are not part of this project, and
neither is that file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remem.admin.audit.duplicates import lexical_duplicates
from remem.admin.audit.noise import find_noise
from remem.admin.audit.stale_lines import find_stale_lines
from remem.admin.doctor.chatter import find_chatter
from remem.app.opening import open_workspace
from remem.files.host_files import note_lines
from remem.files.layout import Layout
from remem.model.contradictions import contradictions
from remem.model.host_loading import HOST_FILES, MEMORY_MD
from remem.model.scope import MAIN
from remem.ops.layers import LayerCheck
from remem.search.refresh.reading import SourceFiles
from remem.text.statements import TextStatement, statements
from remem.text.words import fold
from tests.samples import workspaces
from tests.samples.world import world

SHAPES: dict[str, tuple[str, Callable[..., Path]]] = {
    "English, grown": (
        "english",
        lambda root, seed: workspaces.grown(root, 25_000, note_count=60, seed=seed),
    ),
    "Chinese": ("chinese", lambda root, seed: workspaces.chinese(root, note_count=40, seed=seed)),
    "Japanese": (
        "japanese",
        lambda root, seed: workspaces.japanese(root, note_count=40, seed=seed),
    ),
    "Russian": ("russian", lambda root, seed: workspaces.russian(root, note_count=40, seed=seed)),
    "mixed": ("mixed", lambda root, seed: workspaces.mixed(root, note_count=40, seed=seed)),
}
PLANTED = "- assistant: let me check the calendar for you\n"
"""A line of a conversation that nobody would call lasting."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--real", type=Path, nargs="+")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    if args.real:
        count_real(args.real, args.out)
    else:
        count_samples(args.seeds)


def count_samples(seeds: int) -> None:
    print(
        "| sample | lines of MEMORY.md | chatter, true | chatter, false | stranded, false "
        "| rewritten, false | unread, false | planted ones found |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    totals: Counter[str] = Counter()
    for name, (language, make) in SHAPES.items():
        counts: Counter[str] = Counter()
        for seed in range(1, seeds + 1):
            with tempfile.TemporaryDirectory(prefix="remem-alarms-") as folder:
                counts.update(_measured(Path(folder) / "workspace", language, make, seed))
        print(_row(name, counts, seeds))
        totals.update(counts)
    print(_row("**all**", totals, seeds * len(SHAPES)))
    missed = 4 * seeds * len(SHAPES) - totals["planted"]
    wrong = sum(totals[key] for key in ("chatter", "stranded", "rewritten", "unread"))
    print(f"\nfalse alarms: {wrong}; planted and not found: {missed}")
    sys.exit(1 if missed else 0)


def count_real(folders: Sequence[Path], out: Path | None) -> None:
    """Print how many findings of each kind the workspaces have."""
    found = [
        {"id": number, "workspace": folder.name, **finding}
        for number, (folder, finding) in enumerate(
            ((folder, finding) for folder in folders for finding in findings_of(folder)), 1
        )
    ]
    kinds = Counter(str(finding["kind"]) for finding in found)
    for kind, count in sorted(kinds.items()):
        affected = len({finding["workspace"] for finding in found if finding["kind"] == kind})
        print(f"{kind:14} {count:4} in {affected} workspaces")
    print(f"{'all':14} {len(found):4} in {len(folders)} workspaces")
    if out:
        rows = [json.dumps(finding, ensure_ascii=False) for finding in found]
        out.write_text("\n".join(rows) + "\n", encoding="utf-8")


def findings_of(folder: Path) -> Iterator[dict[str, object]]:
    """Yield the findings in the files that a host loads."""
    texts = {file.name: folder / file.name for file in HOST_FILES}
    lines = [
        statement
        for name, path in texts.items()
        if path.exists()
        for statement in statements(name, path.read_text("utf-8", "replace"), always_loaded=True)
    ]
    for pair in lexical_duplicates(lines):
        yield _shown("duplicate", pair.kind, pair.a, pair.b)
    for clash in contradictions(lines):
        yield _shown("contradiction", clash.reason, clash.a, clash.b)
    memory = [line for line in lines if line.path == MEMORY_MD]
    layout = Layout(folder)
    for noise in find_noise(memory, partial(note_lines, layout)):
        yield _shown("useless line", noise.reason, noise.statement)
    if MEMORY_MD in texts and texts[MEMORY_MD].exists():
        for chatter in find_chatter(texts[MEMORY_MD].read_text("utf-8", "replace")):
            yield _shown("chatter", chatter.reason, chatter.statement)
    for stale in find_stale_lines(lines, date.today().isoformat()):
        yield _shown("outdated line", stale.reason, stale.statement)


def _shown(kind: str, reason: str, *lines: TextStatement) -> dict[str, object]:
    shown = [
        {"place": line.source, "heading": (line.headings or ("",))[-1], "text": line.plain_text}
        for line in lines
    ]
    return {"kind": kind, "reason": reason, "lines": shown}


def _row(name: str, counts: Counter[str], workspaces_: int) -> str:
    cells = [
        f"{counts[key]:,}"
        for key in ("lines", "true", "chatter", "stranded", "rewritten", "unread")
    ]
    return f"| {name} | {' | '.join(cells)} | {counts['planted']} of {4 * workspaces_} |"


def _measured(root: Path, language: str, make: Callable[..., Path], seed: int) -> Counter[str]:
    make(root, seed=seed)
    spoken = world(language, seed)
    lasting = {fold(statement.text) for statement in spoken.statements}
    (root / ".remem").mkdir()
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    with open_workspace(root, background=False, environment={}) as memory:
        memory.setup.migrate()
        memory.refresh()
        memory.services.layers.record_facts()
    counts: Counter[str] = Counter()
    text = (root / "MEMORY.md").read_text(encoding="utf-8")
    counts["lines"] = sum(1 for line in text.splitlines() if line.strip())
    found = find_chatter(text)
    counts["true"] = sum(fold(chatter.statement.plain_text) not in lasting for chatter in found)
    counts["chatter"] = sum(
        fold(chatter.statement.plain_text) in lasting for chatter in find_chatter(text)
    )
    kinds = Counter(_kinds(root))
    counts["stranded"] = kinds["daily notes"]
    counts["rewritten"] = kinds["facts"]
    counts["unread"] = kinds["search"]
    counts["planted"] = _planted(root)
    return counts


def _kinds(root: Path) -> Iterator[str]:
    layout = Layout(root)
    for finding in LayerCheck(layout).findings(MAIN, SourceFiles(layout, MAIN)):
        yield finding.part


def _planted(root: Path) -> int:
    """Each failure, made by hand: how many of the four are found."""
    before = Counter(_kinds(root))
    memory_md = root / "MEMORY.md"
    memory_md.write_text(memory_md.read_text(encoding="utf-8") + PLANTED, encoding="utf-8")
    note = root / "memory/2026-02-03.md"
    old = note.read_text(encoding="utf-8") if note.exists() else "# 2026-02-03\n"
    decided = "\n## Decisions\n\n- We decided to store the spare anchor chains in the north shed.\n"
    note.write_text(old + decided, encoding="utf-8")
    long_ago = time.time() - 3 * 86_400
    os.utime(note, (long_ago, long_ago))
    _rewrite_a_fact(root)
    after = Counter(_kinds(root))
    chattering = any(
        chatter.statement.plain_text.startswith("assistant:")
        for chatter in find_chatter(memory_md.read_text(encoding="utf-8"))
    )
    return chattering + sum(
        after[part] > before[part] for part in ("daily notes", "facts", "search")
    )


def _rewrite_a_fact(root: Path) -> None:
    path = next(
        path
        for path in sorted(root.rglob("items.json"))
        if isinstance(_loaded(path), list) and _loaded(path)
    )
    facts = _loaded(path)
    assert isinstance(facts, list)
    facts[0]["fact"] = "Something else altogether is true of it since last Tuesday."
    path.write_text(json.dumps(facts, ensure_ascii=False, indent=2), encoding="utf-8")


def _loaded(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None


if __name__ == "__main__":
    main()
