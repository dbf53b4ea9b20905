"""Whatever is done to a store, it says what a plain dictionary says that had it done too."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from remem.model.entry import CATEGORIES, PRIORITIES, Entry, Filter
from remem.ports.entries import Store, Transaction
from remem.ports.models import Embedding
from remem.ports.records import Where
from remem.text.similarity import fingerprint_of
from remem.text.words import search_terms
from tests.contracts.stores import ADAPTERS
from tests.store.sqlite.sample import MODEL, entry, home_of, insert, unit

TEXTS = st.lists(
    st.sampled_from("tea green coffee black 咖啡 morning Zürich".split()), min_size=1, max_size=5
).map(" ".join)
TAGS = st.lists(st.sampled_from(["Work", "home"]), max_size=2, unique=True).map(tuple)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "content": TEXTS,
        "context": st.none() | TEXTS,
        "tags": TAGS,
        "priority": st.sampled_from(PRIORITIES),
        "archived": st.booleans(),
        "superseded_by": st.none() | st.just("mem-zzzzzzzz"),
        "trust": st.sampled_from(["owner", "agent", "untrusted"]),
    },
)
FILTERS = [
    Filter(),
    Filter(include_archived=True),
    Filter(include_untrusted=True),
    Filter(include_archived=True, include_untrusted=True, tags=("work",)),
    Filter(categories=("fact",), priority_min="high"),
]


class StoreMachine(RuleBasedStateMachine):
    """`entries` is the model: what stands now; `histories`: how often it was reworded."""

    adapter = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store: Store = ADAPTERS[self.adapter](self.folder)
        self.entries: dict[str, Entry] = {}
        self.embedded: dict[str, str] = {}
        self.wanted = False

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    @initialize(texts=st.lists(TEXTS, max_size=4))
    def begin(self, texts: list[str]) -> None:
        self.add([entry(text) for text in texts])

    @rule(
        text=TEXTS,
        fields=CHANGES,
        category=st.sampled_from(CATEGORIES),
        times=st.integers(1, 3),
    )
    def put(self, text: str, fields: dict[str, object], category: str, times: int) -> None:
        self.add([entry(**{"content": text, **fields, "category": category}) for _ in range(times)])

    def add(self, entries: list[Entry]) -> None:
        self.store.write(lambda tx: insert(tx, *entries))
        self.entries |= {entry.id: entry for entry in entries}

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), fields=CHANGES, versioned=st.booleans(), fails=st.booleans())
    def change(
        self, data: st.DataObject, fields: dict[str, object], versioned: bool, fails: bool
    ) -> None:
        id_ = data.draw(st.sampled_from(sorted(self.entries)))
        old = self.entries[id_]
        if not versioned:
            fields.pop("trust", None)  # a touch leaves an entry in its file
        new = replace(old, version=old.version + versioned, strength=old.strength + 1, **fields)

        def operation(tx: Transaction) -> None:
            assert tx.find([id_]) == {id_: old}
            if versioned:
                tx.update(new, home_of(new), "changed")
            else:
                tx.update(new, home_of(old))
            if fails:
                raise LookupError

        if fails:
            with pytest.raises(LookupError):
                self.store.write(operation)
            return
        self.store.write(operation)
        self.entries[id_] = new
        if new.content != old.content:
            self.embedded.pop(id_, None)

    @rule(stale=st.booleans())
    def embed(self, stale: bool) -> None:
        with self.store.read() as snapshot:
            waiting = snapshot.pending(3)

        def operation(tx: Transaction) -> None:
            tx.set_vector_models(MODEL)
            tx.save_vectors(
                MODEL,
                [(e.id, e.version - stale, Embedding(unit(len(e.text)))) for e in waiting],
            )

        self.store.write(operation)
        if not stale:
            texts = {item.text for item in waiting}
            with self.store.read() as snapshot:
                done = snapshot.find(item.id for item in waiting)
            self.embedded |= {value.id: value.content for value in done.values()}
            assert texts == {value.content for value in done.values()}

    @rule()
    def rebuild(self) -> None:
        self.store.write(lambda tx: tx.rebuild_search())
        self.embedded.clear()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = ADAPTERS[self.adapter](self.folder)

    @invariant()
    def the_entries_are_those_of_the_model(self) -> None:
        with self.store.read() as snapshot:
            assert snapshot.select(Where(state="any")) == list(self.entries.values())
            assert snapshot.ids() == list(self.entries)
            for entry in self.entries.values():
                assert len(snapshot.history(entry.id)) == entry.version
            standing = [e for e in self.entries.values() if not (e.archived or e.superseded_by)]
            live = [entry for entry in self.entries.values() if entry.live]
            assert snapshot.select(Where()) == live
            assert snapshot.select(Where(state="current")) == standing
            archived = snapshot.tally("all", Where(state="archived"))
            assert sum(tally.entries for tally in archived.values()) == len(self.entries) - len(
                standing
            )
            homes = {(home_of(entry), entry.id) for entry in standing}
            assert homes == {
                (home, entry.id)
                for home in {home for home, _ in homes}
                for entry in snapshot.select(Where(state="current", home=home))
            }

    @invariant()
    def the_words_find_what_they_should(self) -> None:
        with self.store.read() as snapshot:
            for where in FILTERS:
                for word in ("tea", "咖", "zurich"):
                    hits = dict(snapshot.keyword(search_terms(word), where, 999).hits)
                    assert set(hits) == {
                        entry.id
                        for entry in self.entries.values()
                        if where.admits(entry) and word in said_by(entry)
                    }

    @invariant()
    def the_vectors_are_those_of_the_present_words(self) -> None:
        with self.store.read() as snapshot:
            assert snapshot.vector_state().pending == len(self.entries) - len(self.embedded)
            for where in FILTERS:
                hits = snapshot.nearest(MODEL, unit(1), where, 999)
                assert set(dict(hits)) == {
                    id_ for id_ in self.embedded if where.admits(self.entries[id_])
                }

    @invariant()
    def repetitions_are_recognised(self) -> None:
        with self.store.read() as snapshot:
            for entry in self.entries.values():
                same = snapshot.duplicates(
                    "same", entry.category, entry.trust, fingerprint_of(entry.content)
                )
                assert (entry in same) == (not (entry.archived or entry.superseded_by))


def said_by(entry: Entry) -> str:
    text = " ".join([entry.content, entry.context or "", *entry.tags])
    return text.casefold().replace("ü", "u")


class InMemory(StoreMachine):
    adapter = "memory"


SETTINGS = settings(
    max_examples=25,
    stateful_step_count=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class TestSqlite(StoreMachine.TestCase):
    settings = SETTINGS


class TestMemory(InMemory.TestCase):
    settings = SETTINGS


class InPostgres(StoreMachine):
    adapter = "postgres"


class TestPostgres(InPostgres.TestCase):
    settings = settings(SETTINGS, max_examples=3, stateful_step_count=15)
