"""What the tests of the embedders share."""

from tests.embedders.model import minilm, model_folder

__all__ = ["minilm", "model_folder"]
