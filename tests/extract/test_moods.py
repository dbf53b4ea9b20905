"""What everybody says of a good time, of effort and of growth is nothing to know."""

from __future__ import annotations

import pytest

from remem.extract import guards
from remem.extract.conversation import learn
from remem.model.lesson import Utterance


def taken(text: str) -> list[str]:
    return [lesson.text for lesson in learn([Utterance("user", text, "talk.jsonl", 1)]).lessons]


SAYINGS = (
    "We had so much fun.",
    "We had a ton of fun.",
    "I had the best time ever.",
    "We had an amazing time together.",
    "I had a feeling it would work.",
    "We have each other's backs.",
    "We have so much in common.",
    "We still have a long way to go.",
    "I have a good feeling about this.",
    "I have high hopes for it.",
    "I have no regrets.",
    "We have a strong bond.",
    "I have a lot on my plate.",
    "I have mixed feelings about it.",
    "We made it through.",
    "I made the right choice.",
    "I made something nice.",
    "I took a leap of faith.",
    "I took the plunge.",
    "I gave it my all.",
    "I gave up on that.",
    "I got goosebumps from that.",
    "I got emotional when I read it.",
    "I found peace in that.",
    "I found my way.",
    "I lost track of time.",
    "I kept going no matter what.",
    "I went through a lot.",
    "I went for it and never looked back.",
    "I went all in on it.",
    "I came a long way.",
    "I learned to let go.",
    "I grew a lot as a person.",
    "I've come so far.",
    "I've grown a lot since then.",
    "I've changed so much.",
    "I've been blessed in many ways.",
    "I've been through a lot.",
    "I've been working really hard.",
    "I've been going through a lot lately.",
    "I'm living my best life.",
    "I'm taking it one day at a time.",
    "I'm taking a break now.",
    "I'm working on it.",
    "I'm working hard on it.",
    "I'm working on myself.",
    "I'm learning to be patient.",
    "I'm learning so much from this.",
    "I'm a work in progress.",
    "I'm a firm believer in that.",
    "I'm starting to feel better.",
    "I'm moving forward with it.",
    "I'm living for this moment.",
    "My world is so much brighter.",
    "My life has changed for the better.",
    "My days are so much brighter now.",
    "My confidence is growing every day.",
    "My hard work is paying off.",
    "Their love gives me strength.",
    "Her words give me courage.",
    "I'd rather not talk about it.",
    "I'd rather not say.",
    "I love being around good people.",
    "I love the way it turned out.",
    "I love seeing it come together.",
    "I like where this is going.",
    "I enjoy every moment of it.",
    "We love what we do.",
    "We were so proud of it last night.",
    "I was over the moon last week.",
    "I was in awe when I saw it.",
    "I never give up on my dreams.",
    "I never want it to end.",
    "I always do my best.",
    "I always try my best.",
    "I always give it my all.",
    "I'm always here to help.",
    "I'm always up for a challenge.",
    "I'm passionate about what I do.",
    "I'm passionate about making a difference.",
    "I'm good at what I do.",
    "My family means the world.",
    "Laughter makes everything better.",
    "Being kind makes a difference.",
    "Every day is an adventure.",
    "Every day we learn something new.",
    "We support each other every day.",
    "I think about it every day.",
    "I feel better every day.",
    "I get better every week.",
    "We got this!",
    "We got the win.",
)


def test_a_saying_is_left() -> None:
    assert {saying: found for saying in SAYINGS if (found := taken(saying))} == {}


def test_without_the_guard_many_would_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "not_told", lambda _sentence: None)

    assert len([saying for saying in SAYINGS if taken(saying)]) > 20


TOLD = (
    "I had the flu for two weeks in March.",
    "I went through the tunnel to Folkestone yesterday.",
    "We gave our old piano to the school.",
    "I learned to sail on Lake Garda.",
    "I got the keys to the new flat on Friday.",
)


def test_what_is_told_in_nearly_the_same_words_is_taken() -> None:
    assert [each for each in TOLD if taken(each) != [each]] == []
