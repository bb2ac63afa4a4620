"""Which settings are there? The one table from which topic file keys, options, documents and forms are made.

    SETTINGS ─┬─► topic/topic_file.py            keys, and the environment
              ├─► commands/setting_options.py    options and their help; --setting for what has none of its own
              ├─► topic/setting_document.py      the tables in docs/commands.md
              └─► services/setting_forms.py      forms, with what a person may say there

Defaults stand in `settings.py` and nowhere else; ranges, words and who may say it stand here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TypedDict, Unpack

from shoal.errors import InputError
from shoal.settings import Politeness
from shoal.topic.setting_entry import Kind, Setter, SettingEntry, Wording
from shoal.topic.value_readers import USUAL_SHARE, did_you_mean, quoted

SECTIONS: Mapping[str, Wording] = {
    "start": Wording("What to look for, and where to begin", "找什么，从哪里开始"),
    "pages": Wording("Which pages", "哪些网页"),
    "learning": Wording("What to learn meanwhile", "边抓边学什么"),
    "limits": Wording("When to stop", "何时停止"),
    "asking": Wording("How to ask", "如何访问网站"),
    "cluster": Wording("Many machines", "多台机器"),
    "rare": Wording("What is rarely changed", "很少需要改动的"),
}
"""In the order in which they are needed."""
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_LARGEST_BODY = 64 * 2**20
"""A body is held in memory, and one that is larger could not be mended when a file is damaged (`store/recovery.py`)."""
_NO_LIMIT = Wording("no limit", "不限")
_JUDGES_OWN = Wording("the judge's own", "由评判决定")
_STRATEGYS_OWN = Wording("the strategy's own", "由策略决定")
_MOST_PIXELS = 89_000_000
"""Pillow itself warns of more."""


class _More(TypedDict, total=False):
    """What not every entry has."""

    least: float
    most: float
    person_least: float
    unit: str
    by: Setter
    option: str
    metavar: str
    variable: str
    words_of_yes: tuple[str, str]
    unset: Wording
    resumable: bool


def _entry(
    section: str,
    name: str,
    kind: Kind,
    places: str,
    en: tuple[str, str],
    zh: tuple[str, str],
    **more: Unpack[_More],
) -> SettingEntry:
    """An entry of this section; after where it goes, its label and its help in both languages."""
    label, text = (Wording(*both) for both in zip(en, zh, strict=True))
    where = tuple(places.split())
    return SettingEntry(name=name, kind=kind, places=where, section=section, label=label, help=text, **more)


_start, _pages, _learning, _limits, _asking, _cluster, _rare = (partial(_entry, section) for section in SECTIONS)


# fmt: off
SETTINGS: tuple[SettingEntry, ...] = (
    _start("name", "line", "topic.name",
           ("Name", "What the topic is called."),
           ("名称", "主题叫什么。"), resumable=False),
    _start("keywords", "words", "topic.terms",
           ("Words", "The words to look for, with their weights: 'power grid, substation=0.8, 电网'."),
           ("关键词", "要找的词及其权重：'power grid, substation=0.8, 电网'。"), option="--topic", resumable=False),
    _start("learned", "learned", "topic.learned",
           ("Learned words", "Words that were learned from pages, with their weights."),
           ("学到的词", "从网页中学到的词及其权重。"), resumable=False),
    _start("not", "words", "topic.negative",
           ("Unwanted words", "Words that speak against a page."),
           ("排除词", "出现即对网页不利的词。"), resumable=False),
    _start("any", "topics", "topic.any",
           ("Several topics", "Topics of which one must match, each with words of its own."),
           ("多个主题", "多个主题，各有关键词，符合其一即可。"), resumable=False),
    _start("seeds", "urls", "seeds",
           ("Seeds", "A URL to start from."),
           ("种子网址", "从哪个网址开始。"), option="--seed", resumable=False),
    _start("language", "languages", "topic.languages fetching.languages",
           ("Languages", "Languages that servers are asked for, best first, such as en or zh."),
           ("语言", "向服务器请求的语言，优先者在前，如 zh 或 en。"), resumable=False),
    _start("label", "line", "label",
           ("Label", "What the topic is called in a table of hand-made labels; only measuring looks at it."),
           ("标注名", "主题在人工标注表中的名称，仅用于评测。"), by="operator", resumable=False),

    _pages("strategy", "choice", "strategy",
           ("Strategy", "Which link next."),
           ("策略", "下一步走哪个链接。"), option="--strategy"),
    _pages("judge", "choice", "judge",
           ("Judge", "What is relevant; else the judge of the strategy decides."),
           ("评判", "怎样算相关；不填则用策略自带的评判。"), option="--judge", unset=_STRATEGYS_OWN),
    _pages("threshold", "number", "topic.threshold",
           ("Threshold", "A page scoring at least this is relevant; else the judge decides."),
           ("阈值", "得分不低于此值的网页算相关；不填则由评判决定。"), least=0,
           option="--threshold", metavar="SCORE", unset=_JUDGES_OWN),
    _pages("scope", "choice", "scope.kind",
           ("Scope", "Stay near the seeds: on their host, in their domain, or below their folder (prefix)."),
           ("范围", "只在种子附近：同一主机 (host)、同一域名 (domain) 或同一目录 (prefix)。"), option="--scope", metavar="WORD"),
    _pages("include", "patterns", "scope.include",
           ("Only these URLs", "Only URLs that match: '*/energy/*'."),
           ("只要这些网址", "只抓匹配的网址：'*/energy/*'。"), option="--include"),
    _pages("exclude", "patterns", "scope.exclude",
           ("Not these URLs", "No URL that matches: '*.pdf'."),
           ("不要这些网址", "不抓匹配的网址：'*.pdf'。"), option="--exclude"),
    _pages("parameters", "numbers", "parameters",
           ("Numbers of the strategy", "A number of the strategy, such as width=10 (shoal strategies)."),
           ("策略参数", "策略的参数，如 width=10（见 shoal strategies）。"), option="--set", unset=_STRATEGYS_OWN),
    _pages("images", "yes", "images.wanted",
           ("Images", "Keep the images whose descriptions are about the topic."),
           ("图片", "保存描述与主题相关的图片。"), option="--images/--no-images", words_of_yes=("relevant", "none")),
    _pages("all_images", "yes", "images.wanted",
           ("All images", "Keep all images of the pages, whatever they show."),
           ("全部图片", "保存网页上的全部图片，不论内容。"), option="--all-images", words_of_yes=("all", "none")),

    _learning("learn_from_seeds", "yes", "learning.from_seeds",
              ("Learn from the seeds", "Learn words from the seed pages."),
              ("从种子学习", "从种子网页学习词语。"), option="--learn-from-seeds/--no-learn-from-seeds"),
    _learning("adapt_topic", "yes", "learning.adapt_topic",
              ("Adapt the topic", "Learn words from the pages found relevant."),
              ("调整主题", "从相关网页学习词语。"), option="--adapt-topic/--no-adapt-topic"),
    _learning("adapt_threshold", "yes", "learning.adapt_threshold",
              ("Adapt the threshold", "Ask more where much is found, or less."),
              ("调整阈值", "相关网页多则提高要求，少则降低。"), option="--adapt-threshold/--no-adapt-threshold"),
    _learning("adapt_interval", "whole", "learning.interval",
              ("Interval", "Pages between two adaptations."),
              ("调整间隔", "两次调整之间的网页数。"), least=1, option="--adapt-interval"),
    _learning("adapt_wanted", "whole", "learning.wanted",
              ("Wanted per interval", "Relevant pages wanted per interval."),
              ("每次所需", "每个间隔希望得到的相关网页数。"), least=1, option="--adapt-wanted"),

    _limits("max_pages", "whole", "budget.max_pages",
            ("Pages", "Stop after so many pages."),
            ("网页数", "抓取这么多网页后停止。"), least=1, option="--max-pages", unset=_NO_LIMIT),
    _limits("max_pages_per_host", "whole", "budget.max_pages_per_host",
            ("Pages per host", "Take no more pages than this from one host."),
            ("每个主机的网页数", "每个主机最多抓取的网页数。"), least=1, option="--max-pages-per-host", unset=_NO_LIMIT),
    _limits("max_depth", "whole", "budget.max_depth",
            ("Depth", "Follow no more links than this from a seed; 0 means the seeds only."),
            ("深度", "离种子最多几个链接；0 表示只抓种子。"), least=0, option="--max-depth", unset=_NO_LIMIT),
    _limits("max_bytes", "bytes", "budget.max_bytes",
            ("Bytes", "Stop after so many bytes of pages: 500k, 20MB, 2GiB."),
            ("字节数", "网页达到这么多字节后停止：500k、20MB、2GiB。"), least=1, option="--max-bytes", unset=_NO_LIMIT),
    _limits("max_images", "whole", "images.max_images",
            ("Images", "Fetch no more images than this."),
            ("图片数", "最多抓取的图片数。"), least=1, option="--max-images", unset=_NO_LIMIT),
    _limits("max_time", "time", "budget.max_time",
            ("Time", "Stop after so long, all runs together: 90, 90s, 10m, 1h30m, 1d."),
            ("时间", "抓取这么久后停止，各次运行合计：90、90s、10m、1h30m、1d。"), option="--max-time", unset=_NO_LIMIT),
    _limits("until_done", "share", "budget.until_done",
            ("Until done", f"Stop when the next pages promise too few relevant ones: a share below {USUAL_SHARE:.0%}, or SHARE."),
            ("直到抓完", f"预计后面的相关网页太少时停止：比例低于 {USUAL_SHARE:.0%}，或所给的比例。"),
            least=0, most=1, option="--until-done", metavar="[SHARE]"),

    _asking("delay", "number", "politeness.delay",
            ("Delay", "Between requests to one host; a longer Crawl-delay wins, and 0 is for one's own hosts."),
            ("间隔", "对同一主机两次请求的间隔；更长的 Crawl-delay 优先，0 只用于自己的主机。"),
            least=0, most=_DAY, person_least=Politeness().delay, unit="seconds", option="--delay", metavar="SECONDS"),
    _asking("per_host", "whole", "politeness.per_host",
            ("Requests per host", "Requests in flight to one host; more than 1 is for one's own hosts."),
            ("每个主机的请求数", "对同一主机同时进行的请求数；大于 1 只用于自己的主机。"),
            least=1, most=1_000, option="--per-host", by="operator"),
    _asking("concurrency", "whole", "fetching.concurrency",
            ("Requests", "Requests in flight in all."),
            ("请求数", "同时进行的请求总数。"), least=1, most=10_000, option="--concurrency", by="operator"),
    _asking("hurry", "yes", "fetching.hurry",
            ("Hurry", "With a budget of pages: never wait for the host of a better link."),
            ("赶时间", "限制网页数时：不等待更好链接所在的主机。"), option="--hurry/--no-hurry"),
    _asking("processes", "whole", "processes",
            ("Processes", "Processes that fetch and judge; 1 does everything in one."),
            ("进程数", "抓取和评判的进程数；1 表示全在一个进程里。"), least=1, most=1_000, option="--processes", by="operator"),
    _asking("index", "yes", "index",
            ("Searchable meanwhile", "Make pages searchable meanwhile, or by the first search."),
            ("边抓边建索引", "边抓边建索引，否则由第一次搜索来建。"), option="--index/--no-index"),
    _asking("user_agent", "user_agent", "fetching.user_agent",
            ("Name", "The name we go by, to robots.txt too."),
            ("爬虫名", "我们的名字，robots.txt 也以此为准。"), option="--user-agent", variable="SHOAL_USER_AGENT", by="operator"),
    _asking("contact", "header", "fetching.contact",
            ("Contact", "Where a site's owner reaches you."),
            ("联系方式", "网站所有者如何联系您。"), option="--contact", variable="SHOAL_CONTACT", by="operator"),
    _asking("proxy", "proxy", "fetching.proxy",
            ("Proxy", "An HTTP proxy for all requests; it is trusted, so checking addresses is its business."),
            ("代理", "所有请求使用的 HTTP 代理；代理受信任，地址检查由它负责。"),
            option="--proxy", variable="SHOAL_PROXY", by="operator"),
    _asking("allow_private", "networks", "fetching.allow_private",
            ("Private addresses", "Private addresses allowed: 127.0.0.0/8."),
            ("内网地址", "允许访问的内网地址：127.0.0.0/8。"), option="--allow-private", by="operator"),

    _cluster("database", "database", "cluster.database",
             ("Database", "Remember the crawl in PostgreSQL: postgresql://user:password@host/name."),
             ("数据库", "用 PostgreSQL 保存抓取状态：postgresql://user:password@host/name。"),
             option="--database", variable="SHOAL_DATABASE", by="operator"),
    _cluster("broker", "broker", "cluster.broker",
             ("Broker", "Hand out the work by RabbitMQ: amqp://user:password@host/."),
             ("消息队列", "用 RabbitMQ 分发任务：amqp://user:password@host/。"),
             option="--broker", variable="SHOAL_BROKER", by="operator"),

    _rare("image_threshold", "number", "images.threshold",
          ("Threshold of images", "An image whose description scores at least this is about the topic."),
          ("图片阈值", "描述得分不低于此值的图片算相关。"), least=0, most=1, metavar="SCORE", unset=_JUDGES_OWN),
    _rare("least_image_side", "whole", "images.least_side",
          ("Least side of an image", "What is smaller on one side is an icon, a spacer or a tracker."),
          ("图片最短边", "任一边小于此值的是图标、占位或跟踪图片。"), least=0, most=10_000, unit="pixels"),
    _rare("max_image_pixels", "whole", "images.max_pixels",
          ("Pixels of an image", "A larger image is not decoded."),
          ("图片像素", "更大的图片不解码。"), least=10_000, most=_MOST_PIXELS, unit="pixels", by="operator"),
    _rare("max_image_bytes", "bytes", "fetching.max_image",
          ("Bytes of an image", "A larger image is left where it is."),
          ("图片字节数", "更大的图片不下载。"), least=1_000, most=_LARGEST_BODY, by="operator"),
    _rare("max_body", "bytes", "fetching.max_body",
          ("Bytes of a page", "What a page has more than this, unpacked, is cut off."),
          ("网页字节数", "网页解压后超出的部分会被截去。"), least=1_000, most=_LARGEST_BODY, by="operator"),
    _rare("connect_timeout", "time", "fetching.connect_timeout",
          ("Connecting", "How long connecting to a server may take."),
          ("连接时限", "连接服务器最多多久。"), least=0.1, most=10 * _MINUTE, by="operator"),
    _rare("answer_timeout", "time", "fetching.answer_timeout",
          ("Answering", "How long a server may be silent."),
          ("应答时限", "服务器最多多久没有回应。"), least=0.1, most=10 * _MINUTE, by="operator"),
    _rare("total_timeout", "time", "fetching.total_timeout",
          ("A whole request", "How long a request may take in all."),
          ("请求时限", "一次请求总共最多多久。"), least=1, most=_HOUR, by="operator"),
    _rare("per_address", "whole", "politeness.per_address",
          ("Requests per address", "Requests in flight to one IP address, over all the hosts that live there."),
          ("每个地址的请求数", "对同一 IP 地址同时进行的请求数，该地址上的主机合计。"), least=1, most=1_000, by="operator"),
    _rare("fetch_factor", "number", "politeness.fetch_factor",
          ("Rest after slow answers", "A host is left alone for so many times as long as it took to answer."),
          ("慢速间隔倍数", "主机应答用时的多少倍之后才再访问它。"), least=0, most=100, by="operator"),
    _rare("max_crawl_delay", "time", "politeness.max_crawl_delay",
          ("Longest Crawl-delay", "A longer Crawl-delay in robots.txt counts as this."),
          ("最长 Crawl-delay", "robots.txt 中更长的 Crawl-delay 按此值算。"), least=30, most=_DAY, by="operator"),
    _rare("attempts", "whole", "politeness.attempts",
          ("Attempts", "How often a URL is asked for when failures may heal."),
          ("尝试次数", "可能恢复的失败最多尝试几次。"), least=1, most=20, by="operator"),
    _rare("backoff_first", "time", "politeness.backoff_first",
          ("First rest", "How long a host rests after its first trouble; doubles each time."),
          ("首次休息", "主机第一次出问题后休息多久，之后每次加倍。"), least=1, most=_HOUR, by="operator"),
    _rare("backoff_cap", "time", "politeness.backoff_cap",
          ("Longest rest", "How long a host in trouble rests at most."),
          ("最长休息", "出问题的主机最多休息多久。"), least=_MINUTE, most=7 * _DAY, by="operator"),
    _rare("max_retry_after", "time", "politeness.max_retry_after",
          ("Longest Retry-After", "A longer Retry-After counts as this."),
          ("最长 Retry-After", "更长的 Retry-After 按此值算。"), least=_MINUTE, most=_DAY, by="operator"),
    _rare("robots_ttl", "time", "politeness.robots_ttl",
          ("Age of robots.txt", "How long the rules of a robots.txt hold before it is read again."),
          ("robots.txt 有效期", "robots.txt 的规则多久之后重新读取。"), least=_MINUTE, most=_DAY, by="operator"),
    _rare("robots_retry", "time", "politeness.robots_retry",
          ("Unreadable robots.txt", "How long a host is left alone whose robots.txt cannot be read."),
          ("robots.txt 不可读", "robots.txt 无法读取的主机多久之后再试。"), least=_MINUTE, most=_DAY, by="operator"),
    _rare("max_queue", "whole", "budget.max_queue",
          ("URLs that wait", "When more URLs wait, the worst are dropped."),
          ("等待的网址数", "等待的网址超过此数时，丢弃最差的。"), least=1_000, most=100_000_000, by="operator"),
)
# fmt: on
"""In the order in which they are listed."""

_BY_NAME = {entry.name: entry for entry in SETTINGS}
ENVIRONMENT: Mapping[str, str] = {entry.variable: entry.name for entry in SETTINGS if entry.variable}
"""Which variable says what."""


def setting(name: str) -> SettingEntry:
    """The one of this name; who asks for another than there is hears which was meant."""
    if (found := _BY_NAME.get(name)) is None:
        hint = did_you_mean(name, _BY_NAME) or "; 'shoal help settings' lists them all"
        raise InputError(f"There is no setting {quoted(name)}{hint}")
    return found


def check_allowed(names: Iterable[str], by: Setter) -> None:
    """May they say these? What reaches beyond their own crawl is the operator's: one sentence names the first."""
    for name in names:
        if not setting(name).allows(by):
            raise InputError(f"{name} is for the operator of this installation to set: leave it out")
