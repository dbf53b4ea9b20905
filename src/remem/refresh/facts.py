"""Which passages do the facts of an entity give?

One a fact, found by its words, its id and its entity; its lines are those of its JSON object.
"""

from __future__ import annotations

from collections.abc import Iterator

from remem.core.fact import fact_of
from remem.core.fact_text import NoFacts, values_in
from remem.core.passage import Passage
from remem.errors import FileError
from remem.notes.fact_files import entity_of
from remem.refresh.days import day_of_name


def cut_facts(path: str, text: str) -> Iterator[Passage]:
    """The facts in order; FileError where the file is no list of facts, after those before."""
    entity = entity_of(path)
    try:
        for number, (start, end, value) in enumerate(values_in(text)):
            fact = fact_of(value, entity=entity, path=path, lines=(start, end), number=number)
            if fact is None:
                continue
            written = value.get("status", "")
            known = (fact.category, written, fact.timestamp, fact.superseded_by)
            told = ", ".join(str(each) for each in known if each)
            said = f"{fact.id}: {fact.fact}" if fact.id else fact.fact
            yield Passage(
                path=path,
                start=start,
                end=end,
                text=f"{said} ({told})" if told else said,
                headings=(entity.rpartition("/")[2],),
                day=day_of_name(fact.timestamp[:10]),
            )
    except NoFacts as error:
        raise FileError(str(error)) from error
