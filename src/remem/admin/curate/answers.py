"""Check verdicts, and apply them or keep them as proposals.

The owner's verdicts apply at once. A verdict of an agent or a model applies at once only if it is
about entries that agents have stored, or keeps a line of a conversation. Those on instructions,
memories in review and the owner's lines are proposals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.admin.curate.doubts import CONTRADICTION_SIGN, DUPLICATE_SIGN
from remem.admin.curate.file_lines import FileLine
from remem.admin.curate.given import THE_REST, GivenAnswer
from remem.admin.curate.lines import LINE_SIGN, line_key
from remem.admin.curate.result import Refusal
from remem.entries.draft import Memory, make_draft
from remem.entries.index_lines import lines_of
from remem.entries.index_wording import LONG_LINE
from remem.entries.lifecycle import archive, confirm, dismiss, revise
from remem.entries.store import store_operation, supersede
from remem.entries.verdicts import add_verdict, all_verdicts, save_verdict, wording_hash_of
from remem.errors import InvalidInput, RememError, quoted
from remem.model.entry import Entry, Origin, headings_in, is_entry_id
from remem.model.verdict import OWNER, Answer, Topic, Verdict, VerdictState
from remem.ports import StoreDependencies
from remem.ports.entries import Transaction
from remem.text.secrets.mask import redact
from remem.text.sentence_check import why_unsupported
from remem.text.untrusted import overrides_instructions

ANSWERS_BY_TOPIC: Final[dict[Topic, tuple[Answer, ...]]] = {
    "index": ("keep", "drop", "pin", "reword", "recategorise"),
    "line": ("keep", "drop", "pin", "reword"),
    "review": ("keep", "drop", "pin", "reword", "recategorise"),
    "duplicate": ("keep", "drop", "merge"),
    "contradiction": ("keep", "drop", "merge"),
}


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """The page that verdicts are about: its items, their entries, and those of them `of_notes`.

    `left` and `seen` are the hashes of the lines that it leaves out and that were offered.
    """

    items: Collection[str] = ()
    entries: set[str] = field(default_factory=set)
    of_notes: Collection[str] = ()
    left: Sequence[int] = ()
    seen: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class VerdictHandler:
    """Applies one author's verdicts in a transaction."""

    tx: Transaction
    author: str
    now: str
    deps: StoreDependencies
    file_lines: Mapping[str, FileLine]
    page: JudgedPage = field(default_factory=JudgedPage)

    def apply_all(self, answers: Iterable[GivenAnswer]) -> list[Verdict | Refusal]:
        """Apply verdicts in order; a line is not dropped if its merge was refused."""
        outcomes: list[Verdict | Refusal] = []
        refused: set[str] = set()
        for answer in answers:
            if answer.merge_target in refused:
                outcomes.append(
                    Refusal(answer.given_item, "it was not merged, so it is not dropped")
                )
                continue
            outcome = self.apply(answer)
            if isinstance(outcome, Refusal):
                refused.add(answer.item)
            outcomes.append(outcome)
        return outcomes

    def apply(self, answer: GivenAnswer) -> Verdict | Refusal:
        """Apply a verdict, or keep it as a proposal; an invalid one is refused with a reason.

        It replaces an open proposal about the same item, unless the proposal may stay open.
        """
        try:
            if answer.item == THE_REST:
                verdict = self._verdict_on_page(answer)
            elif file_line := self.file_lines.get(answer.item):
                verdict = self._verdict_on_line(answer, file_line)
            else:
                verdict = self._verdict_on_entries(answer)
        except RememError as error:
            return Refusal(answer.given_item or answer.item, str(error.args[0]))
        for earlier in all_verdicts(self.tx):
            if earlier.state == "proposed" and earlier.subject == verdict.subject:
                if _keeps_proposal(verdict, earlier):
                    return earlier
                save_verdict(self.tx, replace(earlier, state="undone"))
        return add_verdict(self.tx, self._apply(verdict) if verdict.in_force else verdict)

    def _verdict_on_page(self, answer: GivenAnswer) -> Verdict:
        """Return the verdict that the rest of the page stays as it is."""
        entries = list(self.tx.find(self.page.entries).values())
        return replace(
            self._verdict(replace(answer, answer="page"), "index", entries),
            pins=tuple(entry.id for entry in entries if entry.id in self.page.of_notes),
            left=tuple(self.page.left),
            seen=tuple(self.page.seen),
        )

    def _verdict_on_entries(self, answer: GivenAnswer) -> Verdict:
        item, line = self._split_item(answer.item)
        topic, entries = self._topic_and_entries(item)
        if answer.into == "other" and len(entries) == 2:
            answer = replace(answer, into=entries[1].id)
        self._check(answer, topic, entries)
        verdict = self._verdict(answer, topic, entries)
        on_page = topic == "index" and answer.item in self.page.items
        if (survivor := verdict.survivor) and survivor not in self.page.entries:
            on_page = not self.page.entries.isdisjoint(verdict.entries)
            self.page.entries.update([survivor] if on_page else [])
        return replace(verdict, line=line, shown=on_page)

    def _verdict_on_line(self, answer: GivenAnswer, line: FileLine) -> Verdict:
        """Return a verdict on a line that is not stored; all answers but `drop` store it."""
        _check_answer(answer, "line")
        if answer.text is not None:
            self._check_text(answer, [line.text], line.headings, shorter=True)
        category = answer.category or line.category
        is_harmless = answer.answer == "keep" and line.is_spoken and category != "instruction"
        return Verdict(
            number=0,
            at=self.now,
            author=self.author,
            state="applied" if self.author == OWNER or is_harmless else "proposed",
            topic="line",
            answer=answer.answer,
            entries=(),
            wordings=(line.wording_hash,),
            text=redact(answer.text or line.text).text,
            category=category,
            reason=answer.item,
        )

    def accept(self, proposal: Verdict) -> Verdict | Refusal:
        """Apply a proposal that the owner accepts, unless its entries have changed since."""
        if proposal.answer == "page":
            return self._apply_accepted(proposal)
        entries = self.tx.find(proposal.entries)
        wordings = {id_: wording_hash_of(entry) for id_, entry in entries.items()}
        proposed_wordings = dict(zip(proposal.entries, proposal.wordings, strict=False))
        inactive = [entry.id for entry in entries.values() if entry.archived or entry.superseded_by]
        if inactive or wordings != proposed_wordings:
            name = next(iter(inactive), None) or proposal.entries[0]
            return Refusal(
                name, f"{name} has changed since the proposal was made; the proposal stays open"
            )
        line = self.file_lines.get(proposal.reason or "")
        if proposal.topic == "line" and (
            line is None or line.wording_hash not in proposal.wordings
        ):
            return Refusal(proposal.reason or "", "the line has changed; the proposal stays open")
        return self._apply_accepted(proposal)

    def _apply_accepted(self, proposal: Verdict) -> Verdict:
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
        raise InvalidInput(f"there is no item {quoted(item)}")

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
            raise InvalidInput(f"there is no item {quoted(item)}")
        entries = [found[id_] for id_ in ids]
        if any(entry.archived or entry.superseded_by for entry in entries):
            raise InvalidInput(f"{item} has already been archived or replaced")
        if sign:
            return pairs[sign], entries
        return ("review" if entries[0].trust == "untrusted" else "index"), entries

    def _check(self, answer: GivenAnswer, topic: Topic, entries: Sequence[Entry]) -> None:
        _check_answer(answer, topic)
        if any(entry.trust == "untrusted" for entry in entries) != (topic == "review"):
            raise InvalidInput(
                f"{answer.item} contains an entry that is waiting for review; "
                "review that entry first"
            )
        if answer.into is not None and answer.into not in [entry.id for entry in entries]:
            raise InvalidInput(f"into {quoted(answer.into)} is not one of the two entries")
        if answer.text is not None:
            about = [part for entry in entries for part in _words_around(entry)]
            shorter = answer.answer == "reword" and topic == "index"
            self._check_text(answer, [entry.content for entry in entries], about, shorter=shorter)

    def _check_text(
        self, answer: GivenAnswer, contents: Sequence[str], context: Sequence[str], *, shorter: bool
    ) -> None:
        """Raise InvalidInput for a new text that its sources do not support."""
        if answer.answer not in ("reword", "merge"):
            raise InvalidInput(f"{answer.answer} takes no text")
        text = answer.text or ""
        if overrides_instructions(text):
            raise InvalidInput("the text tells an agent to ignore its instructions")
        sources, headings = [*contents], [*context]
        for item in answer.merged_items:
            if line := self.file_lines.get(item):
                sources.append(line.text)
                headings += line.headings
            else:
                topic, entries = self._topic_and_entries(self._split_item(item)[0])
                if topic != "index":
                    raise InvalidInput(f"{item} is not a line of the index, nor left out of it")
                sources += [entry.content for entry in entries]
                headings += [part for entry in entries for part in _words_around(entry)]
        if reason := why_unsupported(text, sources, headings, may_shorten=shorter):
            raise InvalidInput(f"the text is not supported by its source: {reason}")

    def _verdict(self, answer: GivenAnswer, topic: Topic, entries: Sequence[Entry]) -> Verdict:
        """Return the verdict; the entry that is dropped, or else the one that stays, is first."""
        if len(entries) == 2 and answer.answer != "page":
            first, other = entries
            kept_entry = other if answer.into == other.id else first
            dropped = first if kept_entry is other else other
            entries = [dropped, kept_entry] if answer.answer == "drop" else [kept_entry, dropped]
        return Verdict(
            number=0,
            at=self.now,
            author=self.author,
            state=self._state(topic, entries),
            topic=topic,
            answer=answer.answer,
            entries=tuple(entry.id for entry in entries),
            wordings=tuple(map(wording_hash_of, entries)),
            text=redact(answer.text).text if answer.text else None,
            category=answer.category,
            reason=redact(answer.why).text if answer.why else None,
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
            return self._store_line(verdict) if verdict.answer != "drop" else verdict
        before = {id_: entry.version for id_, entry in self.tx.find(verdict.entries).items()}
        self._apply_to_entries(verdict)
        after = {id_: entry.version for id_, entry in self.tx.find(verdict.entries).items()}
        changed = {id_: (old, after[id_]) for id_, old in before.items() if after[id_] != old}
        return replace(verdict, versions=changed)

    def _store_line(self, verdict: Verdict) -> Verdict:
        """Store the line of a verdict, with the trust of its author."""
        line = self.file_lines[verdict.reason or ""]
        memory = Memory(
            category=verdict.category or "fact",
            content=line.text,
            source="curation",
            origin=Origin(line.path, line.line),
        )
        draft = make_draft(memory, "owner" if self.author == OWNER else "agent", self.now)
        receipt = store_operation(draft, self.now, self.deps)(self.tx)
        new = {} if receipt.deduplicated else {receipt.id: (0, receipt.version)}
        stored = wording_hash_of(self.tx.find([receipt.id])[receipt.id])
        wordings = tuple(dict.fromkeys((*verdict.wordings, stored)))
        return replace(verdict, entries=(receipt.id,), wordings=wordings, versions=new)

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


def _check_answer(answer: GivenAnswer, topic: Topic) -> None:
    allowed = ANSWERS_BY_TOPIC[topic]
    if answer.answer not in allowed:
        raise InvalidInput(
            f"{answer.answer} is not a valid answer here; use one of: {', '.join(allowed)}"
        )


def _keeps_proposal(verdict: Verdict, earlier: Verdict) -> bool:
    """Return whether an earlier proposal about the same line stays open after a verdict."""
    if verdict.answer == "keep":
        return verdict.topic == "index" or earlier.answer in ("pin", "reword")
    return verdict.answer == "pin" and earlier.answer == "reword"


def _words_around(entry: Entry) -> Iterator[str]:
    """Yield the headings and tags of an entry, whose words a new text may use."""
    yield from headings_in(entry.context)
    yield from entry.tags


def _change(verdict: Verdict) -> str:
    return f"curated by {verdict.author}: {verdict.answer}"
