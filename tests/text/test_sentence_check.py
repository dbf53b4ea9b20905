"""A sentence may rephrase its points, but not add anything."""

from __future__ import annotations

from remem.text.sentence_check import why_unsupported
from tests.tables import each_row

LISBON = "Anna lives in Lisbon."
BEN = "Anna manages Ben."
TEA = "Anna prefers tea without sugar."
RENT = "The rent is 910 euros since 2026-03-01."


@each_row(
    ("sentence", "points"),
    [
        ("Anna currently lives in Lisbon.", [LISBON]),
        ("Anna, who lives in Lisbon, manages Ben.", [LISBON, BEN]),
        ("She prefers her tea without sugar.", [TEA]),
        ("Since 2026-03-01 the rent is 910 euros.", [RENT]),
        ("安娜住在里斯本。", ["安娜住在里斯本"]),
        ("Анна живёт в Лиссабоне.", ["Анна живёт в Лиссабоне"]),
    ],
)
def test_a_rephrased_sentence_is_supported(sentence: str, points: list[str]) -> None:
    assert why_unsupported(sentence, points) is None


@each_row(
    ("sentence", "points", "reason"),
    [
        ("Anna lives in Porto.", [LISBON], "name"),
        ("Bob lives in Lisbon.", [LISBON], "name"),
        ("Anna does not live in Lisbon.", [LISBON], "negation"),
        ("She prefers tea with sugar.", [TEA], "negation"),
        ("Ben manages Anna.", [BEN], "order"),
        ("The rent is 920 euros since 2026-03-01.", [RENT], "number"),
        ("Anna lives in Lisbon and owns a boat and a red house.", [LISBON], "words"),
        ("Anna lives in Lisbon.", [LISBON, "Anna keeps three old cats."], "leaves out"),
        ("Anna lives in Lisbon.", ["Anna lives in Lisbon with her two sisters."], "leaves out"),
        ("Anna lives in Lisbon.", [], "no source was given"),
        ("安娜不住在里斯本。", ["安娜住在里斯本"], "negation"),
        ("She is.", [LISBON], "no content"),
    ],
)
def test_an_unsupported_sentence_has_a_reason(
    sentence: str, points: list[str], reason: str
) -> None:
    found = why_unsupported(sentence, points)

    assert found is not None
    assert reason in found


@each_row(
    ("sentence", "supported"),
    [
        ("Never send mail before asking Ines", True),
        ("Send mail before asking Ines", False),
        ("Never send mail before asking Ines; she is in Faro", True),
        ("Ask Ines before mail; she never answers at weekends", False),
        ("Never send mail before asking Rui", False),
    ],
)
def test_a_shorter_sentence_keeps_the_sense_of_the_clauses_it_uses(
    sentence: str, supported: bool
) -> None:
    source = "Never send mail before asking Ines; she is in Faro, and not reachable on Fridays."

    assert (why_unsupported(sentence, [source], may_shorten=True) is None) is supported
    assert why_unsupported("Never send mail", [source]) is not None
