"""Ask a configured language model for verdicts on a batch.

Its verdicts are treated like those of an agent: a text that it has invented is refused, and
verdicts on the owner's words are only proposals. Untrusted text is fenced before it is sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from remem.admin.curate.batch import GUIDANCE
from remem.admin.curate.given import THE_REST, GivenAnswer, read_answers
from remem.admin.curate.result import Curation, Refusal
from remem.errors import ModelError, RememError, quoted
from remem.model.verdict import GIVEN_ANSWERS
from remem.model_client import array_in
from remem.ports.models import Chat
from remem.search.answer.answer import plain

TASK: Final = (
    "You curate the memory of an agent. Each line is a JSON object: first the size and the limit "
    "of the page in tokens, and the lines that have no room on it; then a group of lines of the "
    "`page`, or of those `left_out`, each with its name, cost and text, or an `item`. "
    + GUIDANCE
    + ' Answer with JSON alone: an array of objects {"answer": one of '
    + ", ".join(GIVEN_ANSWERS)
    + ', "items": [names of lines, headings or "item" values], "text": for reword and for merge of '
    'lines, "category": only for recategorise, "into": for merge of an item, the id that stays}. '
    'Name every line and item once, or end with {"answer": "keep", "items": ["*"]}.'
)


def ask_model(chat: Chat, batch: Curation) -> tuple[list[GivenAnswer], list[Refusal]]:
    """Ask a model about a batch; return its valid verdicts, and refusals of the others.

    Raise ModelError if the model's answer cannot be used at all.
    """
    lines = (json.dumps(part, ensure_ascii=False) for part in _parts(batch))
    answers: list[GivenAnswer] = []
    refused: list[Refusal] = []
    reply = chat(TASK, "\n".join(lines))
    values = array_in(reply)
    if not all(isinstance(value, dict) for value in values):
        raise ModelError(f"the model's answer is not a JSON array of objects: {quoted(reply, 80)}")
    names = _names(batch)
    for value in values:
        try:
            given_answers = read_answers([value])
        except RememError as error:
            refused.append(Refusal(quoted(value, 60), str(error.args[0])))
            continue
        answers += [answer for answer in given_answers if answer.item in names]
        refused += [
            Refusal(answer.item, "the model was not asked about this item")
            for answer in given_answers
            if answer.item not in names
        ]
    return answers, refused


def _parts(batch: Curation) -> Iterator[dict[str, Any]]:
    """Yield the parts of a batch; the key of each says what it is."""
    if page := batch.page:
        yield {"tokens": page.tokens, "limit": page.limit, "no_room": page.no_room}
        yield from ({"page": plain(group)} for group in page.groups)
    yield from ({"left_out": plain(group)} for group in batch.left_out)
    yield from ({"item": plain(item)} for item in batch.items)
    yield {"remaining": batch.remaining}


def _names(batch: Curation) -> set[str]:
    """Return the names that an answer may use: of lines, headings, files and items, and `*`."""
    groups = [*(batch.page.groups if batch.page else ()), *batch.left_out]
    headings = {group.where for group in groups}
    files = {heading.partition(", ")[0] for heading in headings}
    return {*batch.lines, *headings, *files, *(item.item for item in batch.items), THE_REST}
