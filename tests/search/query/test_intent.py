"""Whether a question asks for what an assistant said."""

from __future__ import annotations

from remem.search.query.intent import asked_source
from tests.tables import each_row


@each_row(
    "text",
    [
        "Which restaurant did you recommend?",
        "Remind me what you said about tyres.",
        "Which of the tyres you've mentioned last longest?",
        "What was your advice on the roof?",
        "Was hast du mir für den Garten empfohlen?",
        "Welche Bücher hattest du genannt? Du hast drei Bücher aufgelistet.",
        "Quel hôtel m'as-tu conseillé ?",
        "¿Qué libro me recomendaste?",
        "Que livro você recomendou?",
        "Какую книгу ты посоветовал?",
        "你上次推荐了哪家餐厅？",
        "你说过什么？",
        "おすすめしてくれた本は？",
    ],
)
def test_questions_about_the_assistants_words_are_recognised(text: str) -> None:
    assert asked_source(text) == "assistant"


@each_row(
    "text",
    [
        "In our previous conversation there was a list of books.",
        "Our conversation about tyres ended with a table.",
        "Which books came up in our last chats?",
        "Can you remind me how long the bread should rise?",
    ],
)
def test_questions_about_a_conversation_leave_open_who_spoke(text: str) -> None:
    assert asked_source(text) in ("conversation", None)
    assert asked_source(text) != "assistant"


@each_row(
    "text",
    [
        "Which restaurant did I like?",
        "Which tyres would you suggest for the winter?",
        "Can you recommend a book I might like?",
        "Could you explain step by step how bread rises?",
        "How many AI tools have I mentioned?",
        "In which order did I bring up the repairs throughout our conversations?",
        "Sum up how my garden has changed over our chats.",
        "What did I tell you about the roof?",
        "Was empfiehlst du für den Garten?",
        "你推荐哪家餐厅？",
    ],
)
def test_other_questions_are_not_about_the_assistants_words(text: str) -> None:
    assert asked_source(text) is None
