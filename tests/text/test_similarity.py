"""Texts that are the same, extend each other or are similar are found by their fingerprints."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from remem.text.similarity import SIMILAR, Fingerprint, fingerprint_of, jaccard, relation, sentences
from tests.mutants.similarity import too_few_parts
from tests.tables import each_row

WORDS = st.lists(st.text("abcdefghij", min_size=1, max_size=6), min_size=1, max_size=40)
TEXTS = st.one_of(
    st.text(max_size=80),
    WORDS.map(" ".join),
    st.lists(WORDS.map(" ".join), max_size=5).map(". ".join),
)


@st.composite
def near_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and the same with about a tenth of its words changed."""
    one = draw(WORDS)
    other = list(one)
    for _ in range(draw(st.integers(0, 1 + len(one) // 8))):
        other[draw(st.integers(0, len(other) - 1))] = draw(st.text("klm", min_size=1, max_size=6))
    return " ".join(one), " ".join(draw(st.permutations(other)))


def could_meet(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether a store that follows the fingerprints proposes the pair."""
    shared = set(one.lookup_parts) & set(other.parts)
    return bool(shared) and one.may_be_similar(other.size, other.sketch)


@given(near_pairs())
def test_similar_texts_always_meet(pair: tuple[str, str]) -> None:
    assume(jaccard(*pair) >= SIMILAR)

    assert could_meet(fingerprint_of(pair[0]), fingerprint_of(pair[1]))


def test_texts_that_are_just_similar_enough_meet() -> None:
    for size in (*range(1, 41), 100, 299):
        for missing in range(size):
            left = {f"w{i:03}" for i in range(size)}
            right = {f"w{i:03}" for i in range(missing, size)}
            if len(right) / len(left) >= SIMILAR:
                one, other = (fingerprint_of(" ".join(words)) for words in (left, right))
                assert could_meet(one, other)
                assert could_meet(other, one)


def test_one_part_too_few_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many parts as words may differ, there may be a difference in each."""

    pairs = [(f"{i} b c d e", "b c d e") for i in range(20)]
    assert all(jaccard(*pair) >= SIMILAR for pair in pairs)
    assert all(could_meet(*map(fingerprint_of, pair)) for pair in pairs)
    too_few_parts(monkeypatch)
    assert not all(could_meet(*map(fingerprint_of, pair)) for pair in pairs)


def test_texts_that_share_only_a_part_are_ruled_out_without_reading_them() -> None:
    one, other = (fingerprint_of(f"number {i} of {i} machines") for i in (7, 8))
    shared = one._replace(lookup_parts=other.parts)

    assert not could_meet(shared, other)


def test_texts_with_a_word_in_common_do_not_meet() -> None:
    """However many memories hold a word: only what is nearly the same is looked at."""
    fingerprint = fingerprint_of("The printer in the hall on the second floor needs new toner")
    others = [f"The printer number {i} is what {i * 7} people ask about" for i in range(200)]

    assert not any(
        set(fingerprint.lookup_parts) & set(fingerprint_of(text).parts) for text in others
    )


@given(TEXTS, TEXTS)
def test_extended_texts_are_found_by_their_longest_sentence(old: str, more: str) -> None:
    new = f"{old}\n{more}"
    assume(sentences(old) and relation(new, old) == "extends")

    assert fingerprint_of(old).longest in fingerprint_of(new).sentences


@given(TEXTS)
def test_texts_that_fold_alike_have_the_same_hash(text: str) -> None:
    again = f" {text.swapcase()} "
    assume(relation(again, text) == "same")

    assert fingerprint_of(again).same == fingerprint_of(text).same


@given(TEXTS)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert relation(text, text) == "same"


@each_row(
    ("new", "old", "expected"),
    [
        ("David likes  BLACK coffee.", "David likes black coffee.", "same"),
        ("David likes tea. Only green.", "David likes tea.", "extends"),
        ("Only green. David likes tea.", "David likes tea.", "extends"),
        ("David likes tea, mostly.", "David likes tea.", "different"),
        ("David likes tea.", "David likes tea. Only green.", "different"),
        ("a b c d e f g h i x", "a b c d e f g h i", "similar"),
        ("a b c d e f g h x y", "a b c d e f g h i", "different"),
        ("他喜欢茶。只喝绿茶。", "他喜欢茶。", "extends"),
        ("first line\nsecond line", "first line", "extends"),
        ("!", "?", "different"),
    ],
)
def test_the_relation_of_a_new_text_to_a_known_one(new: str, old: str, expected: str) -> None:
    assert relation(new, old) == expected


def test_no_word_of_an_extended_text_is_lost() -> None:
    """A changed sentence is no extension, however small the change."""
    assert relation("David likes teas. Only green.", "David likes tea.") == "different"


def test_numbers_are_the_same_on_every_machine() -> None:
    one = fingerprint_of("David likes tea.")

    assert (one.same, one.longest) == (-8984561582962644421, -7181052908700433776)
    assert one.size == 3
    assert 0 <= min(one.lookup_parts) <= max(one.lookup_parts) < 2**63
    assert set(one.parts) <= set(one.lookup_parts)
    assert 0 <= one.sketch < 2**63


def test_a_text_without_words_has_no_parts() -> None:
    assert fingerprint_of("!?").parts == fingerprint_of("!?").lookup_parts == ()
    assert fingerprint_of("").size == 0
    assert jaccard("", "!") == 0.0


def test_the_quick_check_admits_exactly_what_the_share_of_words_allows() -> None:
    """In whole numbers, so that no rounding decides."""
    one = fingerprint_of(" ".join(f"w{number}" for number in range(40)))
    for size in range(20, 80):
        for differing in range(20):
            sketch = one.sketch ^ ((1 << differing) - 1)
            allowed = differing * (1 + SIMILAR) <= (one.size + size) * (1 - SIMILAR) + 1e-6
            assert one.may_be_similar(size, sketch) == allowed
