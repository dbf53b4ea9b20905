"""Check verdicts, and apply them or keep them as proposals.

The owner's verdicts apply at once. Verdicts of an agent or a model apply at once only to entries
that agents have stored. On instructions, memories in review and the owner's lines, they are
proposals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.admin.curate.candidates import (
    CONTRADICTION_SIGN,
    DUPLICATE_SIGN,
    LINE_SIGN,
    line_key,
)
from remem.admin.curate.file_lines import FileLine
from remem.admin.curate.result import Refusal
from remem.entries.draft import Memory, make_draft
from remem.entries.index_lines import lines_of
from remem.entries.index_wording import LONG_LINE
from remem.entries.lifecycle import archive, confirm, dismiss, revise
from remem.entries.receipt import StoreDependencies
from remem.entries.store import store_operation, supersede
from remem.entries.verdicts import add_verdict, save_verdict, wording_hash_of
from remem.errors import InvalidInput, RememError, shown
from remem.extract.judge import judge
from remem.model.arguments import one_of, refuse_unknown
from remem.model.entry import CATEGORIES, Category, Entry, Origin, headings_in, is_entry_id
from remem.model.verdict import GIVEN_ANSWERS, OWNER, Answer, Topic, Verdict, VerdictState
from remem.ports.entries import Transaction
from remem.text.secrets.mask import redact
from remem.text.sentence_check import why_unsupported
from remem.text.untrusted import overrides_instructions

THE_REST: Final = "*"
"""The item that means every line of the batch that the same call does not name."""
FIELDS: Final = ("answer", "items", "text", "category", "into", "why")
ANSWERS_BY_TOPIC: Final[dict[Topic, tuple[Answer, ...]]] = {
    "index": ("keep", "drop", "pin", "reword", "recategorise"),
    "line": ("keep", "pin"),
    "review": ("keep", "drop", "pin", "reword", "recategorise"),
    "duplicate": ("keep", "drop", "merge"),
    "contradiction": ("keep", "drop", "merge"),
}
_MAX_TEXT: Final = 400


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer about one item, before it has been applied."""

    item: str
    answer: Answer
    text: str | None = None
    category: Category | None = None
    into: str | None = None
    why: str | None = None


def read_answers(values: Sequence[Mapping[str, Any]]) -> list[GivenAnswer]:
    """Return the answers in a list of verdicts, one for each item; invalid verdicts raise."""
    return [given for value in values for given in _read(value)]


def expand_rest(answers: Sequence[GivenAnswer], batch: Sequence[str]) -> list[GivenAnswer]:
    """Return the answers with `*` replaced by the lines of the batch that no other answer names."""
    named = {given.item for given in answers}
    rest = [item for item in batch if item not in named]
    return [
        replace(given, item=item)
        for given in answers
        for item in (rest if given.item == THE_REST else [given.item])
    ]


def _read(value: Mapping[str, Any]) -> Iterator[GivenAnswer]:
    refuse_unknown(value, FIELDS, "a verdict", {"item": "items", "ids": "items"}, noun="field")
    answer = one_of(value.get("answer"), GIVEN_ANSWERS, "answer")
    items = value.get("items")
    if not isinstance(items, list) or not items or not all(isinstance(item, str) for item in items):
        raise InvalidInput(
            f"items {shown(items)} is not a list of items", hint='write "items": ["mem-…"]'
        )
    text, into, why = (_text(value, name) for name in ("text", "into", "why"))
    if answer == "reword" and (text is None or len(items) > 1):
        raise InvalidInput("reword needs a text and exactly one item", hint='write "text": "…"')
    category = value.get("category")
    if answer == "recategorise" and category is None:
        raise InvalidInput(
            "recategorise needs a category", hint=f"use one of: {', '.join(CATEGORIES)}"
        )
    checked = one_of(category, CATEGORIES, "category") if category is not None else None
    for item in items:
        yield GivenAnswer(item, answer, text, checked, into, why)


def _text(value: Mapping[str, Any], name: str) -> str | None:
    text = value.get(name)
    if text is None or (isinstance(text, str) and 0 < len(text.strip()) <= _MAX_TEXT):
        return text.strip() if text is not None else None
    raise InvalidInput(f"{name} {shown(text)} must be text of 1 to {_MAX_TEXT} characters")


@dataclass(frozen=True, slots=True)
class VerdictHandler:
    """Applies one author's verdicts in a transaction.

    `shown` are the items that the index shows.
    """

    tx: Transaction
    author: str
    now: str
    deps: StoreDependencies
    file_lines: Mapping[str, FileLine]
    shown: Collection[str] = ()

    def apply(self, given: GivenAnswer) -> Verdict | Refusal:
        """Apply a verdict, or keep it as a proposal; an invalid one is refused with a reason."""
        if file_line := self.file_lines.get(given.item):
            return self._apply_to_line(given, file_line)
        try:
            item, line = self._split_item(given.item)
            topic, entries = self._topic_and_entries(item)
            self._check(given, topic, entries)
        except RememError as error:
            return Refusal(given.item, str(error.args[0]))
        shown = topic == "index" and given.item in self.shown
        verdict = replace(self._verdict(given, topic, entries), line=line, shown=shown)
        return add_verdict(self.tx, self._apply(verdict) if verdict.in_force else verdict)

    def _apply_to_line(self, given: GivenAnswer, line: FileLine) -> Verdict | Refusal:
        """Apply a verdict on a line of the owner's files; `pin` stores the line as an entry."""
        allowed = ANSWERS_BY_TOPIC["line"]
        if given.answer not in allowed or given.text is not None:
            return Refusal(given.item, f"use {' or '.join(allowed)} here, without a text")
        verdict = Verdict(
            number=0,
            at=self.now,
            author=self.author,
            state="applied" if self.author == OWNER else "proposed",
            topic="line",
            answer=given.answer,
            entries=(),
            wordings=(line.wording_hash,),
            text=redact(line.text).text,
            category=given.category or judge(line.text, line.place).category,
            reason=given.item,
        )
        return add_verdict(self.tx, self._apply(verdict) if verdict.in_force else verdict)

    def accept(self, proposal: Verdict) -> Verdict | Refusal:
        """Apply a proposal that the owner accepts, unless its entries have changed since."""
        entries = self.tx.find(proposal.entries)
        wordings = {id_: wording_hash_of(entry) for id_, entry in entries.items()}
        proposed_wordings = dict(zip(proposal.entries, proposal.wordings, strict=False))
        gone = [entry.id for entry in entries.values() if entry.archived or entry.superseded_by]
        if gone or wordings != proposed_wordings:
            name = next(iter(gone), None) or proposal.entries[0]
            return Refusal(
                name, f"{name} has changed since the proposal was made; the proposal stays open"
            )
        line = self.file_lines.get(proposal.reason or "")
        if proposal.topic == "line" and (
            line is None or line.wording_hash not in proposal.wordings
        ):
            return Refusal(proposal.reason or "", "the line has changed; the proposal stays open")
        accepted = self._apply(replace(proposal, state="applied", at=self.now))
        save_verdict(self.tx, accepted)
        return accepted

    def _split_item(self, item: str) -> tuple[str, int | None]:
        """Return the entry of an item and, if the item is one of its lines, the line's hash."""
        id_, sign, key = item.partition(LINE_SIGN)
        if not sign:
            return item, None
        for entry in self.tx.find([id_]).values():
            for line in (*lines_of(entry), *lines_of(entry, LONG_LINE)):
                if line_key(line.key) == key:
                    return id_, line.key
        raise InvalidInput(f"there is no item {shown(item)}")

    def _topic_and_entries(self, item: str) -> tuple[Topic, list[Entry]]:
        """Return the topic and the entries of an item."""
        pairs: dict[str, Topic] = {
            DUPLICATE_SIGN: "duplicate",
            CONTRADICTION_SIGN: "contradiction",
        }
        sign = next((sign for sign in pairs if sign in item), None)
        ids = item.split(sign) if sign else [item]
        found = self.tx.find(ids)
        if not all(map(is_entry_id, ids)) or len(found) != len(ids) or len(ids) > 2:
            raise InvalidInput(f"there is no item {shown(item)}")
        entries = [found[id_] for id_ in ids]
        if any(entry.archived or entry.superseded_by for entry in entries):
            raise InvalidInput(f"{item} has already been archived or replaced")
        if sign:
            return pairs[sign], entries
        return ("review" if entries[0].trust == "untrusted" else "index"), entries

    def _check(self, given: GivenAnswer, topic: Topic, entries: Sequence[Entry]) -> None:
        allowed = ANSWERS_BY_TOPIC[topic]
        if given.answer not in allowed:
            raise InvalidInput(
                f"{given.answer} is not a valid answer here; use one of: {', '.join(allowed)}"
            )
        if any(entry.trust == "untrusted" for entry in entries) != (topic == "review"):
            raise InvalidInput(
                f"{given.item} contains an entry that is waiting for review; "
                "review that entry first"
            )
        if given.into is not None and given.into not in [entry.id for entry in entries]:
            raise InvalidInput(f"into {shown(given.into)} is not one of the two entries")
        if given.text is None:
            return
        if given.answer not in ("reword", "merge"):
            raise InvalidInput(f"{given.answer} does not take a text")
        if overrides_instructions(given.text):
            raise InvalidInput("the text tells an agent to ignore its instructions")
        subjects = [
            text for entry in entries for text in (*headings_in(entry.context), *entry.tags)
        ]
        contents = [entry.content for entry in entries]
        may_shorten = given.answer == "reword" and topic == "index"
        if reason := why_unsupported(given.text, contents, subjects, may_shorten=may_shorten):
            raise InvalidInput(f"the text is not supported by its source: {reason}")

    def _verdict(self, given: GivenAnswer, topic: Topic, entries: Sequence[Entry]) -> Verdict:
        """Return the verdict, with its main entry first.

        That is the entry that remains after a merge, or the one that is dropped.
        """
        first = entries[0]
        if len(entries) == 2:
            other = entries[1]
            kept = other if given.into == other.id else first
            dropped = first if kept is other else other
            entries = [dropped, kept] if given.answer == "drop" else [kept, dropped]
        return Verdict(
            number=0,
            at=self.now,
            author=self.author,
            state=self._state(topic, entries),
            topic=topic,
            answer=given.answer,
            entries=tuple(entry.id for entry in entries),
            wordings=tuple(map(wording_hash_of, entries)),
            text=redact(given.text).text if given.text else None,
            category=given.category,
            reason=redact(given.why).text if given.why else None,
        )

    def _state(self, topic: Topic, entries: Sequence[Entry]) -> VerdictState:
        agents_own = all(
            entry.trust == "agent" and entry.category != "instruction" for entry in entries
        )
        applies = self.author == OWNER or (agents_own and topic != "review")
        return "applied" if applies else "proposed"

    def _apply(self, verdict: Verdict) -> Verdict:
        """Apply a verdict, and record the versions of its entries before and after the change."""
        if verdict.topic == "line":
            return self._store_line(verdict) if verdict.answer == "pin" else verdict
        before = {id_: entry.version for id_, entry in self.tx.find(verdict.entries).items()}
        self._apply_to_entries(verdict)
        after = {id_: entry.version for id_, entry in self.tx.find(verdict.entries).items()}
        changed = {id_: (old, after[id_]) for id_, old in before.items() if after[id_] != old}
        return replace(verdict, versions=changed)

    def _store_line(self, verdict: Verdict) -> Verdict:
        """Store the line of a verdict as the owner's entry."""
        path, _, line = (verdict.reason or "").rpartition(":")
        memory = Memory(
            category=verdict.category or "fact",
            content=verdict.text or "",
            source="curation",
            origin=Origin(path, int(line)),
        )
        draft = make_draft(memory, "owner", self.now)
        receipt = store_operation(draft, self.now, self.deps)(self.tx)
        new = {} if receipt.deduplicated else {receipt.id: (0, receipt.version)}
        return replace(verdict, entries=(receipt.id,), versions=new)

    def _apply_to_entries(self, verdict: Verdict) -> None:
        id_ = verdict.entries[0]
        topics = self.deps.topics
        match verdict.topic, verdict.answer:
            case "review", "drop":
                dismiss(self.tx, id_, self.now, topics)
            case "review", _:
                confirm(self.tx, id_, self.now, topics)
                self._revise(id_, verdict)
            case "index", "recategorise":
                self._revise(id_, verdict)
            case (("duplicate" | "contradiction"), "drop"):
                old = self.tx.find([id_])[id_]
                archive(self.tx, old, self.now, _change(verdict), topics)
            case (("duplicate" | "contradiction"), "merge"):
                supersede(self.tx, verdict.entries[1:], id_, self.now, topics)
                self._revise(id_, verdict)

    def _revise(self, id_: str, verdict: Verdict) -> None:
        """Change the text and the category of an entry to those of a verdict."""
        old = self.tx.find([id_])[id_]
        content = verdict.text or old.content
        new = replace(
            old,
            content=content,
            category=verdict.category or old.category,
            token_estimate=self.deps.counter.count(content),
        )
        if new != old:
            change = _change(verdict)
            revise(self.tx, new, change, now=self.now, topics=self.deps.topics)


def _change(verdict: Verdict) -> str:
    return f"curated by {verdict.author}: {verdict.answer}"
