"""How is the right memory found? Question, candidates, ranking, budget."""

from remem.recall.answer import Answer, Recalled
from remem.recall.request import Request, Wishes, request
from remem.recall.run import Recall

__all__ = ["Answer", "Recall", "Recalled", "Request", "Wishes", "request"]
