"""A keyed checksum recognises what the holder of the key wrote, and nothing else."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from remem.files.workspace_key import derived_key, is_proven, proof_of
from tests.tables import each_row

KEY = derived_key(b"k" * 32, "export", "main")
VALUE: dict[str, Any] = {"entry": {"id": "mem-00000000", "tags": ["a"]}, "change": "stored"}


def test_the_order_of_keys_does_not_matter() -> None:
    turned = dict(reversed(VALUE.items()))

    assert is_proven(KEY, turned, proof_of(KEY, VALUE))


@given(st.sampled_from(["id", "tags", "more"]), st.text() | st.integers() | st.none())
def test_any_other_value_has_another_proof(name: str, value: object) -> None:
    changed = deepcopy(VALUE)
    changed["entry"][name] = value

    assert is_proven(KEY, changed, proof_of(KEY, VALUE)) == (changed == VALUE)


@each_row(
    "other",
    [
        derived_key(b"K" * 32, "export", "main"),
        derived_key(b"k" * 32, "export", "group:main"),
        derived_key(b"k" * 32, "domain", "main"),
    ],
)
def test_keys_of_other_workspaces_scopes_and_purposes_prove_nothing(other: bytes) -> None:
    assert not is_proven(other, VALUE, proof_of(KEY, VALUE))


@each_row("proof", [None, 7, "", [], "é", "0" * 64, proof_of(KEY, VALUE).upper()])
def test_whatever_is_given_as_a_proof_is_compared_and_never_fails(proof: object) -> None:
    assert not is_proven(KEY, VALUE, proof)
