"""On what does somebody try Shoal who does not want to ask the web? On the made-up web of `shoal demo`, on this computer."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Self

from shoal.errors import InputError
from shoal.evaluate.generated.synthetic_web import SyntheticWeb, generate
from shoal.evaluate.serve import serving


class DemoWeb:
    """A made-up web in Chinese and English, served by a process of its own until `close`, or until this program ends.

    Ask it through its `proxy`: `shoal.crawl(topic=web.topic, seeds=web.seeds, proxy=web.proxy, delay=0.05, max_pages=300)`.
    """

    def __init__(self, about: str = "power-grid", seed: int = 7) -> None:
        self._web: SyntheticWeb = generate(seed)
        if about not in self._web.topics:
            raise InputError(
                f"The made-up web knows {', '.join(self._web.topics)}; it has nothing to say about {about}."
            )
        self._about = about
        self._open = ExitStack()
        self.proxy = self._open.enter_context(serving(seed))
        """Through which it is asked."""

    @property
    def topic(self) -> str:
        """What somebody who looks for this topic would type."""
        return ", ".join(f"{term.text}={term.weight:g}" for term in self._web.topic(self._about).terms)

    @property
    def seeds(self) -> tuple[str, ...]:
        """Where somebody who looks for this topic would start."""
        return self._web.seeds(self._about)

    @property
    def relevant(self) -> frozenset[str]:
        """The truth, which no judge sees: the pages that are about the topic."""
        return self._web.relevant(self._about)

    def close(self) -> None:
        """End the server."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{len(self._web.pages):,} pages on {len(self._web.hosts)} hosts, by way of {self.proxy}>"
