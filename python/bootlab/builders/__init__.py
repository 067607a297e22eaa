"""From a system to the files that boot it. Everything made is cached by the content it was made from."""

from bootlab.builders.artefacts import Artefacts, build
from bootlab.builders.cache import Cache
from bootlab.builders.compress import available

__all__ = ["Artefacts", "Cache", "available", "build"]
