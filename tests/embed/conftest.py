"""What the tests of the embedders share."""

from tests.embedders.model import minilm, model_folder, multilingual
from tests.embedders.wheels import known

__all__ = ["known", "minilm", "model_folder", "multilingual"]
