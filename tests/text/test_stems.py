"""Words of languages other than English are found in other forms."""

from __future__ import annotations

from remem.text.language import language_of
from remem.text.words import search_terms, search_text, stem_of, stems
from tests.tables import each_row


@each_row(
    ("language", "said", "asked"),
    [
        ("de", "häuser", "haus"),
        ("de", "sicherungen", "sicherung"),
        ("fr", "chevaux", "cheval"),
        ("fr", "préférées", "préféré"),
        ("es", "bicicletas", "bicicleta"),
        ("ru", "велосипеды", "велосипед"),
        ("it", "cucinavano", "cucinare"),
        ("nl", "katten", "kat"),
    ],
)
def test_two_forms_of_a_word_share_a_stem(language: str, said: str, asked: str) -> None:
    def stem(word: str) -> str:
        return next(iter(stems([word], language)), word)

    assert stem(said) == stem(asked)


def test_function_words_and_short_words_have_no_stem() -> None:
    assert stems(["unsere", "rot", "des"], "de") == []


def test_the_stems_follow_the_text_so_that_phrases_stay_whole() -> None:
    assert search_text("Wir haben die Häuser gestrichen") == (
        "Wir haben die Häuser gestrichen haus gestrich"
    )


@each_row("text", ["The houses were painted blue", "kubectl get pods", "我的房子"])
def test_english_and_texts_without_stems_stay_as_they_are(text: str) -> None:
    assert "hous " not in search_text(text)
    assert not text.isascii() or search_text(text) == text


def test_a_question_has_the_stems_of_its_language_without_function_words() -> None:
    question = "Wann haben wir die Häuser gestrichen?"
    terms = search_terms(question)

    assert terms == ["Häuser", "gestrichen"]
    assert [stem_of(term, language_of(question)) for term in terms] == ["haus", "gestrich"]


@each_row(
    ("question", "terms"),
    [
        ("Weshalb darf ich das Fenster nicht öffnen?", ["Fenster", "öffnen"]),
        ("Devo avisar sempre que fecho a janela?", ["avisar", "fecho", "janela"]),
        ("¿Cuántas llaves debe tener nuestra vecina?", ["llaves", "tener", "vecina"]),
        ("Combien de clés doivent toujours rester ?", ["clés", "rester"]),
        ("Почему нужно всегда закрывать окно?", ["закрывать", "окно"]),
    ],
)
def test_question_words_and_modal_verbs_are_not_searched_for(
    question: str, terms: list[str]
) -> None:
    assert search_terms(question) == terms


def test_numbers_pairs_and_english_have_no_stem_of_their_own() -> None:
    assert stem_of("20.04", "de") is None
    assert stem_of("q29483", "de") is None
    assert stem_of("houses", "en") is None
