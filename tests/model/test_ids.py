"""Ids of entries are random and easy to read aloud."""

import hashlib
import os

from hypothesis import given, settings
from hypothesis import strategies as st

from remem.model.entry import ENTRY_ID, is_entry_id, new_id


@settings(deadline=None)
@given(st.binary(min_size=5, max_size=5))
def test_every_id_has_the_one_form(random: bytes) -> None:
    assert is_entry_id(new_id(lambda size: random[:size]))


@settings(deadline=None)
@given(st.binary(min_size=5, max_size=5), st.binary(min_size=5, max_size=5))
def test_different_random_bytes_give_different_ids(one: bytes, other: bytes) -> None:
    assert (new_id(lambda _: one) == new_id(lambda _: other)) == (one == other)


def test_the_same_random_bytes_give_the_same_id() -> None:
    assert new_id(lambda _: b"\0\0\0\0\0") == "mem-00000000"
    assert new_id(lambda _: b"\xff\xff\xff\xff\xff") == "mem-zzzzzzzz"
    assert new_id(lambda n: hashlib.sha256(b"remem").digest()[:n]).startswith("mem-")


def test_ids_avoid_the_letters_that_are_misread() -> None:
    seen = "".join(new_id(os.urandom)[4:] for _ in range(500))

    assert not set(seen) & set("ilouILOU")


def test_similar_texts_are_not_ids() -> None:
    for text in ("mem-3kx7t9q", "mem-3kx7t9qaa", "mem-3kx7t9qu", "MEM-3KX7T9QA", "mem-3kx7t9qa\n"):
        assert not is_entry_id(text)
    assert ENTRY_ID.search("see mem-3kx7t9qa there")
