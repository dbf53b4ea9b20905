"""Whoever asks that something be remembered is heard, in the languages of the rules."""

from __future__ import annotations

import pytest

from remem.extract.conversation import learn
from remem.extract.requests import kept_words
from remem.model.lesson import Utterance
from remem.model.statement import grounded

WANTED = [
    ("Don't forget that the meeting is on Friday.", "the meeting is on Friday."),
    ("Do not forget that the meeting is on Friday.", "the meeting is on Friday."),
    ("Don't forget I'm away in June.", "I'm away in June."),
    ("Please remember that the key is under the pot.", "the key is under the pot."),
    ("Please remember: the key is under the pot.", "the key is under the pot."),
    ("Could you please remember that the key is in the pot?", "the key is in the pot"),
    ("I want you to remember that I am away in June.", "I am away in June."),
    ("Make a note that the landlord comes on Tuesday.", "the landlord comes on Tuesday."),
    ("For future reference, the repeater is in the attic.", "the repeater is in the attic."),
    ("Save this to memory: the boat is called Aurora.", "the boat is called Aurora."),
    ("Bitte vergiss nicht, dass ich im Juni weg bin.", "ich im Juni weg bin."),
    ("Merk dir bitte: der Schlüssel liegt im Topf.", "der Schlüssel liegt im Topf."),
    ("Denk bitte dran, dass ich im Juni weg bin.", "ich im Juni weg bin."),
    ("N'oublie pas que la réunion est vendredi.", "la réunion est vendredi."),
    ("S'il te plaît, retiens que la clé est ici.", "la clé est ici."),
    ("No olvides que la reunión es el viernes.", "la reunión es el viernes."),
    ("Por favor recuerda que la llave está aquí.", "la llave está aquí."),
    ("Не забудь, что встреча в пятницу.", "встреча в пятницу."),
    ("Пожалуйста, запомни, что ключ под горшком.", "ключ под горшком."),
    ("别忘了会议是星期五十点。", "会议是星期五十点。"),
    ("请帮我记一下，房东星期二来。", "房东星期二来。"),
    ("記憶しておいてください：鍵は植木鉢の下です。", "鍵は植木鉢の下です。"),
    ("鍵は植木鉢の下にあると覚えておいてください。", "鍵は植木鉢の下にある"),
]
NOT_WANTED = [
    "Don't forget to call the dentist.",
    "Don't forget your coat!",
    "Do you remember that I moved to Oslo?",
    "Can you remember where the key is?",
    "Remember when we went to Rome?",
    "Remember that time in Rome?",
    "I remember that day well.",
    "I can't remember that name.",
    "Vergiss nicht, den Zahnarzt anzurufen.",
    "N'oublie pas d'appeler le dentiste.",
    "No olvides llamar al dentista.",
    "Не забудь позвонить врачу.",
    "你还记得我住在哪里吗？",
]


@pytest.mark.parametrize(("sentence", "words"), WANTED)
def test_what_is_to_be_remembered_is_taken_word_for_word(sentence: str, words: str) -> None:
    said = [Utterance("user", sentence, "talk.jsonl", 1)]

    (lesson,) = grounded(learn(said), said).lessons

    assert lesson.text == words


@pytest.mark.parametrize("sentence", NOT_WANTED)
def test_a_reminder_to_act_and_a_question_ask_for_nothing_to_be_kept(sentence: str) -> None:
    assert kept_words(sentence) is None
    assert learn([Utterance("user", sentence, "talk.jsonl", 1)]).lessons == ()


def test_a_lead_in_does_not_hide_the_request() -> None:
    (lesson,) = learn(
        [Utterance("user", "Oh, and remember that I am away in June.", "t", 1)]
    ).lessons

    assert lesson.text == "I am away in June."


def test_what_is_asked_behind_it_is_still_a_question() -> None:
    for asked in ("Remember, what did I say about June?", "Remember, the key was in the pot?"):
        assert learn([Utterance("user", asked, "t", 1)]).lessons == ()
