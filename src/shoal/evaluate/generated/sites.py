"""Which hosts does the generated web have, and what is odd about each? A table, read by `link_structure` and `synthetic_web`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.evaluate.generated.vocabulary import Language
from shoal.model import Term, Topic

Layout = Literal["modern", "divs", "tables", "broken", "bare"]
Declared = Literal["header", "meta", "nothing"]


@dataclass(frozen=True, slots=True)
class SiteSection:
    """A part of a site: articles about one field."""

    field: str
    articles: int
    bridges: int = 0
    """More than 0 makes it an island: no menu knows it, and this many off-topic pages in a row lead to it."""
    forbidden: int = 0
    """So many of its articles lie where robots.txt forbids to go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One host."""

    host: str
    title: str
    language: Language
    sections: tuple[SiteSection, ...] = ()
    layout: Layout = "modern"
    path: str = "/{field}/{n}.html"
    """Where article number n of a field lives."""
    charset: str = "utf-8"
    """What the bytes really are."""
    label: str = ""
    """What the page says they are, when that is something else."""
    declared: Declared = "header"
    """Where the charset is declared."""
    traditional: bool = False
    mixed: float = 0.0
    """How many of its articles go on in the other language."""
    robots: str = ""
    delay: float = 0.0
    """Seconds it takes to answer for a page."""
    refuses: int = 0
    """So many of its first requests are answered with 429."""
    partners: tuple[str, ...] = ()
    """Hosts that every page links to, in menu and footer."""
    extras: tuple[tuple[str, str], ...] = ()
    """More paths, with labels, for the menu: the entrances of traps."""

    @property
    def home(self) -> str:
        return f"http://{self.host}/"


OTHER_BOTS = "User-agent: GreedyBot\nDisallow: /\n\n"

SITES = (
    # --- portals and news: a bit of everything ---
    Site(
        host="portal.test",
        title="Portal: the web in one list",
        language="en",
        layout="divs",
        partners=("news.test", "xinwen.test", "events.test"),
        robots=OTHER_BOTS + "User-agent: *\nDisallow: /search\n",
    ),
    Site(
        host="news.test",
        title="The Norwick Courier",
        language="en",
        sections=(
            SiteSection("law", 30),
            SiteSection("sport", 30),
            SiteSection("power-grid", 14),
            SiteSection("rail", 12),
            SiteSection("electric-vehicles", 12),
            SiteSection("hydrology", 10),
        ),
        path="/2026/05/{field}-{n}",
        partners=("portal.test", "events.test", "rails.test"),
    ),
    Site(
        host="xinwen.test",
        title="青河日报",
        language="zh",
        sections=(
            SiteSection("law", 30),
            SiteSection("sport", 24),
            SiteSection("health", 20),
            SiteSection("batteries", 14),
            SiteSection("electric-vehicles", 14),
        ),
        layout="divs",
        path="/news/{field}/{n}.shtml",
        partners=("portal.test", "shenghuo.test", "dianwang.test"),
    ),
    # --- English sites with a subject ---
    Site(
        host="energy.test",
        title="Energy Review",
        language="en",
        sections=(SiteSection("power-grid", 60), SiteSection("batteries", 36), SiteSection("law", 8)),
        partners=("storage.test", "news.test", "homewise.test"),
        robots="User-agent: *\nDisallow: /drafts/\nDisallow: /*?print=\n",
    ),
    Site(
        host="gridlab.test",
        title="Grid Lab",
        language="en",
        sections=(SiteSection("power-grid", 44), SiteSection("computing", 40)),
        layout="divs",
        path="/article?id={n}&section={field}",
        partners=("uni.test", "mlnotes.test"),
    ),
    Site(
        host="storage.test",
        title="Storage World",
        language="en",
        sections=(SiteSection("batteries", 58), SiteSection("electric-vehicles", 22), SiteSection("education", 10)),
        partners=("energy.test", "evworld.test"),
    ),
    Site(
        host="evworld.test",
        title="EV World",
        language="en",
        sections=(SiteSection("electric-vehicles", 60), SiteSection("batteries", 14), SiteSection("travel", 16)),
        layout="divs",
        path="/{field}/{n}/",
        partners=("busy.test", "storage.test", "events.test"),
    ),
    Site(
        host="rails.test",
        title="Rails and Stations",
        language="en",
        sections=(SiteSection("rail", 66), SiteSection("travel", 24)),
        partners=("slow.test", "news.test", "mirror.test"),
    ),
    Site(
        host="rivers.test",
        title="River Watch",
        language="en",
        sections=(SiteSection("hydrology", 64), SiteSection("gardening", 14)),
        layout="divs",
        path="/read?article={field}.{n}",
        partners=("archive.test", "slow.test"),
    ),
    Site(
        host="homewise.test",
        title="Homewise",
        language="en",
        sections=(SiteSection("smart-home", 62), SiteSection("cooking", 22), SiteSection("gardening", 14)),
        partners=("garden.test", "busy.test"),
    ),
    Site(
        host="busy.test",
        title="Busy Plug",
        language="en",
        sections=(SiteSection("electric-vehicles", 30), SiteSection("smart-home", 26), SiteSection("music", 16)),
        layout="divs",
        refuses=5,
        partners=("evworld.test", "homewise.test"),
    ),
    Site(
        host="slow.test",
        title="The Slow Journal",
        language="en",
        sections=(SiteSection("rail", 22), SiteSection("hydrology", 24), SiteSection("music", 12)),
        delay=0.4,
        partners=("rivers.test", "portal.test"),
    ),
    Site(
        host="archive.test",
        title="County Archive",
        language="en",
        sections=(SiteSection("hydrology", 26, forbidden=8), SiteSection("law", 20, forbidden=6)),
        layout="tables",
        charset="windows-1252",
        declared="meta",
        robots="User-agent: *\nCrawl-delay: 1\nDisallow: /private/\nAllow: /\n",
        partners=("rivers.test", "news.test"),
    ),
    Site(
        host="uni.test",
        title="University of Hartfell",
        language="en",
        sections=(
            SiteSection("power-grid", 18),
            SiteSection("batteries", 16),
            SiteSection("machine-learning", 36),
            SiteSection("education", 36),
        ),
        path="/~{field}/paper{n}.html",
        mixed=0.15,
        robots="User-agent: *\nDisallow: /\n\nUser-agent: Shoal\nCrawl-delay: 0.5\nDisallow: /intranet/\n",
        partners=("daxue.test", "mlnotes.test", "gridlab.test"),
    ),
    # --- English sites that are off topic, some with an island ---
    Site(
        host="mlnotes.test",
        title="Notes on Learning Machines",
        language="en",
        sections=(
            SiteSection("machine-learning", 50),
            SiteSection("computing", 24),
            SiteSection("power-grid", 16, bridges=2),
        ),
        path="/posts/{field}-{n}.html",
        partners=("uni.test", "portal.test"),
    ),
    Site(
        host="blog.test",
        title="A Blog About Everything",
        language="en",
        sections=(
            SiteSection("travel", 26),
            SiteSection("music", 26),
            SiteSection("smart-home", 16),
            SiteSection("electric-vehicles", 16, bridges=3),
        ),
        layout="broken",
        path="/?p={n}&cat={field}",
        partners=("garden.test", "news.test", "shop.test"),
    ),
    Site(
        host="garden.test",
        title="The Patient Garden",
        language="en",
        sections=(
            SiteSection("gardening", 40),
            SiteSection("cooking", 30),
            SiteSection("rail", 14, bridges=2),
            SiteSection("smart-home", 14, bridges=3),
        ),
        layout="divs",
        partners=("blog.test", "homewise.test"),
    ),
    # --- Chinese sites with a subject ---
    Site(
        host="dianwang.test",
        title="电网观察",
        language="zh",
        sections=(SiteSection("power-grid", 60), SiteSection("computing", 14)),
        partners=("chuneng.test", "xinwen.test", "taigang.test"),
    ),
    Site(
        host="chuneng.test",
        title="储能在线",
        language="zh",
        sections=(SiteSection("batteries", 62), SiteSection("education", 8)),
        layout="tables",
        charset="gbk",
        declared="meta",
        partners=("qiche.test", "dianwang.test"),
    ),
    Site(
        host="qiche.test",
        title="电动车之家",
        language="zh",
        sections=(SiteSection("electric-vehicles", 62), SiteSection("sport", 14)),
        layout="tables",
        charset="gbk",
        declared="meta",
        path="/{field}/view.asp?id={n}",
        partners=("chuneng.test", "xinwen.test"),
    ),
    Site(
        host="tielu.test",
        title="铁路旅客网",
        language="zh",
        sections=(SiteSection("rail", 66), SiteSection("travel", 16)),
        layout="tables",
        charset="gb18030",
        label="gb2312",
        declared="meta",
        partners=("taigang.test", "xinwen.test"),
    ),
    Site(
        host="shuili.test",
        title="江河水利",
        language="zh",
        sections=(SiteSection("hydrology", 64), SiteSection("travel", 10)),
        layout="tables",
        charset="gbk",
        declared="nothing",
        path="/{field}/{n}.htm",
        partners=("daxue.test", "xinwen.test"),
    ),
    Site(
        host="jiaju.test",
        title="智慧家",
        language="zh",
        sections=(SiteSection("smart-home", 60), SiteSection("cooking", 20)),
        layout="divs",
        partners=("shenghuo.test", "luntan.test"),
    ),
    Site(
        host="taigang.test",
        title="台港工程論壇",
        language="zh",
        sections=(SiteSection("power-grid", 20), SiteSection("rail", 22), SiteSection("music", 12)),
        layout="tables",
        charset="big5",
        declared="meta",
        traditional=True,
        partners=("tielu.test", "dianwang.test"),
    ),
    Site(
        host="daxue.test",
        title="云岭大学",
        language="zh",
        sections=(
            SiteSection("machine-learning", 26),
            SiteSection("education", 20),
            SiteSection("hydrology", 18),
            SiteSection("smart-home", 14),
        ),
        mixed=0.3,
        partners=("uni.test", "shuili.test", "jiaju.test"),
    ),
    Site(
        host="luntan.test",
        title="大家谈论坛",
        language="zh",
        sections=(SiteSection("smart-home", 22), SiteSection("rail", 18), SiteSection("computing", 20)),
        layout="broken",
        path="/thread-{field}-{n}.html",
        mixed=0.15,
        partners=("jiaju.test", "tielu.test"),
    ),
    Site(
        host="shenghuo.test",
        title="生活百科",
        language="zh",
        sections=(
            SiteSection("cooking", 30),
            SiteSection("health", 36),
            SiteSection("gardening", 16),
            SiteSection("batteries", 16, bridges=3),
            SiteSection("hydrology", 14, bridges=2),
        ),
        layout="tables",
        charset="gbk",
        declared="meta",
        partners=("xinwen.test", "jiaju.test"),
    ),
    # --- odd ones: traps, mirrors, movers ---
    Site(
        host="events.test",
        title="Events in Norwick",
        language="en",
        sections=(SiteSection("music", 14), SiteSection("health", 12)),
        partners=("portal.test", "news.test"),
        extras=(("/calendar?month=2026-05", "Calendar"),),
    ),
    Site(
        host="shop.test",
        title="The Small Shop",
        language="en",
        sections=(SiteSection("cooking", 14), SiteSection("gardening", 8)),
        layout="broken",
        partners=("garden.test", "events.test"),
        extras=(("/list?page=1&sid=start", "All products"), ("/browse/", "Browse")),
    ),
    Site(host="mirror.test", title="Mirror", language="en", layout="divs", partners=("energy.test", "rails.test")),
    Site(host="short.test", title="Short links", language="en", layout="divs"),
    Site(
        host="old-energy.test", title="Energy Review has moved", language="en", layout="divs", partners=("energy.test",)
    ),
)

BY_HOST = {site.host: site for site in SITES}


def _topic(name: str, weights: dict[str, float], negative: tuple[str, ...] = ()) -> Topic:
    terms = tuple(Term(text=text, weight=weight) for text, weight in weights.items())
    return Topic(name=name, terms=terms, negative=tuple(Term(text=text, weight=0.5) for text in negative))


TOPICS = {
    topic.name: topic
    for topic in (
        _topic(
            "power-grid",
            {"power grid": 1.0, "substation": 0.8, "transformer": 0.6, "transmission line": 0.8, "smart grid": 0.8}
            | {"电网": 1.0, "变电站": 0.8, "变压器": 0.8, "输电线路": 0.8, "调度": 0.4},
            ("grid computing", "网格计算"),
        ),
        _topic(
            "batteries",
            {"battery": 1.0, "energy storage": 0.8, "lithium": 0.8, "electrolyte": 0.8, "cathode": 0.6}
            | {"电池": 1.0, "储能": 0.8, "电解液": 0.8, "正极材料": 0.6, "充放电": 0.6},
            ("test battery",),
        ),
        _topic(
            "electric-vehicles",
            {"electric car": 1.0, "electric vehicle": 1.0, "charging station": 0.8, "range": 0.4, "electric motor": 0.6}
            | {"电动汽车": 1.0, "新能源汽车": 1.0, "充电桩": 0.8, "续航": 0.6, "驱动电机": 0.6},
        ),
        _topic(
            "rail",
            {"railway": 1.0, "train": 0.8, "locomotive": 0.8, "station": 0.4, "track": 0.4, "timetable": 0.4}
            | {"铁路": 1.0, "列车": 0.8, "机车": 0.8, "车站": 0.5, "轨道": 0.5, "高铁": 0.8},
        ),
        _topic(
            "hydrology",
            {"river": 0.8, "flood": 1.0, "reservoir": 0.8, "groundwater": 0.8, "water level": 0.8, "hydrology": 1.0}
            | {"水文": 1.0, "洪水": 1.0, "水库": 0.8, "地下水": 0.8, "水位": 0.8, "流域": 0.6},
        ),
        _topic(
            "smart-home",
            {"smart home": 1.0, "smart meter": 0.8, "thermostat": 0.8, "heat pump": 0.5, "home automation": 0.8}
            | {"智能家居": 1.0, "智能电表": 0.8, "温控器": 0.8, "智能插座": 0.8, "节能": 0.5},
        ),
    )
}
"""What a person looking for each topic would type, in both languages."""

SEEDS = {
    "power-grid": ("http://energy.test/", "http://xinwen.test/"),
    "batteries": ("http://uni.test/", "http://chuneng.test/"),
    "electric-vehicles": ("http://evworld.test/", "http://xinwen.test/"),
    "rail": ("http://news.test/", "http://tielu.test/"),
    "hydrology": ("http://rivers.test/", "http://daxue.test/"),
    "smart-home": ("http://homewise.test/", "http://jiaju.test/"),
}
"""Where such a person would start: one English and one Chinese front page each."""
