"""How does a test get a folder with pages to search? From a crawl, in no time, of a web that is a dictionary and can change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.crawl.termination import Ending
from shoal.services import search
from shoal.store import mark_log, revisits
from shoal.testing.fakes import Answer, html
from tests.crawl.simulated import SEED, Simulation

FILLER = {
    "en": "Engineers meet every morning and talk about what was measured, repaired and planned in the past week. ",
    "zh": "工程师们每天早上开会，讨论上一周测量、维修和计划的情况，并且把结果写在报告里面。",
}


def article(title: str, text: str, *links: str, head: str = "", charset: str = "utf-8", language: str = "en") -> Answer:
    """A page with a title, a heading, a paragraph and links whose words are their paths."""
    anchors = "".join(f'<li><a href="{link}">{link.strip("/").replace("-", " ")}</a></li>' for link in links)
    page = (
        f"<html><head><meta charset={charset}><title>{title}</title>{head}</head><body><main><h1>{title}</h1>"
        f"<p>{text}</p><p>{FILLER[language]}{title}</p></main><ul>{anchors}</ul></body></html>"
    )
    return html("", page.encode(charset), content_type="text/html")


WEB: dict[str, Answer] = {
    SEED: article("The power grid", "All about the grid.", "/substation", "/转变", "/bread"),
    "http://a.test/substation": article("Substations", "A substation steps voltage down for the grid.", "/transformer"),
    "http://a.test/transformer": article("Transformers", "A transformer of a substation hums at 50 Hz."),
    "http://a.test/%E8%BD%AC%E5%8F%98": article(
        "智能电网", "变电站把高压变成低压。电网调度很重要。", "/secret", charset="gbk", language="zh"
    ),
    "http://a.test/bread": article("Bread", "Flour, water, salt and an oven."),
    "http://a.test/secret": article("Secret", "Nobody shall find this.", head='<meta name="robots" content="noindex">'),
}


class Stock:
    """A folder that a crawl has filled, and the web that it can look at again."""

    def __init__(self, folder: Path, web: Mapping[str, Answer] = WEB, **settings: Any) -> None:
        self.folder = folder
        self.crawl = Simulation(folder, dict(web), **settings)
        self.crawl.run()

    def serve(self, **answers: Answer) -> None:
        """The web changes: `path=answer`."""
        for path, answer in answers.items():
            self.crawl.servers.serve(f"http://a.test/{path}", answer)

    def look_again(self) -> Ending:
        """Look at every page again, some time later."""
        self.crawl.now += 1_000
        with mark_log.reading(self.folder) as database:
            revisits.want(database, before=self.crawl.now, relevant_only=False)
        return self.crawl.run(new_pages=False)


def titles(stock: Stock, words: str) -> list[str]:
    """What a search finds, the best first."""
    return [hit.title for hit in search.search([stock.folder], words).hits]
