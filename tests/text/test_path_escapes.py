"""Every file name has a printable form that can be reversed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.text.path_escapes import (
    from_portable,
    from_printable,
    portable,
    portable_twin,
    printable,
)
from tests.tables import each_row

NAMES = st.binary(min_size=1, max_size=40).map(lambda name: name.decode("utf-8", "surrogateescape"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@given(NAMES)
def test_every_name_has_a_printable_form_that_leads_back(name: str) -> None:
    shown = printable(name)

    shown.encode()
    assert (from_printable(shown) or shown) == name or from_printable(name) is not None


@given(TEXTS)
def test_plain_utf8_is_shown_as_it_is(name: str) -> None:
    assert printable(name) == name


@given(NAMES)
def test_every_name_has_a_portable_form_that_leads_back(name: str) -> None:
    stored, escaped = portable(name)

    assert stored.isprintable()
    assert (from_portable(stored) if escaped else stored) == name


@given(NAMES.filter(lambda name: name.strip(".")))
def test_every_name_has_a_portable_form_for_twins_that_leads_back(name: str) -> None:
    stored = portable_twin(name)

    assert stored.isprintable()
    assert from_portable(stored) == name


@given(NAMES, NAMES)
def test_two_names_never_have_one_portable_form(one: str, other: str) -> None:
    assert one == other or portable(one)[0] != portable(other)[0]


@each_row("name", ["%2E%2E", "a%2Fb", "%C3%A9.md", "%41.md", "plain.md", "%e9.md", "\ud800"])
def test_a_text_that_is_not_an_escaped_name_has_no_original(name: str) -> None:
    assert from_portable(name) is None
    assert from_printable(name) is None


def test_the_forms_are_readable() -> None:
    assert printable("caf\udce9.md") == "caf%E9.md"
    assert portable("12:30 notes.md") == ("12%3A30 notes.md", True)
    assert portable("My%20Note.md") == ("My%2520Note.md", True)
    assert portable("Grüße.md") == ("Grüße.md", False)
