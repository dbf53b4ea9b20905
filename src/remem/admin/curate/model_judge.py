"""Ask a configured language model for verdicts on a batch.

Its verdicts are treated like an agent's: text that it makes up is refused, and the owner decides
on the rest. Untrusted text in its input is fenced.
"""

from __future__ import annotations

import json
from typing import Final

from remem.admin.curate.batch import GUIDANCE
from remem.admin.curate.given import THE_REST, GivenAnswer, read_answers
from remem.admin.curate.result import Curation, Refusal
from remem.errors import ModelError, RememError, quoted
from remem.model.verdict import GIVEN_ANSWERS
from remem.model_client import array_in
from remem.ports.models import Chat
from remem.search.answer.answer import plain

TASK: Final = (
    "You curate the memory of an agent. Each line is a JSON object: either a group of lines, with "
    "the name and the text of each, or one item. " + GUIDANCE + " Answer with JSON alone: an array "
    'of objects {"answer": one of ' + ", ".join(GIVEN_ANSWERS) + ', "items": [names of lines or '
    '"item" values], "text": for reword and for merge of lines, "category": only for recategorise, '
    '"into": for merge of an item, the id that stays}. Name every line and item once, or end with '
    '{"answer": "keep", "items": ["*"]}.'
)


def ask_model(chat: Chat, batch: Curation) -> tuple[list[GivenAnswer], list[Refusal]]:
    """Ask a model about a batch; return its verdicts, and what is wrong with the others.

    Raise ModelError if the model's answer cannot be used.
    """
    groups = [*(batch.page.groups if batch.page else ()), *batch.left_out]
    parts = [*map(plain, groups), *map(plain, batch.items)]
    lines = (json.dumps(part, ensure_ascii=False) for part in parts)
    answers: list[GivenAnswer] = []
    refused: list[Refusal] = []
    known_items = {*batch.lines, *(item.item for item in batch.items), THE_REST}
    answer = chat(TASK, "\n".join(lines))
    values = array_in(answer)
    if not all(isinstance(value, dict) for value in values):
        raise ModelError(f"the model's answer is not a JSON array of objects: {quoted(answer, 80)}")
    for value in values:
        try:
            given_answers = read_answers([value])
        except RememError as error:
            refused.append(Refusal(quoted(value, 60), str(error.args[0])))
            continue
        answers += [answer for answer in given_answers if answer.item in known_items]
        refused += [
            Refusal(answer.item, "the model was not asked about this item")
            for answer in given_answers
            if answer.item not in known_items
        ]
    return answers, refused
