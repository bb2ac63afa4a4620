"""How fast does Scrapy crawl the site? A bare spider: it follows links and yields title and URL, nothing is stored.

Run by Scrapy's own Python (`.venv-bench`): `python scrapy_spider.py URL [tuned]`. The plain spider takes the links with
Scrapy's link extractor, as its documentation does; the tuned one reads the attributes itself and drops repeated links
before they become requests, which only works because it knows this site.
"""

import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor

# What Scrapy's documentation advises for broad crawls; one host may be asked as often as all together.
SETTINGS = {
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
    "REACTOR_THREADPOOL_MAXSIZE": 20,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_TIMEOUT": 15,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}


class Plain(Spider):  # type: ignore[misc]  # Scrapy is not installed where mypy runs
    """Follows every link on the host that the link extractor finds."""

    name = "plain"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]
        self.extractor = LinkExtractor(allow_domains=[urlsplit(url).netloc])

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "title": response.css("title::text").get()}
        yield from response.follow_all(self.links(response), callback=self.parse)

    def links(self, response: Response) -> list[Any]:
        found: list[Any] = self.extractor.extract_links(response)
        return found


class Tuned(Plain):
    """Follows the links that begin with a slash: on this site, those are the links on the host."""

    name = "tuned"

    def links(self, response: Response) -> list[Any]:
        return [href for href in set(response.css("a::attr(href)").getall()) if href.startswith("/")]


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(Tuned if "tuned" in sys.argv[2:] else Plain, url=sys.argv[1])
    process.start()
