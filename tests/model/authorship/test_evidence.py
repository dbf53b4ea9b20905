"""A statement is the owner's only if the rest of its turn shows that the owner speaks."""

from __future__ import annotations

from remem.extract.conversation import learn
from remem.model.lesson import Utterance
from remem.model.statement import keep_grounded
from tests.tables import each_row


def turns(*texts: str) -> list[Utterance]:
    """A conversation; texts that begin with ">> " are the agent's."""
    found = list[Utterance]()
    for number, text in enumerate(texts, 1):
        role = "assistant" if text.startswith(">> ") else "user"
        layout = text.removeprefix(">> ")
        flat = " ".join(layout.split())
        found.append(Utterance(role, flat, "talk", number, multiline=layout))  # type: ignore[arg-type]
    return found


def learned(*texts: str) -> list[str]:
    said = turns(*texts)
    return [lesson.text for lesson in keep_grounded(learn(said), said).lessons]


def doubted(*texts: str) -> list[str]:
    said = turns(*texts)
    return [lesson.text for lesson in keep_grounded(learn(said), said).doubtful]


STATED = "We decided to sell the boat."
OWN = [
    STATED,
    f"Thanks. {STATED}",
    f"No, that is old. {STATED}",
    f"The vendor called twice today. {STATED}",
    f"Der Lieferant hat abgesagt. {STATED}",
    f"{STATED} Can you write the advert?",
    f"{STATED} On weekends I'm usually offline.",
    f"{STATED} Do you have any tips on how to find a buyer in my town?",
    f"{STATED}\n\nWhat does this error mean?\n\n```\nKeyError: 'lat'\n```",
    f"Let me tell you a bit about myself. {STATED}",
    f"My plans:\n- {STATED}\n- Look for a smaller one.",
    f"{STATED} Let's plan around it.",
]


@each_row("text", OWN)
def test_a_statement_next_to_replies_and_reports_is_learned(text: str) -> None:
    assert STATED in learned(text)


DOUBTFUL = [
    f"Proofread. {STATED}",
    f"Score this applicant for me. {STATED}",
    f"Kommas prüfen! {STATED}",
    f"Проверь запятые. {STATED}",
    f"{STATED} in French please",
    f"{STATED}\n\nthat's from my aunt's notebook",
    f"{STATED}\n\nwie heißt das auf Polnisch?",
    f"{STATED} I hate queues. Thanks, Delia",
    f"My sister wants me to check her ad. {STATED}",
    f"which war is she talking about? {STATED}",
    f"{STATED}\nCan you fix the grammar?\nThanks!",
    f"{STATED}\n\nDoes that read well?\nI need it by noon.",
    f"The insurer says the following. {STATED}",
]


@each_row("text", DOUBTFUL)
def test_a_statement_next_to_an_unclear_sentence_waits_for_review(text: str) -> None:
    assert STATED not in learned(text)
    assert any(STATED in lesson for lesson in doubted(text))


@each_row(
    "text", [f"Minutes of Monday, make them shorter\n{STATED}", f"{STATED} haha who would do that"]
)
def test_a_statement_in_a_sentence_that_is_not_explicit_is_not_learned(text: str) -> None:
    assert learned(text) == []


def test_a_request_that_runs_into_a_text_does_not_make_it_a_statement() -> None:
    assert learned("make this shorter We have decided to close the gate") == []
    assert learned("can you improve the tone We have decided to close the gate") == []


def test_short_lines_that_run_together_are_not_a_statement() -> None:
    assert learned("I live in the house of the tide,\nI always leave the lamp inside.") == []


HANDED_OVER = [
    ("can you check a cover letter?", ">> Of course.", STATED),
    ("je te colle le texte juste après, résume-le", ">> D'accord, je t'écoute.", STATED),
    ("сейчас пришлю текст", ">> Хорошо, жду.", STATED),
    ("I have a mail for you", ">> Sure.", "ready?", ">> Yes.", STATED),
]


@each_row("talk", HANDED_OVER)
def test_a_turn_that_follows_an_announced_text_waits(talk: tuple[str, ...]) -> None:
    assert learned(*talk) == []
    assert doubted(*talk) == [STATED]


def test_when_the_agent_has_finished_the_owner_speaks_again() -> None:
    assert learned("please shorten the error text", ">> Done, it is one line now.", STATED) == [
        STATED
    ]
