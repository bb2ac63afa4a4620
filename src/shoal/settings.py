"""Every number a crawl depends on, in one small frozen struct per part.

Read once (topic file, environment, flags: `topic/topic_file.py`), stored beside the crawl, passed down by `services/crawls.py`.
Defaults stand here and nowhere else; ranges, words and who may say a setting stand in `topic/setting_table.py`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from shoal.model import Topic
from shoal.urls import shown

USER_AGENT = "Shoal/0.1"
"""The product token robots.txt files are matched against is the part before the slash."""


STRATEGY = "learned"
"""What a user gets who names none."""


class SettingsPart(msgspec.Struct, frozen=True, kw_only=True):
    """The common shape of all settings: they cannot change after they were read, and are printed without passwords."""

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Field by field, as logs and tracebacks may show them."""
        values = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return [(name, shown(value) if isinstance(value, str) else value) for name, value in values]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"


class ListenAddress(SettingsPart, frozen=True, kw_only=True):
    """Where others reach a server of ours; said for each run, and not stored."""

    port: int
    """0 for any that is free."""
    host: str = "127.0.0.1"


class Fetching(SettingsPart, frozen=True, kw_only=True):
    """How a worker talks to servers."""

    user_agent: str = USER_AGENT
    contact: str = ""
    """A page or address where a site's owner reaches the operator; sent with the User-Agent."""
    proxy: str = ""
    """An HTTP proxy for every request; it is trusted, so the address check is its business then."""
    languages: tuple[str, ...] = ()
    """Sent as Accept-Language."""
    allow_private: tuple[str, ...] = ()
    """Address ranges (`127.0.0.0/8`) that may be connected to although they are not public."""
    connect_timeout: float = 10.0
    answer_timeout: float = 20.0
    """Seconds until the first byte of the answer."""
    total_timeout: float = 60.0
    max_body: int = 10 * 2**20
    """Bytes of a body after decompression; more is cut off."""
    max_image: int = 20 * 2**20
    """Bytes of an image; a larger one is left."""
    concurrency: int = 64
    """Requests in flight at once, over all hosts."""
    hurry: bool = False
    """With a page budget, too: rather ask for a poor URL at once than wait for the host of a better one."""


class Politeness(SettingsPart, frozen=True, kw_only=True):
    """How often a host is asked."""

    delay: float = 1.0
    """Seconds between two requests to one host."""
    per_host: int = 1
    """Requests in flight to one host; more than 1 is for one's own hosts."""
    per_address: int = 4
    """Requests in flight to one IP address, over all the hosts that live there."""
    fetch_factor: float = 2.0
    """A host that took t seconds to answer is left alone for at least this many times t."""
    max_crawl_delay: float = 300.0
    """A longer Crawl-delay in robots.txt counts as this."""
    backoff_first: float = 5.0
    """Seconds of rest after the first 429, 503 or failed connection; doubles each time, with jitter."""
    backoff_cap: float = 3600.0
    attempts: int = 4
    """How often a URL is asked for, when failures may heal."""
    max_retry_after: float = 24 * 3600.0
    """A longer Retry-After counts as this."""
    robots_ttl: float = 24 * 3600.0
    robots_retry: float = 600.0
    """How long a host whose robots.txt cannot be read (5xx, unreachable) is left alone."""


class Budget(SettingsPart, frozen=True, kw_only=True):
    """When a crawl is over. None means no limit."""

    max_pages: int | None = None
    max_pages_per_host: int | None = None
    max_depth: int | None = None
    max_bytes: int | None = None
    max_time: float | None = None
    """Seconds of crawling, over all resumes together."""
    max_queue: int = 5_000_000
    """URLs waiting at once; when there are more, the worst are dropped."""
    until_done: float | None = None
    """The least share of relevant pages that the next pages must promise; below it the topic is exhausted."""


class ImageSettings(SettingsPart, frozen=True, kw_only=True):
    """Which images of the pages are kept."""

    wanted: Literal["none", "relevant", "all"] = "none"
    """Only those whose description is about the topic, or all that are no icons."""
    threshold: float | None = None
    """The least cosine of a description with the topic; None means the image judge's own default."""
    max_images: int | None = None
    """Downloaded, over all resumes together."""
    max_pixels: int = 50_000_000
    least_side: int = 64
    """Pixels; what is smaller on one side is an icon, a spacer or a tracker."""


class Scope(SettingsPart, frozen=True, kw_only=True):
    """Which URLs belong to the crawl at all."""

    kind: Literal["any", "host", "domain", "prefix"] = "any"
    """Relative to the seeds: anywhere, the same host, the same registered domain, below the same path."""
    include: tuple[str, ...] = ()
    """Only URLs that match one of these patterns (`*` stands for anything); empty means all."""
    exclude: tuple[str, ...] = ()
    """No URL that matches one of these patterns."""


class Learning(SettingsPart, frozen=True, kw_only=True):
    """What a crawl may learn about its topic."""

    from_seeds: bool = False
    """Words and weights are learned from the seed pages."""
    adapt_topic: bool = False
    """The topic is re-estimated from what was found relevant and what was not."""
    adapt_threshold: bool = False
    """The threshold rises when too much is found, and falls when too little is."""
    interval: int = 100
    """Pages between two re-estimates."""
    wanted: int = 20
    """S of AVSM 2.2.1: pages at or above the threshold that the user would like to have per interval."""

    @property
    def reads_pages(self) -> bool:
        """True when the texts of pages are needed for it."""
        return self.from_seeds or self.adapt_topic or self.adapt_threshold


class Cluster(SettingsPart, frozen=True, kw_only=True):
    """The servers of a crawl of many machines. They may have passwords, so they are no part of `Settings`, which travel."""

    database: str = ""
    """The URL of a PostgreSQL database that remembers the crawl; empty: a SQLite file in its folder does."""
    broker: str = ""
    """The URL of a RabbitMQ server that hands out the work; empty: the coordinator does."""


class Settings(SettingsPart, frozen=True, kw_only=True):
    """All that a crawl is: what `resume` needs to go on."""

    topic: Topic
    seeds: tuple[str, ...]
    """Absolute and in normal form."""
    strategy: str = STRATEGY
    parameters: tuple[tuple[str, float], ...] = ()
    """Numbers of the strategy that the user set."""
    judge: str = ""
    """Empty: the one that the strategy's paper runs it with."""
    scope: Scope = Scope()
    budget: Budget = Budget()
    politeness: Politeness = Politeness()
    fetching: Fetching = Fetching()
    learning: Learning = Learning()
    images: ImageSettings = ImageSettings()
    processes: int = 1
    """1: everything in one process; more: that many worker processes beside the coordinator."""
    index: bool = True
    """Pages are made searchable while the crawl runs; else by the first search."""
    has_model: bool = False
    """The folder keeps what another crawl learned (`store/strategy_memory.py`), and the strategy begins with it."""
    label: str = ""
    """The name of this topic in a table of hand-made labels; only measuring looks at it."""
