"""What the tests of the embedders share."""

from tests.embed.model import minilm, model_folder, multilingual, multilingual_folder
from tests.embed.wheels import known

__all__ = ["known", "minilm", "model_folder", "multilingual", "multilingual_folder"]
