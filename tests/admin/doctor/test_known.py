"""A statement is known where most of its telling words stand together."""

from __future__ import annotations

from remem.admin.doctor.chatter import TextIndex

SAID = TextIndex(
    [
        "We host the archive in Lisbon, because the lease is cheaper there.",
        "Ada runs the bakery on Elm Street.",
        "部署之前必须先跑一遍备份。",
    ]
)


def test_the_same_words_and_nearly_the_same_are_known() -> None:
    assert SAID.has("ada runs  the bakery on elm street.")
    assert SAID.has("We host our archive in Lisbon; the lease is cheaper.")
    assert SAID.has("部署之前必须先跑一遍备份")


def test_words_that_are_spread_over_several_texts_are_not() -> None:
    assert not SAID.has("Ada hosts the archive on Elm Street.")
    assert not SAID.has("Bob runs the brewery on Oak Street.")


def test_nothing_is_known_of_nothing() -> None:
    assert not TextIndex([]).has("Ada runs the bakery.")
    assert not SAID.has("…")
