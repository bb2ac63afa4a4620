"""Was this picture decoded before? Runs over one web decode each picture once."""

from __future__ import annotations

from collections.abc import Hashable

from shoal.model import Failure, Picture, Response
from shoal.protocols import Darkroom

PICTURES = 20_000
"""About 30 MB, with thumbnails as small as those of the generated web."""


class PictureMemory:
    """What was decoded in this process, whoever asked. Forgets the oldest when it is full."""

    def __init__(self, pictures: int = PICTURES) -> None:
        self._limit = pictures
        self._pictures: dict[Hashable, Picture] = {}

    def darkroom(self, web: Hashable, darkroom: Darkroom) -> Darkroom:
        """The darkroom, with a memory for the pictures of this web; `web` says whatever else makes a difference to them, too."""
        return _RememberingDarkroom(web, darkroom, self)

    def get(self, key: Hashable) -> Picture | None:
        return self._pictures.get(key)

    def put(self, key: Hashable, picture: Picture) -> None:
        while len(self._pictures) >= self._limit:
            del self._pictures[next(iter(self._pictures))]
        self._pictures[key] = picture


class _RememberingDarkroom:
    def __init__(self, web: Hashable, darkroom: Darkroom, memory: PictureMemory) -> None:
        self._web = web
        self._darkroom = darkroom
        self._memory = memory

    def develop(self, response: Response) -> Picture | Failure:
        key = self._web, response.url
        known = self._memory.get(key)
        if known is not None:
            return known
        developed = self._darkroom.develop(response)
        if isinstance(developed, Picture):  # a failure says when it happened, so it is none to remember
            self._memory.put(key, developed)
        return developed
