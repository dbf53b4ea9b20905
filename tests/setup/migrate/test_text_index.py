"""A statement is known if one text has most of its content words."""

from __future__ import annotations

from remem.setup.migrate.lasting_notes import TextIndex

KNOWN = TextIndex(
    [
        "We host the archive in Lisbon, because the lease is cheaper there.",
        "Ada runs the bakery on Elm Street.",
        "部署之前必须先跑一遍备份。",
    ]
)


def test_the_same_words_and_nearly_the_same_are_known() -> None:
    assert KNOWN.has("ada runs  the bakery on elm street.")
    assert KNOWN.has("We host our archive in Lisbon; the lease is cheaper.")
    assert KNOWN.has("部署之前必须先跑一遍备份")


def test_words_that_are_spread_over_several_texts_are_not() -> None:
    assert not KNOWN.has("Ada hosts the archive on Elm Street.")
    assert not KNOWN.has("Bob runs the brewery on Oak Street.")


def test_nothing_is_known_of_nothing() -> None:
    assert not TextIndex([]).has("Ada runs the bakery.")
    assert not KNOWN.has("…")
