"""Which web does not mind how many workers come? Many hosts with small pages, each of which is answered after 200 ms.

`python -m benchmarks.slow_web PORT LOG` serves it until it is killed, and writes down every request.

The pages are put together from texts made before, so that the processor is left to the crawl. The robots.txt of a host is
answered at once: it is asked for once, before the first page, and must not stretch the start of a crawl with one worker.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from random import Random

from benchmarks import words
from shoal.testing.webserver import NOT_FOUND, WebAnswer, WebServer

ANSWER_AFTER = 0.2
"""Seconds."""
HOSTS = 500
"""Far more than all workers together ask at once: politeness must not be what is measured."""
PAGES = 40
"""Of each host."""
_TEXTS = 64
_NEARBY, _ABROAD = 5, 5
"""Links of a page to others of its host, and to other hosts."""
_HTML = (("Content-Type", "text/html; charset=utf-8"),)


def home(host: int) -> str:
    """The address of a host's first page."""
    return f"http://h{host:03d}.test/0"


class SlowWeb:
    """The same pages every time. Implements `testing.webserver.ServedWeb`."""

    def __init__(self, seed: int = 7) -> None:
        self._seed = seed
        self._texts = [_text(Random(f"{seed} {number}"), number) for number in range(_TEXTS)]

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """A page after a while; 404 for what is none."""
        number = target.removeprefix("/")
        if not number.isdigit():
            return NOT_FOUND
        rng = Random(f"{self._seed} {host} {number}")
        nearby = "".join(f'<li><a href="/{rng.randrange(PAGES)}">another part</a></li>' for _ in range(_NEARBY))
        abroad = "".join(
            f'<li><a href="{home(rng.randrange(HOSTS))[:-1]}{rng.randrange(PAGES)}">more of this</a></li>'
            for _ in range(_ABROAD)
        )
        html = f"{rng.choice(self._texts)}<p>{host} {number}</p><ul>{nearby}{abroad}</ul></body></html>\n"
        return WebAnswer(headers=_HTML, body=html.encode(), delay=ANSWER_AFTER)


def _text(rng: Random, number: int) -> str:
    """A page but for its links. Every third one is about the topic."""
    vocabulary = words.vocabulary("energy" if number % 3 == 0 else "sea", "zh" if number % 4 == 1 else "en")
    name = vocabulary.title(rng)
    paragraphs = "".join(f"<p>{' '.join(vocabulary.sentence(rng) for _ in range(3))}</p>\n" for _ in range(5))
    head = (
        f'<!DOCTYPE html>\n<html lang="{vocabulary.language}"><head><meta charset="utf-8"><title>{name}</title></head>'
    )
    return f"{head}\n<body><h1>{name}</h1>\n{paragraphs}"


async def serve(port: int, log: Path) -> None:
    async with WebServer(SlowWeb(), port=port, log=log):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2])))
