"""How does shoal find the strategy of a test? The folder of `teller` is laid beside the real ones, here or in another process.

It has to be an operator's installation like any other: commands are typed, crawls are killed, folders are resumed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from shoal import services
from shoal import strategy as package
from shoal.model import Term, Topic
from shoal.settings import Settings
from shoal.store.strategy_memory import Model
from shoal.strategy import strategies
from shoal.testing.webserver import SimpleWeb, WebAnswer
from tests.running import Operator

HERE = str(Path(__file__).parent / "foretelling")
HOME = "http://home.test/"
TOPIC = "power grid, 电网"
SETTINGS = Settings(topic=Topic(name="电网", terms=(Term(text="电网"),)), seeds=(HOME,), strategy="teller")
KNOWLEDGE = b"\x81\xa9good.test\x92\x64\x64"
"""`good.test` had 100 relevant pages of 100."""
MODEL = Model(strategy="teller", shoal="0.1.0", topic=SETTINGS.topic, pages=100, at=1_800_000_000, knowledge=KNOWLEDGE)
_START = f"from shoal import strategy; strategy.__path__.append({HERE!r}); from shoal.cli import main; main()"
_VOWELS, _CONSONANTS = "aeiou", "bdfgklmnprstvz"


@contextmanager
def teller_laid() -> Iterator[None]:
    """The strategy `teller` can be chosen in this process."""
    package.__path__.append(HERE)
    _forget_names()
    try:
        yield
    finally:
        package.__path__.remove(HERE)
        sys.modules.pop(f"{package.__name__}.teller", None)
        _forget_names()


def _forget_names() -> None:
    strategies.cache_clear()
    services.choices.names.cache_clear()


class Foreteller(Operator):
    """Somebody at a keyboard whose shoal has the strategy `teller`."""

    program = ("-c", _START)


class ShallowWeb:
    """A home page with links to all others: few pages about the topic on a good host, many about nothing on dull ones."""

    def __init__(self, *, good: int, dull: int, delay: float = 0.0, good_last: bool = False) -> None:
        self._web = SimpleWeb()
        self.asked: list[str] = []
        """Every page, in the order of the requests."""
        urls = [f"http://good.test/{number}" for number in range(good)]
        urls += [f"http://dull{number % 6}.test/{number}" for number in range(dull)]
        links = urls[::-1] if good_last else urls
        self._web.page(HOME, words(Random(0), 50) + " power grid 电网", links=links, title="power grid 电网")
        for number, url in enumerate(urls):
            text, subject = words(Random(url), 60), "电网 power grid " * 20 if number < good else ""
            self._web.page(url, f"{subject}{text}", title=words(Random(number), 4), delay=delay)

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """The `Web` that `WebServer` serves."""
        if target != "/robots.txt":
            self.asked.append(f"http://{host}{target}")
        return self._web.answer(host, target, nth)


def words(random: Random, count: int) -> str:
    """Words that mean nothing, so that no page looks like another."""
    return " ".join("".join(random.choice(s) for s in (_CONSONANTS, _VOWELS) * 3) for _ in range(count))
