"""A filter admits entries before any ranking."""

from dataclasses import replace
from itertools import product

from remem.model.entry import PRIORITIES, Entry, Filter
from tests.tables import each_row

ENTRY = Entry("mem-00000000", "fact", "tea", "", "", tags=("Work", "café"))


def test_an_empty_filter_admits_what_is_live_and_nothing_else() -> None:
    everything = Filter()

    assert everything.admits(ENTRY)
    assert not everything.admits(replace(ENTRY, archived=True))
    assert not everything.admits(replace(ENTRY, superseded_by="mem-00000001"))
    assert not everything.admits(replace(ENTRY, trust="untrusted"))
    assert everything.only_live
    assert not everything.is_selective


@each_row("archived", [False, True])
@each_row("untrusted", [False, True])
def test_archived_and_untrusted_entries_are_admitted_on_request_only(
    archived: bool, untrusted: bool
) -> None:
    where = Filter(include_archived=archived, include_untrusted=untrusted)

    assert where.admits(replace(ENTRY, archived=True)) is archived
    assert where.admits(replace(ENTRY, superseded_by="mem-00000001")) is archived
    assert where.admits(replace(ENTRY, trust="untrusted")) is untrusted
    both = replace(ENTRY, archived=True, trust="untrusted")
    assert where.admits(both) is (archived and untrusted)
    assert where.only_live is not (archived or untrusted)


def test_a_minimum_priority_admits_itself_and_higher_ones() -> None:
    for least, own in product(PRIORITIES, PRIORITIES):
        admitted = Filter(priority_min=least).admits(replace(ENTRY, priority=own))

        assert admitted is (PRIORITIES.index(own) <= PRIORITIES.index(least))


def test_the_lowest_priority_admits_everything() -> None:
    assert not Filter(priority_min="low").is_selective
    assert Filter(priority_min="medium").is_selective


def test_every_tag_is_required_in_any_spelling() -> None:
    assert Filter(tags=("WORK",)).admits(ENTRY)
    assert Filter(tags=("work", "cafe\u0301")).admits(ENTRY)
    assert not Filter(tags=("work", "tea")).admits(ENTRY)


def test_one_of_the_categories_is_enough() -> None:
    assert Filter(categories=("person", "fact")).admits(ENTRY)
    assert not Filter(categories=("person",)).admits(ENTRY)
