import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from remem.files.domain_file.details import END_LINE, OPENING, Form, details_block
from remem.files.domain_file.document import DomainDocument
from remem.files.domain_file.format import details_of, item_digest, render_item
from remem.files.domain_file.merge import (
    AddedBullet,
    ChangedBullet,
    HandEdit,
    MergeResult,
    RemovedBullet,
    merge,
)
from remem.files.domain_file.metadata_lines import write_lines
from remem.files.domain_file.parse import parse
from remem.model.entry import Entry
from tests.tables import each_row
from tests.tiers import examples

AT = "2026-11-15T22:17:13Z"
HOME = "preferences"
TEA = Entry("mem-aaaaaaaa", "preference", "David likes tea", AT, AT)
COFFEE = Entry("mem-bbbbbbbb", "preference", "David likes coffee\nin the morning", AT, AT)
COCOA = Entry("mem-cccccccc", "preference", "David likes cocoa ", AT, AT, tags=("sweet",))
LATER = "2026-12-24T18:00:00Z"


def detail_lines(*entries: Entry) -> list[str]:
    return write_lines({entry.id: details_of(entry, HOME) for entry in entries})


def details(*entries: Entry) -> str:
    return details_block(detail_lines(*entries), "\n")


def written(*entries: Entry) -> MergeResult:
    """A file as we write it, with what we remember of it."""
    return merge(None, {}, entries, HOME)


def edited(
    before: MergeResult, old: str, new: str, *wanted: Entry, absorbed: dict[str, str] | None = None
) -> MergeResult:
    assert old in before.text
    current = parse(before.text.replace(old, new))
    return merge(current, before.items, wanted, HOME, absorbed=absorbed or {})


def test_a_missing_file_is_recreated_and_nothing_counts_as_removed() -> None:
    first = merge(None, {TEA.id: "an old digest"}, [TEA, COFFEE], HOME)

    assert first.edits == ()
    assert first.text == (
        f"# Preferences\n\n{render_item(TEA, HOME)}{render_item(COFFEE, HOME)}\n"
        f"{details(TEA, COFFEE)}"
    )


@each_row("blank", ["", "\n", " \r\n\t", "\ufeff"])
def test_a_file_that_was_emptied_is_a_missing_file(blank: str) -> None:
    before = written(TEA)

    assert merge(parse(blank), before.items, [TEA], HOME) == before


def test_an_unchanged_file_has_no_edits() -> None:
    before = written(TEA, COFFEE, COCOA)

    assert merge(parse(before.text), before.items, [TEA, COFFEE, COCOA], HOME) == before


def test_a_changed_bullet_is_a_change() -> None:
    after = edited(written(TEA), "likes tea", "loves tea", TEA)

    (change,) = after.edits
    assert isinstance(change, ChangedBullet)
    assert (change.id, change.content) == (TEA.id, "David loves tea")
    assert change.meta is not None
    assert change.meta.created == AT
    assert "David loves tea" in after.text
    assert "David likes tea" not in after.text


def test_changed_details_are_a_change() -> None:
    after = edited(written(TEA), '{"created"', '{"priority":"high","created"', TEA)

    (change,) = after.edits
    assert isinstance(change, ChangedBullet)
    assert change.meta is not None
    assert (change.content, change.meta.priority) == (TEA.content, "high")


def test_a_change_that_is_stored_already_is_not_an_edit() -> None:
    """Killed between storing an edit and writing the file: the edit is not stored twice."""
    stored = replace(TEA, content="David loves tea", updated_at=LATER, version=2)

    after = edited(written(TEA), "likes tea", "loves tea", stored)

    assert after.edits == ()
    assert render_item(stored, HOME) in after.text


def test_broken_details_are_a_change_without_new_metadata() -> None:
    after = edited(written(TEA), '{"created"', '{"created', TEA)

    (change,) = after.edits
    assert isinstance(change, ChangedBullet)
    assert (change.content, change.meta) == (TEA.content, None)
    settled = edited(written(TEA), '{"created"', '{"created', TEA, absorbed={change.digest: TEA.id})
    assert settled == written(TEA)


def test_details_that_were_deleted_come_back() -> None:
    before = written(TEA, COCOA)

    for text in (
        before.text.replace(details(TEA, COCOA), ""),
        before.text.replace(f"{detail_lines(COCOA)[0]}\n", ""),
        before.text.replace(f"{OPENING}\n", ""),
    ):
        assert merge(parse(text), before.items, [TEA, COCOA], HOME) == before


def test_a_new_bullet_is_added_and_then_gets_its_id_in_place() -> None:
    before = written(TEA, COFFEE)
    bullet = "- David hates noise\n"
    after = edited(before, "- David likes coffee", f"{bullet}- David likes coffee", TEA, COFFEE)
    (addition,) = after.edits
    assert isinstance(addition, AddedBullet)
    assert (addition.content, addition.meta) == ("David hates noise", None)
    assert bullet in after.text

    stored = Entry("mem-dddddddd", "preference", "David hates noise", LATER, LATER)
    settled = merge(parse(after.text), before.items, [TEA, COFFEE, stored], HOME)

    assert settled.edits == ()
    assert settled.text == before.text.replace(
        "- David likes coffee", f"{render_item(stored, HOME)}- David likes coffee"
    ).replace(END_LINE, f"{detail_lines(stored)[0]}\n{END_LINE}")


def test_a_new_bullet_that_was_stored_in_other_words_or_elsewhere_is_settled_too() -> None:
    before = written(TEA)
    after = edited(before, OPENING, f"- my key is 1234\n\n{OPENING}", TEA)
    (addition,) = after.edits
    assert isinstance(addition, AddedBullet)
    redacted = replace(COFFEE, content="my key is [redacted]")
    absorbed = {addition.digest: redacted.id}

    here = merge(parse(after.text), before.items, [TEA, redacted], HOME, absorbed=absorbed)
    elsewhere = merge(parse(after.text), before.items, [TEA], HOME, absorbed=absorbed)

    assert here.edits == elsewhere.edits == ()
    assert "1234" not in here.text + elsewhere.text
    assert render_item(redacted, HOME) in here.text


def test_a_removed_bullet_is_removed() -> None:
    after = edited(written(TEA, COFFEE), render_item(TEA, HOME), "", TEA, COFFEE)

    assert after.edits == (RemovedBullet(TEA.id),)
    assert "tea" not in after.text
    assert edited(written(TEA, COFFEE), render_item(TEA, HOME), "", COFFEE).edits == ()


def test_a_bullet_without_words_is_removed() -> None:
    before = written(TEA, COFFEE)

    assert edited(before, "David likes tea ", "", TEA, COFFEE).edits == (RemovedBullet(TEA.id),)
    assert TEA.id not in edited(before, "David likes tea ", "", COFFEE).text
    without_end = parse(before.text.replace("David likes tea ", "").replace(END_LINE, ""))
    assert merge(without_end, before.items, [TEA, COFFEE], HOME).edits == ()


def test_a_file_that_is_cut_off_anywhere_loses_and_invents_nothing() -> None:
    before = written(TEA, COFFEE, COCOA)
    wanted = [TEA, COFFEE, COCOA]
    for size in range(before.text.rindex(END_LINE) + len(END_LINE)):
        after = merge(parse(before.text[:size]), before.items, wanted, HOME)
        assert after.edits == (), before.text[:size]
        again = parse(after.text)
        assert again.complete
        assert {item.id for item in again.items} >= {entry.id for entry in wanted}


def test_a_version_that_archives_from_a_half_saved_file_would_be_caught() -> None:
    before = written(TEA, COFFEE)
    half_saved = before.text[: before.text.index("- David likes coffee")]

    careless = merge(parse(half_saved + details()), before.items, [TEA, COFFEE], HOME)

    assert careless.edits == (RemovedBullet(COFFEE.id),)
    assert merge(parse(half_saved), before.items, [TEA, COFFEE], HOME).edits == ()


def test_an_entry_that_left_the_file_takes_its_unchanged_bullet_along() -> None:
    before = written(TEA, COFFEE)

    after = merge(parse(before.text), before.items, [COFFEE], HOME)

    assert after == written(COFFEE)


def test_an_edit_of_a_bullet_whose_entry_left_is_still_an_edit() -> None:
    after = edited(written(TEA, COFFEE), "likes tea", "loves tea", COFFEE)

    (change,) = after.edits
    assert isinstance(change, ChangedBullet)
    assert change.id == TEA.id
    assert "David loves tea" in after.text


@each_row("form", ["new", "old"])
def test_an_item_that_we_never_wrote_here_is_an_edit_until_it_is_absorbed(form: Form) -> None:
    before = written(TEA)
    pasted = parse(before.text.replace(OPENING, render_item(COFFEE, "facts", form) + OPENING))

    (change,) = merge(pasted, before.items, [TEA], HOME).edits
    assert isinstance(change, ChangedBullet)
    assert change.id == COFFEE.id
    settled = merge(pasted, before.items, [TEA], HOME, absorbed={change.digest: COFFEE.id})
    assert settled.edits == ()
    assert "coffee" not in settled.text


def test_a_copy_of_a_bullet_is_dropped_and_an_edited_copy_is_a_new_memory() -> None:
    tea = render_item(TEA, HOME)
    before = written(TEA)

    assert edited(before, tea, tea + tea, TEA) == before
    for twins in (tea + tea.replace("tea", "rum"), tea.replace("tea", "rum") + tea):
        (addition,) = edited(before, tea, twins, TEA).edits
        assert isinstance(addition, AddedBullet)
        assert addition.content == "David likes rum"


def test_two_edited_copies_are_a_change_and_an_addition() -> None:
    tea = render_item(TEA, HOME)

    edits = edited(
        written(TEA), tea, tea.replace("tea", "rum") + tea.replace("tea", "gin"), TEA
    ).edits

    assert [type(edit) for edit in edits] == [ChangedBullet, AddedBullet]


def test_ids_that_a_tool_has_stripped_come_back() -> None:
    before = written(TEA, COFFEE, COCOA)

    bare = parse(re.sub(r" *\^mem-\w+", "", before.text))

    assert merge(bare, before.items, [TEA, COFFEE, COCOA], HOME) == before


def test_prose_stays_where_it_is_while_items_come_and_go() -> None:
    body = (
        "\ufeff---\ntitle: mine\n---\n# My drinks\n\nA word before.\n"
        f"{render_item(TEA, HOME)}> between\n\n{render_item(COFFEE, HOME)}\n## Later\n\n"
        "1. one\n"
    )
    moved = replace(TEA, content="David likes green tea", updated_at=LATER)
    current = parse(f"{body}\n{details(TEA, COFFEE)}")

    after = merge(current, {COFFEE.id: item_digest(COFFEE, HOME)}, [TEA, COCOA], HOME)
    again = merge(parse(after.text), after.items, [moved], HOME)

    assert after.edits == again.edits == ()
    kept = body.replace(render_item(COFFEE, HOME), render_item(COCOA, HOME))
    assert after.text == f"{kept}\n{details(TEA, COCOA)}"
    left = kept.replace(render_item(COCOA, HOME), "")
    assert again.text == (
        f"{left.replace(render_item(TEA, HOME), render_item(moved, HOME))}\n{details(moved)}"
    )


@each_row(
    "theirs", ["Below the line.", "  indented below", "# Heading", "1. one", "```\ncode\n```"]
)
def test_what_a_person_writes_in_or_below_the_details_is_kept_above_them(theirs: str) -> None:
    before = written(TEA)
    for place in ("", END_LINE, "mem-"):
        text = (
            before.text.replace(place, f"{theirs}\n{place}")
            if place == END_LINE
            else (
                before.text.replace("\nmem-", f"\n{theirs}\nmem-")
                if place
                else before.text + theirs
            )
        )

        after = merge(parse(text), before.items, [TEA, COFFEE], HOME)

        assert after.edits == ()
        assert theirs.strip() in after.text
        assert after.text.endswith(details(TEA, COFFEE))
        assert [item.id for item in parse(after.text).items] == [TEA.id, COFFEE.id]
        again = merge(parse(after.text), after.items, [TEA, COFFEE], HOME)
        assert again.text == after.text


def test_a_file_whose_items_come_and_go_does_not_grow() -> None:
    texts = []
    current = written()
    for wanted in [[TEA], [], [TEA, COFFEE], [], [COFFEE], []] * 3:
        current = merge(parse(current.text), current.items, wanted, HOME)
        texts.append(current.text)

    assert texts[-6:] == texts[6:12]
    assert len(set(texts[6:])) <= 4


def test_new_items_use_the_line_breaks_of_the_file() -> None:
    before = written(TEA)

    after = merge(parse(before.text.replace("\n", "\r\n")), before.items, [TEA, COFFEE], HOME)

    assert after.edits == ()
    assert after.text == written(TEA, COFFEE).text.replace("\n", "\r\n")


def test_items_that_a_person_nested_are_no_edits_and_lie_flat_again() -> None:
    before = written(TEA, COFFEE)
    nested = "".join(f"    {line}\n" for line in render_item(COFFEE, HOME).splitlines())

    assert edited(before, render_item(COFFEE, HOME), nested, TEA, COFFEE) == before


WORDS = ["tea", "coffee", "noise\nat night", "trailing ", "<!-- x -->", "a\n\n- b", "```\nc\n```"]
CONTENTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@st.composite
def generations(draw: st.DrawFn) -> list[list[Entry]]:
    """What the store wants in the file, at several moments."""
    ids = [f"mem-{letter * 8}" for letter in "abcde"]
    return [
        [
            Entry(id_, "preference", draw(CONTENTS), AT, draw(st.sampled_from([AT, LATER])))
            for id_ in draw(st.lists(st.sampled_from(ids), unique=True))
        ]
        for _ in range(4)
    ]


@settings(deadline=None)
@given(generations())
def test_no_edit_is_invented_after_our_own_writes(wants: list[list[Entry]]) -> None:
    last = merge(None, {}, [], HOME)
    for wanted in wants:
        older = last.items
        last = merge(parse(last.text), last.items, wanted, HOME)
        assert last.edits == ()
        assert merge(parse(last.text), last.items, wanted, HOME) == last
        # Killed after the file was written, before that was noted down.
        assert merge(parse(last.text), older, wanted, HOME) == last


def insert(lines: list[str], at: int, word: str) -> None:
    lines.insert(at, word)


def insert_bullet(lines: list[str], at: int, word: str) -> None:
    lines.insert(at, f"- new {word}")


def insert_heading(lines: list[str], at: int, word: str) -> None:
    lines.insert(at, f"# head {word}")


def insert_below(lines: list[str], at: int, word: str) -> None:
    lines.insert(at, f"  below {word}")


def insert_opening(lines: list[str], at: int, word: str) -> None:
    lines.insert(at, f"```{word}")


def insert_comment(lines: list[str], at: int, word: str) -> None:
    lines.insert(at, f"<!-- {word}")


def change(lines: list[str], at: int, word: str) -> None:
    if not lines[at].lstrip().startswith("mem-"):  # the exact text in the details is restored
        lines[at] = lines[at].replace("David", f"David {word}")


def change_the_comment(lines: list[str], at: int, word: str) -> None:
    lines[at] = lines[at].replace('{"created"', f'{{"tags":["{word}"],"created"')


def copy(lines: list[str], at: int, word: str) -> None:
    if not lines[at].lstrip().startswith("mem-"):
        lines.insert(at, lines[at].replace("David", f"David {word}"))


def delete(lines: list[str], at: int, word: str) -> None:
    del lines[at]


def indent(lines: list[str], at: int, word: str) -> None:
    lines[at] = "    " + lines[at]


def delete_details(lines: list[str], at: int, word: str) -> None:
    kept = "\n".join(lines).replace(details(TEA, COFFEE, COCOA), "")
    lines[:] = kept.split("\n")


def join_files(lines: list[str], at: int, word: str) -> None:
    for at in range(len(lines)):
        lines.append(lines[at])
        change(lines, len(lines) - 1, word)


def retype(lines: list[str], at: int, word: str) -> None:
    lines[at] = f"- retyped {word}" if lines[at].startswith("- ") else lines[at]


def unmark(lines: list[str], at: int, word: str) -> None:
    lines[at] = re.sub(r" \^mem-\w+$", "", lines[at])


def move(lines: list[str], at: int, word: str) -> None:
    lines.append(lines.pop(at))


EDITS = st.sampled_from(
    [insert, insert_bullet, insert_heading, insert_below, insert_opening, insert_comment, change,
     change_the_comment, copy, delete, delete_details, join_files,
     retype, indent, unmark, move]
)  # fmt: skip


@dataclass
class Store:
    """The least that a caller does with edits."""

    entries: dict[str, Entry]
    history: list[str] = field(default_factory=list)
    absorbed: dict[str, str] = field(default_factory=dict)

    def absorb(self, edit: HandEdit, document: DomainDocument) -> None:
        if isinstance(edit, RemovedBullet):
            self.history.append(self.entries.pop(edit.id).content)
            return
        id_ = edit.id if isinstance(edit, ChangedBullet) else f"mem-{len(self.history) + 1:08d}"
        old = self.entries.get(id_, replace(TEA, id=id_, content=""))
        tags = edit.meta.tags if edit.meta else old.tags
        self.history.append(old.content)
        if edit.meta is None:  # the details are gone or broken: what was stored is kept as it was
            self.history += [item.raw for item in document.items if item.digest == edit.digest]
        self.entries[id_] = replace(old, content=edit.content, tags=tags, updated_at=LATER)
        self.absorbed[edit.digest] = id_

    def said(self) -> str:
        tags = [tag for entry in self.entries.values() for tag in entry.tags]
        return "\n".join([*(e.content for e in self.entries.values()), *self.history, *tags])


@settings(deadline=None, max_examples=examples(300))
@given(st.lists(st.tuples(EDITS, st.integers(0, 30)), max_size=6), st.sampled_from("\n\r"))
def test_whatever_a_person_does_no_word_is_lost_and_the_file_comes_to_rest(
    script: list[tuple[Callable[[list[str], int, str], None], int]], newline: str
) -> None:
    first = written(TEA, COFFEE, COCOA)
    lines = first.text.split("\n")
    for number, (edit, at) in enumerate(script):
        edit(lines, at % len(lines), f"word{number}")
    text = newline.join(lines)
    theirs = set(re.findall(r"word\d", text))
    store = Store({entry.id: entry for entry in (TEA, COFFEE, COCOA)})
    store.history += [detail.raw for detail in parse(text).details if detail.fault]  # reported

    items = first.items
    for _ in range(4):
        wanted = list(store.entries.values())
        result = merge(parse(text), items, wanted, HOME, absorbed=store.absorbed)
        for edit_ in result.edits:
            store.absorb(edit_, parse(text))
        assert theirs <= set(re.findall(r"word\d", result.text + store.said()))
        if not result.edits:
            text, items = result.text, result.items

    assert result.edits == ()
    assert result.text == text
    assert merge(parse(text), items, wanted, HOME) == result
    assert sorted(item.id or "" for item in parse(text).items) == sorted(store.entries)
    assert [detail.is_end for detail in parse(text).details][-1:] == [True]
