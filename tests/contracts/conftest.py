"""What the contract suites share."""

from tests.embedders.model import minilm, model_folder

__all__ = ["minilm", "model_folder"]
