"""How does a test get URLs that wait? From a crawl that ends when of each subject some pages came and others did not."""

from __future__ import annotations

from pathlib import Path

from shoal import services
from shoal.model import Term, Topic
from shoal.settings import Budget
from shoal.testing.fakes import Answer, html
from shoal.urls import normalise
from tests.crawl.simulated import SEED, Simulation

TOPIC = Topic(name="grid", terms=(Term(text="power grid"), Term(text="智能电网")))
SUBJECTS = {"grid": "power grid", "电网": "智能电网", "sport": "football 足球"}
MANY, ENOUGH = 12, 10
"""Pages about each subject, and pages after which the crawl is over: of each subject some wait then."""


def page(title: str, *links: tuple[str, str]) -> Answer:
    anchors = "".join(f'<li><a href="{target}">{words}</a></li>' for target, words in links)
    return html("", f"<title>{title}</title><p>{f'{title}, ' * 20}</p><ul>{anchors}</ul>")


def urls(subject: str) -> list[str]:
    return [normalise(f"{SEED}{subject}/{number}") or "" for number in range(MANY)]


def web() -> dict[str, Answer]:
    """A front page that links to all pages about each subject."""
    links = [(url, f"{words} {url[-1]}") for subject, words in SUBJECTS.items() for url in urls(subject)]
    return {SEED: page("power grid", *links)} | {url: page(words) for url, words in links}


def crawled(folder: Path, strategy: str = "learned") -> Simulation:
    simulation = Simulation(
        folder, web(), strategy=strategy, judge="", topic=TOPIC, budget=Budget(max_pages=ENOUGH), workers=1
    )
    simulation.run()
    return simulation


def waiting(folder: Path, subject: str) -> str:
    """A URL that was not fetched."""
    return next(url for url in urls(subject) if services.explain.explain_url(folder, url).state == "waiting")
