"""What every store must find by its meaning; the filter always comes first."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from remem.errors import EmbedderMismatch
from remem.model.entry import Filter
from remem.ports.entries import Store, Transaction
from remem.ports.models import Embedding, Floats, ModelIdentity
from tests.contracts.kinds import FILTERS, WIDE, mixed
from tests.contracts.stores import Opener
from tests.store.sqlite.sample import (
    MODEL,
    NOW,
    embed,
    entry,
    put,
    quickly,
    revise,
    touch,
    unit,
)


def nearest(
    store: Store, query: Floats, where: Filter, limit: int, model: ModelIdentity = MODEL
) -> list[tuple[str, float]]:
    with store.read() as snapshot:
        return snapshot.nearest(model, query, where, limit)


def test_the_nearest_are_the_same_as_in_a_full_comparison(store: Store) -> None:
    random = Random(6)
    entries = [mixed(random, number) for number in range(250)]
    put(store, *entries)
    vectors = {entry.id: unit(number) for number, entry in enumerate(entries)}
    embed(store, vectors)
    query = unit(10_000)

    for where in FILTERS:
        oracle = sorted(
            ((float(vectors[e.id] @ query), e.id) for e in entries if where.admits(e)), reverse=True
        )
        hits = nearest(store, query, where, 10)
        assert [id_ for id_, _ in hits] == [id_ for _, id_ in oracle[:10]], where
        assert [cosine for _, cosine in hits] == pytest.approx(
            [cosine for cosine, _ in oracle[:10]], abs=2e-3
        )


def test_a_filter_that_keeps_five_of_a_thousand_finds_all_five(store: Store) -> None:
    query = unit(1)
    near = [entry(f"near {i}") for i in range(995)]
    far = [entry(f"far {i}", tags=("wanted",)) for i in range(5)]
    put(store, *near, *far)
    embed(store, {stored.id: query for stored in near})
    embed(store, {stored.id: -unit(i) for i, stored in enumerate(far)})

    assert {id_ for id_, _ in nearest(store, query, Filter(tags=("wanted",)), 10)} == {
        stored.id for stored in far
    }
    assert len(nearest(store, query, Filter(), 1_000)) == 1_000


def test_vectors_of_two_models_are_never_compared(store: Store) -> None:
    other = ModelIdentity("sample", 16, "f16")
    third = ModelIdentity("sample", 8, "int8")
    one, two = entry("one"), entry("two")
    put(store, one, two)
    embed(store, {one.id: unit(1)})
    embed(store, {two.id: unit(2, 16)}, other)

    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [one.id]
    assert [id_ for id_, _ in nearest(store, unit(1, 16), Filter(), 9, other)] == [two.id]
    assert nearest(store, unit(1), Filter(), 9, third) == []
    with store.read() as snapshot:
        assert snapshot.vector_state().vectors == {MODEL: 1, other: 1}
        assert snapshot.vectors_of(third, snapshot.ids()) == {}
        assert set(snapshot.vectors_of(other, snapshot.ids())) == {two.id}


def test_a_vector_of_another_length_is_refused_and_spoils_nothing(store: Store) -> None:
    kept = put(store, entry())
    embed(store, {kept.id: unit(1)})

    with pytest.raises(EmbedderMismatch):
        embed(store, {kept.id: unit(1, 16)})
    with pytest.raises(EmbedderMismatch):
        nearest(store, unit(1, 16), Filter(), 9)
    assert len(nearest(store, unit(1), Filter(), 9)) == 1


def test_vectors_come_back_with_their_tokens(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    ids = [one.id, two.id]
    tokens = np.arange(48, dtype=np.uint8).reshape(3, 16)

    def operation(tx: Transaction) -> None:
        tx.set_vector_models(MODEL)
        tx.save_vectors(
            MODEL, [(one.id, 1, Embedding(unit(1), tokens)), (two.id, 1, Embedding(unit(2)))]
        )

    store.write(operation)

    with store.read() as snapshot:
        kept = snapshot.vectors_of(MODEL, ids)
    assert np.allclose(kept[one.id].pooled, unit(1), atol=1e-3)
    assert np.array_equal(kept[one.id].tokens, tokens)
    assert kept[two.id].tokens is None


def waiting(store: Store) -> list[str]:
    with store.read() as snapshot:
        assert snapshot.vector_state().pending == len(snapshot.pending(999))
        return [item.text for item in snapshot.pending(999)]


def test_new_and_changed_texts_are_queued(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    assert waiting(store) == ["one", "two"]
    embed(store, {one.id: unit(1), two.id: unit(2)})
    assert waiting(store) == []

    revise(store, one.id, content="other")
    touch(store, two.id, strength=5)
    revise(store, two.id, archived=True)

    assert waiting(store) == ["other"]


def test_a_text_that_changed_while_it_was_embedded_stays_queued(store: Store) -> None:
    kept = put(store, entry("one"))
    store.write(lambda tx: tx.set_vector_models(MODEL))
    with store.read() as snapshot:
        (text,) = snapshot.pending(9)
    revise(store, kept.id, content="other")

    made = [(text.id, text.version, Embedding(unit(1))), ("mem-none", 1, Embedding(unit(2)))]
    store.write(lambda tx: tx.save_vectors(MODEL, made))

    assert waiting(store) == ["other"]
    assert nearest(store, unit(1), WIDE, 9) == []


def test_a_new_wording_has_no_vector_of_the_old_one(store: Store) -> None:
    """Not even for a model that comes back later."""
    kept = put(store, entry("one"))
    other = ModelIdentity("other", 8, "f16")
    embed(store, {kept.id: unit(1)})
    revise(store, kept.id, content="two")
    assert nearest(store, unit(1), WIDE, 9) == []
    embed(store, {kept.id: unit(2)}, other)

    store.write(lambda tx: tx.set_vector_models(MODEL))

    assert waiting(store) == ["two"]
    with store.read() as snapshot:
        assert snapshot.vector_state().vectors == {MODEL: 0, other: 1}


def test_another_model_queues_all_texts_and_keeps_the_old_vectors(store: Store) -> None:
    kept = put(store, entry("one"))
    embed(store, {kept.id: unit(1)})
    other = ModelIdentity("other", 8, "f16")

    store.write(lambda tx: tx.set_vector_models(other))

    assert waiting(store) == ["one"]
    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [kept.id]
    with store.read() as snapshot:
        assert snapshot.vector_state().models == str(other)


@pytest.mark.parametrize("changed_by", ["this store", "another one"])
def test_caches_follow_every_write(open_store: Opener, changed_by: str) -> None:
    store = open_store()
    writer = store if changed_by == "this store" else open_store()
    one, two = entry("one"), entry("two")
    put(writer, one, two)
    embed(writer, {one.id: unit(1)})
    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [one.id]

    embed(writer, {two.id: unit(1)})
    assert {id_ for id_, _ in nearest(store, unit(1), Filter(), 9)} == {one.id, two.id}
    revise(writer, one.id, archived=True)
    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [two.id]
    assert len(nearest(store, unit(1), WIDE, 9)) == 2
    revise(writer, two.id, content="changed")
    assert nearest(store, unit(1), Filter(), 9) == []
    embed(writer, {two.id: -unit(1)})
    assert [round(c) for _, c in nearest(store, unit(1), Filter(), 9)] == [-1]


def test_vectors_that_were_dropped_are_gone_from_every_cache(open_store: Opener) -> None:
    store, other = open_store(), open_store()
    kept = put(store, entry("one"))
    embed(store, {kept.id: unit(1)})
    assert len(nearest(other, unit(1), Filter(), 9)) == 1

    store.write(lambda tx: tx.rebuild_search())
    wide = ModelIdentity("wide", 16, "f16")
    embed(store, {kept.id: unit(3, 16)}, wide)

    assert nearest(other, unit(1), Filter(), 9) == []
    assert [id_ for id_, _ in nearest(other, unit(3, 16), Filter(), 9, wide)] == [kept.id]


def test_a_vector_that_was_rolled_back_is_never_seen(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)

    def operation(tx: Transaction) -> None:
        tx.set_vector_models(MODEL)
        tx.save_vectors(MODEL, [(one.id, 1, Embedding(unit(1)))])
        assert len(tx.nearest(MODEL, unit(1), Filter(), 9)) == 1
        raise LookupError

    with pytest.raises(LookupError):
        store.write(operation)
    embed(store, {two.id: unit(2)})

    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [two.id]


def test_the_number_of_vectors_is_always_known(store: Store) -> None:
    one, other = put(store, entry("one")), put(store, entry("other"))
    another = ModelIdentity("another", 8, "f16")

    def covered() -> dict[ModelIdentity, int]:
        with store.read() as snapshot:
            return snapshot.vector_state().vectors

    assert covered() == {}
    embed(store, {one.id: unit(1)})
    assert covered() == {MODEL: 1}
    embed(store, {other.id: unit(2)})
    assert covered() == {MODEL: 2}
    embed(store, {other.id: unit(2)}, another)
    assert covered() == {MODEL: 2, another: 1}
    revise(store, other.id, content="reworded")
    assert covered() == {MODEL: 1, another: 0}
    store.write(lambda tx: tx.erase(one.id, NOW))
    assert covered() == {MODEL: 0, another: 0}


def quick(store: Store) -> tuple[int, set[str]]:
    with store.read() as snapshot:
        ids = snapshot.ids()
        own = snapshot.vectors_of(MODEL, ids, quick=False)
        quick = snapshot.vector_state().quick.get(MODEL, 0)
        return quick, set(snapshot.vectors_of(MODEL, ids)) - set(own)


def test_a_text_with_a_quick_vector_is_found_and_stays_queued(store: Store) -> None:
    one, two = entry("one"), entry("two", category="person", priority="critical")
    put(store, one, two)

    quickly(store, {one.id: unit(1), two.id: unit(2)})

    assert [id_ for id_, _ in nearest(store, unit(2), Filter(), 1)] == [two.id]
    assert [id_ for id_, _ in nearest(store, unit(1), Filter(categories=("person",)), 9)] == [
        two.id
    ]
    assert waiting(store) == ["one", "two"]
    assert quick(store) == (2, {one.id, two.id})


def test_the_models_own_vector_replaces_a_quick_one(store: Store) -> None:
    kept = put(store, entry("one"))
    quickly(store, {kept.id: unit(1)})

    embed(store, {kept.id: -unit(1)})

    assert [round(cosine) for _, cosine in nearest(store, unit(1), Filter(), 9)] == [-1]
    assert waiting(store) == []
    assert quick(store) == (0, set())


def test_a_quick_vector_never_replaces_the_models_own(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    embed(store, {one.id: unit(1)})

    quickly(store, {one.id: -unit(1), two.id: unit(2)})

    assert nearest(store, unit(1), Filter(), 1)[0][1] == pytest.approx(1, abs=2e-3)
    assert quick(store) == (1, {two.id})


def test_a_quick_vector_of_an_old_wording_is_not_kept(store: Store) -> None:
    kept = put(store, entry("one"))
    store.write(lambda tx: tx.set_vector_models(MODEL))
    with store.read() as snapshot:
        (text,) = snapshot.pending(9)
    revise(store, kept.id, content="other")

    made = [(text.id, text.version, Embedding(unit(1))), ("mem-none", 1, Embedding(unit(2)))]
    store.write(lambda tx: tx.save_vectors(MODEL, made, quick=True))

    assert nearest(store, unit(1), WIDE, 9) == []
    assert quick(store) == (0, set())


def test_queued_texts_without_any_vector_can_be_selected(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    quickly(store, {one.id: unit(1)})
    other = ModelIdentity("other", 8, "f16")

    with store.read() as snapshot:
        assert [item.text for item in snapshot.pending(9, None, MODEL)] == ["two"]
        assert [item.text for item in snapshot.pending(9, None, other)] == ["one", "two"]
        assert [item.text for item in snapshot.pending(9, one.id)] == ["two"]
        assert snapshot.pending(9, two.id) == []
        assert [item.text for item in snapshot.pending(9, among=[two.id, "mem-unknown0"])] == [
            "two"
        ]
        assert snapshot.pending(9, among=[]) == []


def test_a_quick_vector_stays_quick_when_its_entry_is_archived(store: Store) -> None:
    kept = put(store, entry("one"))
    quickly(store, {kept.id: unit(1)})

    revise(store, kept.id, archived=True)

    assert nearest(store, unit(1), Filter(), 9) == []
    assert [id_ for id_, _ in nearest(store, unit(1), WIDE, 9)] == [kept.id]
    assert quick(store) == (1, {kept.id})


def test_texts_with_only_a_quick_vector_are_queued_again(store: Store) -> None:
    """A queue that was lost does not make a quick vector the last word."""
    kept = put(store, entry("one"))
    quickly(store, {kept.id: unit(1)})
    store.write(lambda tx: tx.dequeue_vectors([(kept.id, 1)]))
    assert waiting(store) == []

    store.write(lambda tx: tx.set_vector_models(ModelIdentity("other", 8, "f16")))
    store.write(lambda tx: tx.set_vector_models(MODEL))

    assert waiting(store) == ["one"]


def test_a_quick_vector_of_another_length_is_refused(store: Store) -> None:
    kept = put(store, entry("one"))

    with pytest.raises(EmbedderMismatch):
        quickly(store, {kept.id: unit(1, 16)})
    assert nearest(store, unit(1), WIDE, 9) == []
