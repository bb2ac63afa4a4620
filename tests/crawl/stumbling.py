"""What happens when a part of a crawl has a bug? A small web, and a way to make any part stumble over one page of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shoal.testing.fakes import Answer
from tests.crawl.simulated import SEED, page

BAD = "http://bad.test/bad"
AFTER_IT = "http://bad.test/after"
GOOD = [f"http://h{number}.test/" for number in range(20)]
WEB: dict[str, Answer] = {
    SEED: page(BAD, AFTER_IT, *GOOD),
    BAD: page("http://h1.test/", text="bad"),
    AFTER_IT: page(text="after"),
    **{url: page(text=url) for url in GOOD},
}


def stumbles(monkeypatch: pytest.MonkeyPatch, part: type, verb: str, *, word: str = "bad.test/bad") -> None:
    """This part cannot handle what has that word in it."""
    works: Callable[..., Any] = getattr(part, verb)

    def stumbling(self: Any, *said: Any, **named: Any) -> Any:
        if any(word in repr(one)[:100] for one in said):
            raise RuntimeError(f"{verb} stumbled")
        return works(self, *said, **named)

    monkeypatch.setattr(part, verb, stumbling)
