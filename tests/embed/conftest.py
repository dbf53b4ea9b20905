"""What the tests of the embedders share."""

from tests.embed.model import minilm, model_folder, multilingual
from tests.embed.wheels import known

__all__ = ["known", "minilm", "model_folder", "multilingual"]
