"""Measure how often a misspelt word is corrected, and a correct one left alone.

REMEM_BENCH=FOLDER python scripts/spelling_accuracy.py [FILE…] [--first N]

The questions of conversations (JSON Lines, not part of this project) are asked of a memory of
their own conversation: as they are, where no word should be corrected; and with typos
(`bench.typos`), where every word that the memory knows should be found again.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.conversations import Conversation, read
from bench.typos import misspelt
from remem.app.environment import models_folder
from remem.app.opening import open_workspace
from remem.embed.minilm import MiniLM
from remem.model.entry import Filter
from remem.ports.entries import Snapshot

_FILES = ("locomo_dev.jsonl.gz", "longmemeval_s_dev.jsonl.gz", "beam_100k_dev.jsonl.gz")
_WORD = re.compile(r"[A-Za-z]{4,}")
_SEED = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", default=_FILES)
    parser.add_argument("--first", type=int, default=4, help="number of conversations of each file")
    options = parser.parse_args()
    folder = os.environ.get("REMEM_BENCH")
    if not folder:
        sys.exit("set REMEM_BENCH to the folder that holds the conversations (*_dev.jsonl.gz)")
    model = MiniLM(models_folder() / "minilm")
    ways: dict[str, Callable[[str], bool]] = {
        "with the words of the memory": lambda _: False,
        "with the words of the model too": model.knows,
    }
    counts = {way: Counter[str]() for way in ways}
    for name in options.files:
        for conversation in read(Path(folder) / name, options.first):
            for way, outcome in _outcomes(conversation, ways):
                counts[way][outcome] += 1
    for way, found in counts.items():
        print(f"{way}: {dict(sorted(found.items()))}")


def _outcomes(
    conversation: Conversation, ways: dict[str, Callable[[str], bool]]
) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        memory = open_workspace(folder, background=False, keywords_only=True)
        texts = (turn.content for turn in conversation.turns if turn.text.strip())
        list(memory.store_many({"category": "fact", "content": text[:5_000]} for text in texts))
        with memory, memory.services.store.read() as snapshot:
            for asked in conversation.questions:
                for way, is_right in ways.items():
                    for outcome in _judged(snapshot, asked.query, is_right):
                        yield way, outcome


def _judged(snapshot: Snapshot, query: str, is_right: Callable[[str], bool]) -> Iterator[str]:
    words, typos = (_WORD.findall(text) for text in (query, misspelt(query, _SEED)))
    for word in words:
        corrected = None if is_right(word) else snapshot.stored_spelling(word)
        yield "correct word, left" if corrected in (None, word) else "correct word, changed"
    for word, typo in zip(words, typos, strict=False):
        if word == typo or not _found(snapshot, word) or _found(snapshot, typo):
            continue
        corrected = None if is_right(typo) else snapshot.stored_spelling(typo)
        if corrected is None:
            yield "typo, left"
        else:
            same = _found(snapshot, corrected) == _found(snapshot, word)
            yield "typo, corrected" if same else "typo, changed wrongly"


def _found(snapshot: Snapshot, word: str) -> tuple[str, ...]:
    return tuple(id_ for id_, _ in snapshot.keyword([word], Filter(), 50).hits)


if __name__ == "__main__":
    main()
