from hypothesis import given
from hypothesis import strategies as st

from remem.text.fingerprints import folded_words
from remem.text.words import fold, words

PLAIN = st.text(st.characters(max_codepoint=127), max_size=40)
ANY = st.text(max_size=40)


@given(st.lists(st.one_of(PLAIN, ANY), max_size=8))
def test_many_texts_are_folded_and_cut_as_each_would_be(texts: list[str]) -> None:
    folded, cut = folded_words(texts)

    assert folded == list(map(fold, texts))
    assert cut == list(map(words, texts))


@given(st.lists(PLAIN.map(lambda text: text.replace("\0", " ")), min_size=1, max_size=8))
def test_plain_texts_alone_are_too(texts: list[str]) -> None:
    folded, cut = folded_words(texts)

    assert folded == list(map(fold, texts))
    assert cut == list(map(words, texts))


def test_a_text_that_holds_the_joint_is_not_taken_for_two() -> None:
    texts = ["one\0two", "three"]

    assert folded_words(texts) == (list(map(fold, texts)), list(map(words, texts)))


def test_spaces_at_the_ends_of_a_text_do_not_reach_the_next() -> None:
    assert folded_words(["  One \t", "", " Two  three\n"])[0] == ["one", "", "two three"]
