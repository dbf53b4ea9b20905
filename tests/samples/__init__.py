"""Made-up but realistic workspaces, the same for the same seed.

`grown(root, size)` is the large English one; `questions(root)` are what can be asked of it and
the lines that answer. By hand: `python scripts/make_sample.py ROOT --kind grown`.
"""

from tests.samples.labelled import CATEGORIES, Labelled, held_out, labelled
from tests.samples.questions import Question, questions
from tests.samples.transcripts import transcripts
from tests.samples.workspaces import chinese, grown, japanese, mixed, russian, thirty_agents

__all__ = [
    "CATEGORIES",
    "Labelled",
    "Question",
    "chinese",
    "grown",
    "held_out",
    "japanese",
    "labelled",
    "mixed",
    "questions",
    "russian",
    "thirty_agents",
    "transcripts",
]
