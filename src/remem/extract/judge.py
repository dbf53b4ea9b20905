"""Judge a statement: whether it is worth keeping, its category, and its worth for the index.

Every signal of a statement has a weight for each of the three questions, all in one table. The sums
decide, and the signals with the greatest weights are the reasons. Migration, learning from notes,
graduation, consolidation, the doctor and the index all ask this judge, so that they agree.

Call `judge(text, place)`. A line of a file that somebody keeps by hand is kept unless there are
strong reasons against it (`Judgement.lasts`). For a line of a note, the judge only says whether a
careful reader should see it (`may_last`); `remem.extract.lasting` decides what is learned. `worth`
orders statements for the index: the highest belong in every conversation.

The weights were chosen on labelled lines of real workspaces, rounded to quarters.
"""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import Final

from remem.extract.headings import announced_kind
from remem.extract.signals import signals_of
from remem.fast_dataclass import dataclass
from remem.model.entry import CATEGORIES, Category
from remem.model.statement import Place

_MIN_CURATED: Final = -0.75
_MIN_PAGE: Final = 0.5
_MIN_NOTE: Final = 1.0
_STATED: Final = frozenset(
    {"rule", "preference", "decision", "insight", "person", "label_instruction"}
    | {"label_preference", "label_decision", "label_insight", "under_preference"}
)
_LABELS: Final = frozenset(
    {"label_instruction", "label_preference", "label_decision", "label_insight", "decided"}
)
_TRANSIENT: Final = frozenset({"active", "series", "under_project", "bold", "dated_section"})
_LOOSE: Final = frozenset({"keyed", "nested", "under_log", "numbers"})
_MAX_REASONS: Final = 4
_PATH: Final = "is in a folder or file named after this category"
_NOTHING_LASTS: Final = "nothing shows that it lasts"
NOTHING_SUGGESTS: Final = "nothing suggests a different category"


@dataclass(frozen=True, slots=True)
class _Signal:
    """The meaning of a signal, and its weights; `votes` are its weights for the categories."""

    meaning: str
    keep: float = 0.0
    worth: float = 0.0
    votes: dict[Category, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The category with its reason, and the scores for keeping and for the index.

    `reasons` lists what adds to its worth, then what lowers it; `doubt` is the strongest reason not
    to keep the statement.
    """

    category: Category
    why: str
    keep: float
    worth: float
    reasons: tuple[str, ...]
    doubt: str
    signals: frozenset[str]

    @property
    def transient(self) -> bool:
        """Whether the statement reports an event or a state, and nothing else."""
        reports = not self.signals.isdisjoint(("event", "status"))
        return reports and self.signals.isdisjoint(_STATED | {"project_state"})

    @property
    def lasts(self) -> bool:
        """Whether a line of a file that somebody curates is worth keeping."""
        return self.keep >= _MIN_CURATED

    @property
    def likely(self) -> bool:
        """Whether a line of a topic page is worth keeping; it needs more evidence than `lasts`."""
        return self.keep >= _MIN_PAGE

    @property
    def may_last(self) -> bool:
        """Whether a line of a note is worth showing to a careful reader.

        It has a label that says what it is, states a rule or a wish in a sentence, or is plainly
        about a person. Half of such lines last; `remem.extract.lasting` decides which are certain.
        """
        signals = self.signals
        labelled = not signals.isdisjoint(_LABELS)
        is_statement = "sentence" in signals and not signals.isdisjoint(("rule", "preference"))
        about_person = "person" in signals and signals.isdisjoint(_LOOSE)
        lasting = labelled or is_statement or about_person
        return lasting and self.keep >= _MIN_NOTE and signals.isdisjoint(_TRANSIENT)


_SIGNALS: Final[dict[str, _Signal]] = {
    # the file and the section
    "user_file": _Signal("is in USER.md", 0.5, 0.5, {"preference": 0.75, "person": 0.5}),
    "memory_file": _Signal("is in MEMORY.md", 0.25, 0.5),
    "topic_file": _Signal("is in a file on one topic", 0.5, 0.0),
    "path_preference": _Signal(_PATH, 0.5, 0.0, {"preference": 1.5}),
    "path_instruction": _Signal(_PATH, 0.5, 0.0, {"instruction": 1.5}),
    "path_person": _Signal(_PATH, 0.5, 0.0, {"person": 1.5}),
    "path_decision": _Signal(_PATH, 0.5, 0.0, {"decision": 1.5}),
    "path_insight": _Signal(_PATH, 0.5, 0.0, {"insight": 1.5}),
    "path_project": _Signal(_PATH, 0.0, 0.0, {"project": 1.5}),
    "path_fact": _Signal(_PATH, 0.0, 0.0, {"fact": 1.5}),
    "nested": _Signal("is a detail of the line above", -0.75, -0.75),
    "subsection": _Signal("is in a section of a section", 0.0, -0.5),
    "deep": _Signal("is in a deeply nested section", -0.5, -0.5),
    "biography": _Signal("is a detail of a biography", 0.0, -1.75),
    "detail": _Signal("is under a heading for details", 0.0, -0.5),
    "active": _Signal("is in a section on what is current", 0.5, 0.5, {"project": 0.5}),
    "promoted": _Signal("was promoted from notes by the host", 0.0, -1.0),
    "finished": _Signal("is in a finished section", -2.5, -3.0),
    "dated_section": _Signal("is in the section of a day", -1.25, -1.25),
    "stamped_section": _Signal("is in a section with a date", -1.25, -0.75),
    "stamped_above": _Signal("is in a part of a section with a date", -0.5, 0.0),
    "under_preference": _Signal("", 1.25, 1.5, {"preference": 3.0}),
    "under_instruction": _Signal("", 0.75, 0.75, {"instruction": 2.25}),
    "under_person": _Signal("", 1.0, 0.5, {"person": 2.0}),
    "under_fact": _Signal("", 0.5, 0.0, {"fact": 2.0}),
    "under_decision": _Signal("", 0.5, 0.75, {"decision": 2.5}),
    "under_insight": _Signal("", 0.0, -0.75, {"insight": 2.0}),
    "under_project": _Signal("", 0.0, 0.0, {"project": 2.25}),
    "under_log": _Signal("", -1.0, -0.25),
    "series": _Signal("is one of a series, as in a log", -0.75, -2.75),
    "repeated": _Signal("is repeated on several days", 0.75, 0.5),
    # the label in front of it
    "label_preference": _Signal("has the label of a preference", 1.0, 1.0, {"preference": 3.5}),
    "label_instruction": _Signal("has the label of a rule", 1.0, 0.75, {"instruction": 3.0}),
    "label_decision": _Signal("has the label of a decision", 1.0, 0.25, {"decision": 3.5}),
    "label_insight": _Signal("has the label of a lesson", 1.0, 0.0, {"insight": 3.5}),
    "label_person": _Signal("has a label about people", 0.25, 0.25, {"person": 3.0}),
    "label_project": _Signal("has the label of a project", 0.0, 0.0, {"project": 3.0}),
    "label_fact": _Signal("has the label of a setting", 0.5, 0.0, {"fact": 3.0}),
    "identity": _Signal("says who somebody is", 0.75, 1.25, {"person": 2.5}),
    # its words
    "rule": _Signal("says what must or must not be done", 1.5, 1.0, {"instruction": 3.0}),
    "prohibition": _Signal("says what not to do", 0.5, 0.25, {"instruction": 0.5}),
    "addressed": _Signal("tells its reader what to do"),
    "advice": _Signal("says what to do", 0.5, 0.5, {"instruction": 1.0}),
    "emphasis": _Signal("is emphasised", 0.5, 0.5, {"instruction": 0.5}),
    "preference": _Signal("says what somebody wants or likes", 1.0, 0.75, {"preference": 3.0}),
    "decision": _Signal("says what was decided", 0.5, 0.0, {"decision": 2.5}),
    "insight": _Signal("says what was learned", 0.75, 0.0, {"insight": 2.0}),
    "person": _Signal("is about a person", 1.0, 1.25, {"person": 2.0}),
    "project": _Signal("is about ongoing work", 0.25, 0.5, {"project": 1.5}),
    "schedule": _Signal("says when something recurs", 0.25, 1.0, {"fact": 1.0}),
    "technical": _Signal("names an address, a path or an id", 0.5, 0.0, {"fact": 1.75}),
    "hedge": _Signal("is uncertain", -0.5, -0.5),
    "past_day": _Signal("speaks of one date as today", 0.0, -1.5),
    "small_talk": _Signal("is small talk of a day", -1.5, -3.0),
    "chatter": _Signal("reads like small talk", -0.75, -0.5),
    # its form
    "bold": _Signal("begins in bold", 0.0, 0.5),
    "keyed": _Signal("gives a value for a name", 0.0, -0.25, {"fact": 0.5}),
    "sentence": _Signal("is a whole sentence", 0.5, 0.25),
    "bare": _Signal("is only a path or a link", -1.75, -1.5, {"fact": 2.0}),
    "short": _Signal("is very short", -0.5, -0.5),
    "long": _Signal("is very long", -0.5, 0.0),
    "numbers": _Signal("is mostly figures", -0.5, -0.25),
    "dated": _Signal("is tied to a date", -0.5, -0.25, {"project": 0.5}),
    "counts": _Signal("counts things at a moment", -1.25, -0.5),
    "listed": _Signal("is a bare name in a list of things", -0.75, 0.0),
    "quoted": _Signal("is a quotation", -0.5, -0.25),
    "row": _Signal("is a row of a table", 0.0, -1.0),
    "finished_row": _Signal("is a row about something finished", -1.5, -4.0),
    "description": _Signal("describes what its section is for", -2.5, -1.5),
    "example": _Signal("is an example", -1.5, -1.0),
    "aside": _Signal("is a remark in italics about the file", -1.5, -1.5),
    "introduction": _Signal("only introduces what follows", -1.0, -1.0),
    "event": _Signal("reports what happened", -1.25, -0.75, {"project": 0.5}),
    "status": _Signal("reports a state", -1.25, -0.75, {"project": 0.5}),
    "log_line": _Signal("reports what happened on a day", -2.25, -1.0),
    "moment": _Signal("is tied to a day", -0.5, -1.0, {"project": 0.5}),
    "decided": _Signal("begins with what was decided", 0.0, 0.0, {"decision": 0.5}),
    "project_state": _Signal("is the state of a project", 1.5, 1.5, {"project": 1.0}),
    "completed_state": _Signal("says that a project is completed", -1.0, -1.5),
    "todo": _Signal("is to be done next", -0.75, -0.5, {"project": 1.0}),
    "struck": _Signal("is struck out", -1.0, -4.0),
    "over": _Signal("is done or no longer holds", -0.5, -4.0),
    "template": _Signal("is template text that came with the file", -4.0, -4.0),
}


@lru_cache(maxsize=8192)
def judge(text: str, place: Place) -> Judgement:
    """Judge a statement in its place; the same input always gets the same judgement."""
    present = sorted(signals_of(text, place))
    weighted = [(_SIGNALS[name], _meaning(name, place)) for name in present]
    votes: dict[Category, float] = dict.fromkeys(CATEGORIES, 0.0)
    for signal, _ in weighted:
        for category, vote in signal.votes.items():
            votes[category] += vote
    best = max(votes, key=lambda category: (votes[category], category == "fact"))
    decisive = max(weighted, key=lambda pair: pair[0].votes.get(best, 0.0), default=None)
    why = decisive[1] if decisive and votes[best] else NOTHING_SUGGESTS
    doubt, against = min(
        ((meaning, signal.keep) for signal, meaning in weighted),
        key=lambda pair: pair[1],
        default=("", 0.0),
    )
    weighed = sorted((pair for pair in weighted if pair[0].worth), key=lambda pair: -pair[0].worth)
    reasons = [text if signal.worth > 0 else f"but {text}" for signal, text in weighed]
    return Judgement(
        category=best if votes[best] else "fact",
        why=why,
        keep=sum(signal.keep for signal, _ in weighted),
        worth=sum(signal.worth for signal, _ in weighted) - place.position,
        reasons=tuple(reasons[:_MAX_REASONS]),
        doubt=doubt if against < 0 else _NOTHING_LASTS,
        signals=frozenset(present),
    )


def _meaning(name: str, place: Place) -> str:
    """Return the meaning of a signal; the meaning of a heading quotes it."""
    kind = name.removeprefix("under_")
    if kind == name:
        return _SIGNALS[name].meaning
    titles = (*place.headings, *place.labels)
    title = next((title for title in reversed(titles) if announced_kind(title) == kind), "")
    return f"is under “{title[:60]}”"
