from dataclasses import replace
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from remem.model.entry import CATEGORIES, PRIORITIES, TRUSTS, Entry, Origin
from remem.store.rows import (
    COLUMNS,
    column_values,
    entry_from_json,
    entry_from_values,
    facets_of,
    json_of,
)
from tests.store.sqlite.sample import entry
from tests.tables import each_row

TEXTS = st.text(max_size=20)
ENTRIES = st.builds(
    entry,
    content=TEXTS,
    context=st.none() | TEXTS,
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    related_to=st.lists(TEXTS, max_size=3).map(tuple),
    origins=st.lists(st.builds(Origin, TEXTS, st.none() | st.integers()), max_size=2).map(tuple),
    archived=st.booleans(),
    superseded_by=st.none() | TEXTS,
    trust=st.sampled_from(TRUSTS),
)


@given(ENTRIES)
def test_an_entry_reads_back_from_its_row(kept: Entry) -> None:
    values = column_values(kept)

    assert len(values) == len(COLUMNS)
    assert entry_from_values(values) == kept


@given(ENTRIES)
def test_an_entry_reads_back_from_its_record(kept: Entry) -> None:
    assert entry_from_json(json_of(kept)) == kept


def test_every_field_of_an_entry_has_a_column() -> None:
    assert {*COLUMNS, "archive_reason"} == set(Entry.__dataclass_fields__)


def test_facets_distinguish_all_kinds_of_entries() -> None:
    kinds = {
        (category, priority, aside, untrusted): facets_of(
            entry(
                category=category,
                priority=priority,
                archived=aside,
                trust="untrusted" if untrusted else "owner",
            )
        )
        for category, priority, aside, untrusted in product(
            CATEGORIES, PRIORITIES, (False, True), (False, True)
        )
    }

    assert len(set(kinds.values())) == len(kinds)
    assert max(kinds.values()) < 2**16


@each_row("change", [{"strength": 9}, {"content": "x"}, {"tags": ("y",)}])
def test_facets_depend_on_nothing_else(change: dict[str, object]) -> None:
    assert facets_of(replace(entry(), **change)) == facets_of(entry())
