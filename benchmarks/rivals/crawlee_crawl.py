"""How fast does crawlee crawl the site? Its parsel crawler follows links and notes title and URL, all in memory.

Run by crawlee's own Python (`.venv-bench`): `python crawlee_crawl.py URL`.
"""

import asyncio
import logging
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def crawl(url: str) -> None:
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(min_concurrency=64, max_concurrency=100, desired_concurrency=100),
        storage_client=MemoryStorageClient(),
        max_request_retries=0,
        configure_logging=False,
    )
    titles: dict[str, str | None] = {}

    @crawler.router.default_handler  # type: ignore[untyped-decorator]  # crawlee is not installed where mypy runs
    async def follow(context: ParselCrawlingContext) -> None:
        titles[context.request.url] = context.selector.css("title::text").get()
        await context.enqueue_links(strategy="same-hostname")

    await crawler.run([url])


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    asyncio.run(crawl(sys.argv[1]))
