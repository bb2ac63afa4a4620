"""A web of a few pages, written down in a test, as something that can be measured on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from shoal.evaluate.jobs import BenchWeb
from shoal.evaluate.offline_web import Subject
from shoal.evaluate.survey import survey
from shoal.model import Term, Topic
from shoal.settings import Settings
from shoal.testing.webserver import SimpleWeb, WebAnswer

HOME = "http://a.test/"
TOPIC = Topic(name="grid 电网", terms=(Term(text="grid"), Term(text="电网")))


@dataclass(frozen=True)
class SmallWeb:
    """Implements `OfflineWeb` over what was written down."""

    simple: SimpleWeb = field(default_factory=SimpleWeb)
    name: str = "small"

    def urls(self) -> Collection[str]:
        found = [f"http://{place}" for place, answer in self.simple._answers.items() if answer.status == 200]
        return [url for url in found if not url.endswith("/robots.txt")]

    def answer(self, url: str, nth: int = 0) -> WebAnswer | None:
        host, _, target = url.partition("://")[2].partition("/")
        answer = self.simple.answer(host, "/" + target, nth or 1)
        return None if answer.status == 404 else answer


def settings(**given: Any) -> Settings:
    return Settings(topic=TOPIC, **{"seeds": (HOME,)} | given)


def linked(**links: str) -> SmallWeb:
    """Pages of one host by their names, `home` being the front page, each with the names it links to; `r…` is on topic."""
    web = SmallWeb()
    for name, targets in links.items():
        text = f"the grid, page {name}" if name.startswith("r") else f"weather and sports, page {name}"
        web.simple.page(url_of(name), text, links=[url_of(target) for target in targets.split()])
    return web


def url_of(name: str) -> str:
    return HOME if name == "home" else HOME + name


def field_of(web: SmallWeb, *relevant: str, stamp: str = "1", **given: Any) -> BenchWeb:
    """The web with one topic, called `grid`."""
    subject = Subject(name="grid", settings=settings(**given), labelled=frozenset(map(url_of, relevant)))
    surveys = {agent: survey(web, user_agent=agent) for agent in [subject.settings.fetching.user_agent]}
    return BenchWeb(web=web, surveys=surveys, subjects={"grid": subject}, stamp=stamp)
