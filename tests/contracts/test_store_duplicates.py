"""What every store must recognise: that a new text repeats, extends or resembles an old one."""

from __future__ import annotations

from remem.ports.entries import Store
from remem.ports.records import Where
from remem.text.similarity import fingerprint_of
from tests.store.sqlite.sample import NOW, entry, put, revise


def test_duplicates_are_current_and_of_the_same_category_and_trust(store: Store) -> None:
    text = "David drinks his coffee black, without sugar, every single morning at eight."
    same = put(store, entry(text))
    put(store, entry(text, category="insight"), entry(text, trust="owner"))
    put(store, entry(text, archived=True), entry(text, superseded_by=same.id))
    longer = fingerprint_of(f"{text} Tea is for the evening.")
    similar = fingerprint_of(text.replace("eight", "nine"))

    with store.read() as snapshot:
        for how, fingerprint in (
            ("same", fingerprint_of(text.upper())),
            ("part", longer),
            ("similar", similar),
        ):
            assert snapshot.duplicates(how, "fact", "agent", fingerprint) == [same]
            assert snapshot.duplicates(how, "person", "agent", fingerprint) == []


def test_duplicate_lookups_follow_the_wording(store: Store) -> None:
    old, new = "The printer stands in the hall.", "The printer went to the cellar."
    kept = put(store, entry(old))
    changed = revise(store, kept.id, content=new)

    with store.read() as snapshot:
        for how in ("same", "part", "similar"):
            assert snapshot.duplicates(how, "fact", "agent", fingerprint_of(old)) == []
            assert snapshot.duplicates(how, "fact", "agent", fingerprint_of(new)) == [changed]


def test_a_similar_entry_is_found_among_many_that_share_a_word(store: Store) -> None:
    put(store, *(entry(f"Configuration number {i} of machine {i * 7}") for i in range(300)))
    kept = put(store, entry("Configuration of the old printer in the hall by the door"))
    put(store, *(entry(f"Configuration part {i} of engine {i * 3}") for i in range(150)))
    fingerprint = fingerprint_of("Configuration of the new printer in the hall by the door")

    with store.read() as snapshot:
        assert kept in snapshot.duplicates("similar", "fact", "agent", fingerprint)


def test_a_text_extends_entries_that_it_contains_unchanged(store: Store) -> None:
    old = put(store, entry("1. Buy tea. 2. Call Ada about the boat."))
    put(store, *(entry(f"1. Something else entirely, number {i}.") for i in range(50)))
    fingerprint = fingerprint_of("2. Call Ada about the boat. 3. Sleep. 1. Buy tea.")

    with store.read() as snapshot:
        assert snapshot.duplicates("part", "fact", "agent", fingerprint) == [old]


def test_earlier_wordings_of_current_entries_are_found(store: Store) -> None:
    old = "The printer stands in the hall."
    kept = put(store, entry(old))
    changed = revise(store, kept.id, content=f"{old} It is out of ink.")

    with store.read() as snapshot:
        before = snapshot.duplicates("former", "fact", "agent", fingerprint_of(old.upper()))
        assert before == [changed]
        assert snapshot.duplicates("former", "fact", "owner", fingerprint_of(old)) == []
    revise(store, kept.id, archived=True)
    with store.read() as snapshot:
        assert snapshot.duplicates("former", "fact", "agent", fingerprint_of(old)) == []


def test_a_faded_entry_with_the_same_words_is_found(store: Store) -> None:
    said = "The printer stands in the hall."
    kept = put(store, entry(said))
    faded = revise(store, kept.id, archived=True, archive_reason="faded")
    put(store, entry(said, archived=True))

    with store.read() as snapshot:
        assert snapshot.duplicates("faded", "fact", "agent", fingerprint_of(said)) == [faded]
        assert snapshot.duplicates("same", "fact", "agent", fingerprint_of(said)) == []


def test_a_text_that_was_ever_stored_is_not_new(store: Store) -> None:
    said, earlier = "The printer stands in the hall.", "The scanner is broken."
    kept = put(store, entry(said))
    revise(store, put(store, entry(earlier)).id, content="The scanner is mended.")
    gone = put(store, entry("Words that the owner erased."))
    store.write(lambda tx: tx.erase(gone.id, NOW))

    with store.read() as snapshot:
        assert snapshot.is_new_text("mem-free", fingerprint_of("Something else."))
        assert not snapshot.is_new_text(kept.id, fingerprint_of("Something else."))
        assert not snapshot.is_new_text(gone.id, fingerprint_of("Something else."))
        for known in (said.upper(), earlier, gone.content, f"Hear, hear! {said}"):
            assert not snapshot.is_new_text("mem-free", fingerprint_of(known)), known


def test_present_and_earlier_wordings_are_found_by_their_hash(store: Store) -> None:
    said = "The printer stands in the hall."
    now, once = put(store, entry(said)), put(store, entry(said.upper(), category="insight"))
    revise(store, once.id, content="The printer is gone.")
    revise(store, now.id, archived=True)
    put(store, entry("Something else."))

    with store.read() as snapshot:
        worded = snapshot.select(Where(state="any", wording_hash=fingerprint_of(said).same))
        assert [match.id for match in worded] == [now.id, once.id]
        never = Where(state="any", wording_hash=fingerprint_of("Never said.").same)
        assert snapshot.select(never) == []


def test_a_text_of_very_many_sentences_is_never_called_new(store: Store) -> None:
    """That it is no news for sure is all that this must never miss."""
    kept = put(store, entry("Call Ada about the boat."))
    long = fingerprint_of(" ".join(f"Point {i}." for i in range(40)) + f" {kept.content}")

    with store.read() as snapshot:
        assert not snapshot.is_new_text("mem-free", long)
        assert snapshot.duplicates("part", "fact", "agent", long) == [kept]
