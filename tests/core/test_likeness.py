from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from remem.core.likeness import SIMILAR, Fingerprint, fingerprint, jaccard, relation, sentences

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
    shared = set(one.rare) & set(other.rare)
    return bool(shared) and one.may_be_similar(other.size, other.sketch)


@given(near_pairs())
def test_similar_texts_always_meet(pair: tuple[str, str]) -> None:
    assume(jaccard(*pair) >= SIMILAR)

    assert could_meet(fingerprint(pair[0]), fingerprint(pair[1]))


def test_texts_that_are_just_similar_enough_meet() -> None:
    for size in (*range(1, 41), 100, 299):
        for missing in range(size):
            left = {f"w{i:03}" for i in range(size)}
            right = {f"w{i:03}" for i in range(missing, size)}
            if len(right) / len(left) >= SIMILAR:
                one, other = (fingerprint(" ".join(each)) for each in (left, right))
                assert could_meet(one, other)
                assert could_meet(other, one)


def test_a_prefix_that_is_one_word_too_short_would_be_caught() -> None:
    one, other = "aaaaa bbbb ccc dd e", "bbbb ccc dd e f"
    assert jaccard("aaaaa bbbb ccc dd e", "bbbb ccc dd e") >= SIMILAR
    prints = [fingerprint(text) for text in (one, "bbbb ccc dd e")]

    assert could_meet(*prints)
    assert not could_meet(replace(prints[0], rare=prints[0].rare[:-1]), prints[1])
    assert jaccard(one, other) < SIMILAR


def test_texts_that_share_only_a_long_word_are_told_apart_without_reading_them() -> None:
    one = fingerprint("Configuration of the printer in the hall on the second floor")
    other = fingerprint("Configuration files live under the home folder of every agent")

    assert set(one.rare) & set(other.rare)
    assert not one.may_be_similar(other.size, other.sketch)


@given(TEXTS, TEXTS)
def test_extended_texts_are_found_by_their_longest_sentence(old: str, more: str) -> None:
    new = f"{old}\n{more}"
    assume(sentences(old) and relation(new, old) == "extends")

    assert fingerprint(old).longest in fingerprint(new).sentences


@given(TEXTS)
def test_texts_that_fold_alike_have_one_mark(text: str) -> None:
    again = f" {text.swapcase()} "
    assume(relation(again, text) == "same")

    assert fingerprint(again).same == fingerprint(text).same


@given(TEXTS)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert relation(text, text) == "same"


@pytest.mark.parametrize(
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
def test_how_a_new_text_stands_to_a_known_one(new: str, old: str, expected: str) -> None:
    assert relation(new, old) == expected


def test_no_word_of_an_extended_text_is_lost() -> None:
    """A changed sentence is no extension, however small the change."""
    assert relation("David likes teas. Only green.", "David likes tea.") == "different"


def test_numbers_are_the_same_on_every_machine() -> None:
    one = fingerprint("David likes tea.")

    assert (one.same, one.longest) == (-8984561582962644421, -7181052908700433776)
    assert one.size == 3
    assert -(2**63) <= min(one.rare) <= max(one.rare) < 2**63
    assert 0 <= one.sketch < 2**63


def test_a_text_without_words_has_no_rare_ones() -> None:
    assert fingerprint("!?").rare == ()
    assert fingerprint("").size == 0
    assert jaccard("", "!") == 0.0
