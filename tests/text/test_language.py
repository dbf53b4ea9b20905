"""The language of a text is recognised by its script and its function words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.text.language import function_words, language_of, most_common_language
from remem.text.words import STEMMER_NAMES
from tests.tables import each_row


@each_row(
    ("language", "text"),
    [
        ("en", "My dog is called Pip"),
        ("en", "The user prefers dark mode in VS Code"),
        ("en", "Remind me what I said about the pharmacy on Rue de la Paix"),
        ("de", "Wo wohnt Anna?"),
        ("de", "Kuchen backen für Omas Geburtstag"),
        ("fr", "Où habite Anne ?"),
        ("fr", "rendez-vous médecin mardi"),
        ("es", "¿Dónde vive Ana?"),
        ("es", "cumpleaños mamá"),
        ("it", "Dove abita Anna?"),
        ("pt", "Qual é o nome do cachorro?"),
        ("nl", "Waar woont Anna?"),
        ("pl", "Gdzie mieszka Anna?"),
        ("sv", "Jag bor inte här längre"),
        ("da", "Jeg bor ikke her mere"),
        ("tr", "Bu kitap çok güzel değil mi"),
        ("ru", "Где живёт Анна?"),
        ("zh", "我的狗叫小白"),
        ("zh", "debug 日志"),
        ("ja", "犬の名前は？"),
        ("ko", "강아지 이름이 뭐야?"),
        ("el", "Πού μένει η Άννα;"),
        ("th", "แมวชื่ออะไร"),
    ],
)
def test_the_language_of_a_short_text_is_recognised(language: str, text: str) -> None:
    assert language_of(text) == language


@each_row(
    "text", ["", "Pip", "kubectl apply -f deploy.yaml", "12:30", "🙂", "привіт, як справи? їжак"]
)
def test_an_unclear_language_is_empty(text: str) -> None:
    assert language_of(text) == ""


def test_an_english_line_with_a_foreign_name_stays_english() -> None:
    assert language_of("We met at Café Schön with the people from Der Spiegel") == "en"


def test_a_chinese_name_does_not_make_an_english_line_chinese() -> None:
    assert (
        language_of("The restaurant that she likes is called 小笼包 and it is on Main Street")
        == "en"
    )


def test_every_stemmed_language_has_function_words() -> None:
    assert STEMMER_NAMES.keys() <= function_words().keys()


@given(st.text(max_size=200))
def test_any_text_has_an_answer(text: str) -> None:
    assert language_of(text) == "" or len(language_of(text)) == 2


@given(st.permutations("no es la casa de un amigo en el de no se a que".split()))
def test_the_order_of_words_does_not_matter(words: list[str]) -> None:
    assert language_of(" ".join(words)) == "es"


def test_most_lines_decide_the_language_of_a_list_however_long_the_others_are() -> None:
    lines = ["Der Zaun ist rot und die Tür ist blau.", "Das Boot liegt im Hafen."] * 3
    long = "The boat is in the harbour and the fence of the garden is red. " * 40

    assert most_common_language([*lines, long, long]) == "de"
    assert most_common_language(["42", "—"]) == ""
