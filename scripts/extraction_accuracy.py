"""Measure on labelled conversations how good the extraction rules are.

REMEM_BENCH=FOLDER python scripts/extraction_accuracy.py            a table on stdout
REMEM_BENCH=FOLDER python scripts/extraction_accuracy.py --json     the same figures as JSON
REMEM_BENCH=FOLDER python scripts/extraction_accuracy.py --wrong    what went wrong, first set
REMEM_BENCH=FOLDER python scripts/extraction_accuracy.py --only read    one set, without evidence

REMEM_BENCH names a folder with conversations as JSON Lines (`*_dev.jsonl.gz`); they are not part
of this project. The labels are: ids of turns and the characters of what is worth keeping in
them (tests/samples/labels/conversations_*.json). The first set, "read", may be looked at while
rules are written. The second, "unread", was labelled when the rules were finished, without a look
at what they extract from it; it has been measured during later changes. The third, "fresh",
was labelled by somebody who had not read the rules; how it was chosen, and how often it has been
measured, is described in tests/samples/labels/README.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

from remem.extract.conversation import learn
from remem.model.lesson import Utterance
from remem.model.statement import keep_grounded

_LABELS = Path(__file__).parent.parent / "tests" / "samples" / "labels"
_SPLITS = ("read", "unread", "fresh")
_EVIDENCE = ("locomo_dev.jsonl.gz", "longmemeval_s_dev.jsonl.gz")
_CHINESE = ("memdaily_zh_dev.jsonl.gz",)
_MIN_OVERLAP = 0.5
"""Two spans are the same if they share half of the shorter one."""
Span = tuple[int, int]


@dataclass(slots=True)
class Score:
    """How much was extracted and how much should have been; the lists are for inspection."""

    taken: int = 0
    right: int = 0
    wanted: int = 0
    found: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        for name in ("taken", "right", "wanted", "found", "wrong", "missed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def figures(self) -> dict[str, Any]:
        return {
            "wanted": self.wanted,
            "taken": self.taken,
            "precision": _share(self.right, self.taken),
            "precision_from": _lower_bound(self.right, self.taken),
            "recall": _share(self.found, self.wanted),
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _lower_bound(right: int, taken: int) -> float | None:
    """The lower end of Wilson's 95 % interval, which is low for few examples."""
    if not taken:
        return None
    z, share = 1.96, right / taken
    middle = share + z * z / (2 * taken)
    spread = z * sqrt((share * (1 - share) + z * z / (4 * taken)) / taken)
    return round((middle - spread) / (1 + z * z / taken), 4)


@cache
def conversations(folder: Path, name: str) -> Mapping[str, Mapping[str, Any]]:
    with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
        return {conversation["id"]: conversation for conversation in map(json.loads, lines)}


def spans_taken(turn: Mapping[str, Any], *, offered: bool = False) -> list[Span]:
    """Return the places in a turn of the lessons that are learned without review.

    With `offered`, those of the statements that curation offers are included.
    """
    one_line = " ".join(turn["text"].split())
    utterance = Utterance(turn["role"], one_line, "talk", 1, multiline=turn["text"])
    learned = keep_grounded(learn([utterance]), [utterance])
    others = (*learned.likely, *learned.plain) if offered else ()
    return [_place(lesson.text, turn["text"]) for lesson in (*learned.lessons, *others)]


def _place(words: str, text: str) -> Span:
    found = re.search(r"\s+".join(map(re.escape, words.split())), text)
    assert found, "a lesson consists of words of its turn"
    return found.span()


def _overlaps(one: Span, other: Span) -> bool:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared >= _MIN_OVERLAP * min(one[1] - one[0], other[1] - other[0])


def score_turn(turn: Mapping[str, Any], keep: Sequence[Span], *, offered: bool = False) -> Score:
    taken = spans_taken(turn, offered=offered)
    text = turn["text"]
    wrong = [span for span in taken if not any(_overlaps(span, other) for other in keep)]
    missed = [span for span in keep if not any(_overlaps(span, other) for other in taken)]
    return Score(
        len(taken),
        len(taken) - len(wrong),
        len(keep),
        len(keep) - len(missed),
        [f"{turn['id']}: {text[slice(*span)]}" for span in wrong],
        [f"{turn['id']}: {text[slice(*span)]}" for span in missed],
    )


def score_split(folder: Path, split: str) -> dict[str, Score]:
    """The score of all files, of each language, and of every file."""
    labels = json.loads((_LABELS / f"conversations_{split}.json").read_text(encoding="utf-8"))
    scores = {"all": Score()}
    for label in labels:
        talk = conversations(folder, label["data"])[label["conversation"]]
        for turn in talk["turns"]:
            if turn["session"] != label["session"]:
                continue
            keep = [(start, end) for start, end in label["keep"].get(turn["id"], [])]
            one = score_turn(turn, keep)
            language = "Chinese" if label["data"] in _CHINESE else "English"
            for name in ("all", language, label["data"].split("_")[0]):
                scores.setdefault(name, Score()).add(one)
            offer = score_turn(turn, keep, offered=True)
            for name in ("offered", f"offered, {language}"):
                scores.setdefault(name, Score()).add(offer)
    return scores


def evidence(folder: Path, name: str) -> dict[str, Any]:
    """How much of the evidence for the annotated questions is left after extraction."""
    turns = kept = people = people_kept = asked = whole = characters = left = 0
    for talk in conversations(folder, name).values():
        by_id = {turn["id"]: turn for turn in talk["turns"]}
        taken = {id_: spans_taken(turn) for id_, turn in by_id.items()}
        characters += sum(len(value["text"]) for value in by_id.values())
        left += sum(end - start for spans in taken.values() for start, end in spans)
        gold = {id_ for question in talk["questions"] for id_ in question["gold_turns"]}
        turns += len(gold)
        kept += sum(bool(taken[id_]) for id_ in gold)
        mine = [id_ for id_ in gold if by_id[id_]["role"] == "user"]
        people += len(mine)
        people_kept += sum(bool(taken[id_]) for id_ in mine)
        for question in talk["questions"]:
            if question["gold_turns"]:
                asked += 1
                whole += all(taken[id_] for id_ in question["gold_turns"])
    return {
        "evidence_turns": turns,
        "survive": _share(kept, turns),
        "of_people_survive": _share(people_kept, people),
        "questions": asked,
        "questions_whole": _share(whole, asked),
        "text_left": _share(left, characters),
    }


def _table(figures: Mapping[str, Any]) -> Iterator[str]:
    for split in _SPLITS:
        for name, row in figures.get(split, {}).items():
            yield (
                f"{split:<7}{name:<17} precision {_percent(row['precision'])} (at least "
                f"{_percent(row['precision_from'])}) of {row['taken']} taken, recall "
                f"{_percent(row['recall'])} of {row['wanted']}"
            )
    for name, row in figures.get("evidence", {}).items():
        yield (
            f"evidence {name}: {_percent(row['survive'])} of {row['evidence_turns']} turns "
            f"survive ({_percent(row['of_people_survive'])} of people's), "
            f"{_percent(row['questions_whole'])} of {row['questions']} questions keep all; "
            f"{_percent(row['text_left'])} of the text"
        )


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--wrong", action="store_true", help="list what went wrong, first set")
    parser.add_argument("--only", choices=_SPLITS, help="measure this set alone")
    options = parser.parse_args()
    name = os.environ.get("REMEM_BENCH")
    if not name or not Path(name).is_dir():
        sys.exit("set REMEM_BENCH to the folder of the conversations (*_dev.jsonl.gz)")
    folder = Path(name)
    if options.wrong:
        for name, score in score_split(folder, "read").items():
            if name not in ("all", "English", "Chinese"):
                print(f"{name}: wrong", *score.wrong, f"{name}: missed", *score.missed, sep="\n  ")
        return
    figures: dict[str, Any] = {
        split: {name: score.figures() for name, score in score_split(folder, split).items()}
        for split in ([options.only] if options.only else _SPLITS)
    }
    if not options.only:
        figures["evidence"] = {name: evidence(folder, name) for name in _EVIDENCE}
    print(json.dumps(figures) if options.json else "\n".join(_table(figures)))


if __name__ == "__main__":
    main()
