"""Questions about what the user or the assistant said, made from conversations by a rule.

The public data sets ask hardly any questions about the assistant's words. Here a turn is chosen,
and three words of it are asked for: "What did you suggest about …?" or "What did I say about …?".
The words occur in several turns, no other turn of the same role has all three, and a turn of the
other role has at least two of them, so that who said it decides. The rule looks at nothing but
words, roles and the order of turns; the evidence is the turn.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from bench.conversations import Conversation, Question, Turn
from remem.text.words import STOP_WORDS, words

WORDINGS: Final[Mapping[str, Sequence[str]]] = {
    "assistant": (
        "What did you suggest about {}?",
        "What did you tell me about {}?",
        "Which options did you list for {}?",
        "How did you explain {}?",
        "What was your advice on {}?",
        "What did you recommend regarding {}?",
    ),
    "user": (
        "What did I say about {}?",
        "What did I tell you about {}?",
        "What did I mention regarding {}?",
        "What do I want for {}?",
        "What was my problem with {}?",
        "Which plans do I have for {}?",
    ),
}
PER_CONVERSATION: Final = 10
"""The number of questions about each role."""
_MIN_WORDS: Final = 12
_MIN_LETTERS: Final = 4
_MAX_SHARE: Final = 0.2
"""A word that more than this share of the turns contains says little."""
_TRIED_WORDS: Final = 9


def with_said_questions(conversation: Conversation, seed: int = 16) -> Conversation:
    """Return the conversation with questions about what was said instead of its own."""
    spoken = [frozenset(_content(turn)) for turn in conversation.turns]
    counts = Counter(word for bag in spoken for word in bag)
    questions: list[Question] = []
    for role in WORDINGS:
        draw = random.Random(f"{seed} {conversation.id} {role}")
        order = [i for i, turn in enumerate(conversation.turns) if turn.role == role]
        draw.shuffle(order)
        asked = _questions(conversation, order, spoken, counts, role)
        questions += [question for question, _ in zip(asked, range(PER_CONVERSATION), strict=False)]
    return replace(conversation, questions=tuple(questions))


def _questions(
    conversation: Conversation,
    order: Sequence[int],
    spoken: Sequence[frozenset[str]],
    counts: Counter[str],
    role: str,
) -> Iterator[Question]:
    most = max(2, int(_MAX_SHARE * len(spoken)))
    for i in order:
        known = [
            w for w in dict.fromkeys(_content(conversation.turns[i])) if 2 <= counts[w] <= most
        ]
        if len(spoken[i]) < _MIN_WORDS:
            continue
        known = sorted(known, key=lambda word: (counts[word], word))[:_TRIED_WORDS]
        for chosen in combinations(known, 3):
            if not _who_decides(conversation.turns, spoken, i, frozenset(chosen)):
                continue
            turn = conversation.turns[i]
            wording = WORDINGS[role][i % len(WORDINGS[role])]
            yield Question(
                id=f"{conversation.id}-said-{turn.id}",
                query=wording.format(f"{chosen[0]}, {chosen[1]} and {chosen[2]}"),
                date=conversation.turns[-1].date,
                category=role,
                gold_turns=frozenset({turn.id}),
                gold_sessions=frozenset({turn.session}),
            )
            break


def _who_decides(
    turns: Sequence[Turn], spoken: Sequence[frozenset[str]], i: int, chosen: frozenset[str]
) -> bool:
    """Whether only this turn of its role has all the words, and one of another role has two."""
    rival = False
    for j, bag in enumerate(spoken):
        if j == i:
            continue
        if turns[j].role == turns[i].role:
            if chosen <= bag:
                return False
        elif len(chosen & bag) >= 2:
            rival = True
    return rival


def _content(turn: Turn) -> list[str]:
    return [
        word
        for word in words(turn.text)
        if len(word) >= _MIN_LETTERS and word.isalpha() and word not in STOP_WORDS
    ]
