"""What does a robots.txt say to us? RFC 9309 by cases."""

import time
from random import Random

import pytest
from protego import Protego

from shoal.parse.robots_txt import (
    ALLOW_ALL,
    DISALLOW_ALL,
    LONGEST_DELAY,
    MAX_TEXT,
    MOST_WILDCARDS,
    Robots,
    product_token,
)

SITE = "https://a.test"

ALL_BUT_X = "User-agent: *\nDisallow: /x"
CASES = [
    # what, robots.txt, path, allowed
    ("no rules", "", "/", True),
    ("plain", ALL_BUT_X, "/x", False),
    ("prefix", ALL_BUT_X, "/xylophone", False),
    ("other path", ALL_BUT_X, "/y/x", True),
    ("paths have case", ALL_BUT_X, "/X", True),
    ("everything", "User-agent: *\nDisallow: /", "/", False),
    ("nothing", "User-agent: *\nDisallow:", "/", True),
    ("the longest rule wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
    ("the longest rule wins in any order", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
    ("allow wins a tie", "User-agent: *\nDisallow: /p\nAllow: /p", "/p", True),
    ("star", "User-agent: *\nDisallow: /*.pdf", "/a/b.pdf?x=1", False),
    ("end", "User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x=1", True),
    ("end matches", "User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
    ("query", "User-agent: *\nDisallow: /*?", "/a?b", False),
    ("escapes are the same", "User-agent: *\nDisallow: /%E7%94%B5", "/%E7%94%B5%E7%BD%91", False),
    ("raw UTF-8 is the same", "User-agent: *\nDisallow: /电", "/%E7%94%B5%E7%BD%91", False),
    ("robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", True),
    ("our group", "User-agent: *\nDisallow:\n\nUser-agent: shoal\nDisallow: /x", "/x", False),
    ("our group alone counts", "User-agent: *\nDisallow: /\n\nUser-agent: Shoal\nDisallow: /x", "/y", True),
    ("names have no case", "User-agent: SHOAL\nDisallow: /x", "/x", False),
    ("version after the name", "User-agent: Shoal/9.9\nDisallow: /x", "/x", False),
    ("words after the name", "User-agent: Shoal the crawler\nDisallow: /x", "/x", False),
    ("a prefix of our name", "User-agent: sho\nDisallow: /", "/", True),
    ("our name is a prefix", "User-agent: shoaling\nDisallow: /", "/", True),
    ("our name inside", "User-agent: my-shoal\nDisallow: /", "/", True),
    ("somebody else", "User-agent: Googlebot\nDisallow: /", "/", True),
    ("groups of one name are joined", "User-agent: shoal\nDisallow: /a\nUser-agent: shoal\nDisallow: /b", "/b", False),
    ("one group of many names", "User-agent: one\nUser-agent: shoal\nUser-agent: two\nDisallow: /x", "/x", False),
    ("rules before any group", "Disallow: /\nUser-agent: *\nAllow: /", "/x", True),
    ("comments", "User-agent: * # all\nDisallow: /x # secret", "/x", False),
    ("byte order mark", "\ufeff" + ALL_BUT_X, "/x", False),
    ("DOS lines", ALL_BUT_X.replace("\n", "\r\n"), "/x", False),
    ("old Macintosh lines", "User-agent: shoal\rDisallow: /x", "/x", False),
    ("no colon", "User-agent *\nDisallow /x", "/x", False),
    ("spaces", "   User-agent  :  *  \n  Disallow  :  /x  ", "/x", False),
    ("unknown lines", "User-agent: *\nFoo: bar\nDisallow: /x", "/x", False),
    ("sitemaps do not end a group", "User-agent: *\nSitemap: https://a.test/s.xml\nDisallow: /x", "/x", False),
    ("HTML", "<!doctype html><html><body><h1>Welcome</h1><p>Disallow: /</p></body></html>", "/", True),
    ("NUL bytes", "\x00\x00\x00" * 100, "/", True),
    ("unknown lines do not end the names", "User-agent: shoal\nFoo: bar\nUser-agent: two\nDisallow: /x", "/x", False),
    ("a star that is escaped", "User-agent: *\nDisallow: /a%2Ab", "/a*b", False),
    ("an escaped star is no star", "User-agent: *\nDisallow: /a%2Ab", "/axb", True),
    ("small letters in escapes", "User-agent: *\nDisallow: /%e7%94%b5", "/%E7%94%B5", False),
    ("an escaped slash is none", "User-agent: *\nDisallow: /a/b", "/a%2Fb", True),
    ("a folder by its index", "User-agent: *\nDisallow: /\nAllow: /a/index.html", "/a/", True),
    ("a star behind the rule", "User-agent: *\nDisallow: /a/*", "/a/b", False),
    ("a star and the end", "User-agent: *\nDisallow: /a/*$", "/a/b", False),
    ("two ends", "User-agent: *\nDisallow: /*.a$\nAllow: /*b.a$", "/b.a", True),
    ("ends do not overlap", "User-agent: *\nDisallow: /*aba*ba$", "/aba", True),
    ("a surrogate", "User-agent: *\nDisallow: /\ud800", "/x", True),
    ("many stars", "User-agent: *\nDisallow: /" + "*a" * 2000 + "b", "/" + "a" * 5000, True),
]


@pytest.mark.parametrize(("text", "path", "allowed"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_rules(text: str, path: str, allowed: bool) -> None:
    assert Robots(text, "Shoal/0.1").allowed(SITE + path) is allowed


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 2.5", 2.5),
        ("User-agent: shoal\nCrawl-delay: 7\n\nUser-agent: *\nCrawl-delay: 1", 7.0),
        ("User-agent: sho\nCrawl-delay: 7", None),
        ("User-agent: *\nCrawl-delay: soon", None),
        ("User-agent: *\nCrawl-delay: inf", None),
        ("User-agent: *\nCrawl-delay: nan", None),
        ("User-agent: *\nCrawl-delay: -3", None),
        ("User-agent: *\nCrawl-delay: -1e999", None),
        ("User-agent: *\nCrawl-delay: 1e999", LONGEST_DELAY),
        ("User-agent: *\nCrawl-delay: " + "9" * 400_000, LONGEST_DELAY),
        ("User-agent: *\nCrawl-delay: 3\nCrawl-delay: 2", 3.0),
        ("", None),
    ],
)
def test_crawl_delay(text: str, delay: float | None) -> None:
    assert Robots(text, "Shoal/0.1").crawl_delay == delay


def test_only_the_first_500_kib_count() -> None:
    text = "User-agent: *\nDisallow: /early\n" + "#" * MAX_TEXT + "\nDisallow: /late\n"
    rules = Robots(text, "Shoal")
    assert not rules.allowed(SITE + "/early")
    assert rules.allowed(SITE + "/late")


def test_half_a_line_at_the_end_is_not_read() -> None:
    start = "User-agent: *\nDisallow: /\n"
    text = start + "#" * (MAX_TEXT - len(start) - len("\nAllow: /")) + "\nAllow: /only/this\n"
    assert not Robots(text, "Shoal").allowed(SITE + "/secret")


# --- whose name is it ------------------------------------------------------------------------------------------------

NAMES = [
    # our user agent, what the site calls us, is it us
    ("Crawler9000", "Crawler9000", True),
    ("Crawler9000/1.0", "crawler9000", True),
    ("Crawler9000/1.0 (+https://x.test)", "CRAWLER9000/2.0", True),
    ("Crawler9000", "Crawler", True),
    ("my.bot/1.0", "my.bot", True),
    ("my.bot/1.0", "My.Bot/1.0 (+https://x.test)", True),
    ("my.bot/1.0", "my", True),
    ("my.bot/1.0", "bot", False),
    ("Crawler9000", "9000", False),
    ("Crawler9000", "Craw", False),
    ("a_b-c", "A_B-C", True),
]


@pytest.mark.parametrize(("agent", "name", "is_us"), NAMES)
def test_a_site_may_call_us_as_we_call_ourselves(agent: str, name: str, is_us: bool) -> None:
    assert Robots(f"User-agent: {name}\nDisallow: /x", agent).allowed(SITE + "/x") is not is_us


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: Crawler9000\nAllow: /\n\nUser-agent: *\nDisallow: /", True),
        ("User-agent: Crawler\nAllow: /\n\nUser-agent: *\nDisallow: /", False),
        ("User-agent: Crawler9000\nAllow: /\n\nUser-agent: Crawler\nDisallow: /x", False),
        ("User-agent: Crawler9000\nDisallow: /x\n\nUser-agent: Crawler\nAllow: /", False),
        ("User-agent: Crawler9000\nCrawl-delay: 1", True),
    ],
)
def test_the_strictest_reading_of_our_name_wins(text: str, allowed: bool) -> None:
    assert Robots(text, "Crawler9000/1.0").allowed(SITE + "/x") is allowed


def test_the_longest_delay_of_all_readings_wins() -> None:
    text = "User-agent: Crawler9000\nCrawl-delay: 1\n\nUser-agent: Crawler\nCrawl-delay: 5"
    assert Robots(text, "Crawler9000").crawl_delay == 5.0


@pytest.mark.parametrize(
    ("agent", "token"),
    [("Shoal/0.1", "Shoal"), ("Shoal", "Shoal"), ("My-Bot/2 (+https://x.test)", "My-Bot"), ("My Bot", "My")],
)
def test_the_token_is_the_product_name(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_the_constants() -> None:
    assert ALLOW_ALL.allowed(SITE + "/anything")
    assert not DISALLOW_ALL.allowed(SITE + "/anything")


# --- files that are too much -----------------------------------------------------------------------------------------


def test_more_wildcards_than_are_held_forbid_more_and_never_less() -> None:
    many = "".join(f"Disallow: /*a{number}$\n" for number in range(MOST_WILDCARDS))
    rules = Robots(
        f"User-agent: *\n{many}Disallow: /shop/*?sort=\nAllow: /shop/*good\nAllow: /shop/plain/page", "Shoal"
    )
    assert not rules.allowed(SITE + "/x/a77")
    assert rules.allowed(SITE + "/x/a77b")
    assert not rules.allowed(SITE + "/shop/x?sort=1")
    assert not rules.allowed(SITE + "/shop/x"), "not held, so all below its first star is forbidden"
    assert not rules.allowed(SITE + "/shop/good"), "an Allow that is not held does not count"
    assert rules.allowed(SITE + "/shop/plain/page"), "a longer rule without a star counts as ever"


def test_a_url_that_would_take_too_long_to_compare_is_forbidden() -> None:
    rules = Robots("User-agent: *\n" + "".join(f"Disallow: /*{'a' * 300}b{n}\n" for n in range(1500)), "Shoal")
    assert rules.allowed(SITE + "/short")
    assert not rules.allowed(SITE + "/" + "a" * 7900)


HOSTILE = {
    "stars in front": "".join(f"Disallow: /*a{number}\n" for number in range(27_000)),
    "two stars": "".join(f"Disallow: /*e*{number}x\n" for number in range(24_000)),
    "needles that nearly match": "".join(f"Disallow: /*{'ab' * 20}{number}\n" for number in range(8000)),
    "folders": "".join(f"Disallow: /{number:x}/*\n" for number in range(26_000)),
    "no stars": "".join(f"Disallow: /{number:x}\n" for number in range(28_000)),
    "every length": "".join(f"Disallow: /{'ab' * number}c\n" for number in range(480)),
    "one line": "Disallow: /" + "*a" * 240_000 + "b",
    "names": "".join(f"User-agent: shoal\nUser-agent: {number}\n" for number in range(10_000)) + "Disallow: /",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("path", ["/news/2020/some-long-title-of-a-page.html?ref=home", "/" + "ab" * 3900], ids=len)
def test_a_url_costs_little_whatever_the_rules(what: str, path: str) -> None:
    """27,000 rules with stars once took 100 to 200 ms for each URL; now it is less than one."""
    rules = Robots("User-agent: *\n" + HOSTILE[what], "Shoal")
    assert min(_cost(rules, SITE + path) for _ in range(3)) < 0.02


def _cost(rules: Robots, url: str) -> float:
    began = time.thread_time()
    rules.allowed(url)
    return time.thread_time() - began


# --- beside another reader -------------------------------------------------------------------------------------------

PIECES = ("/", "a", "b", "/a", "/b", "*", "?", "=", ".pdf", "%41", "%E7%94%B5", "电", "//", "%2F")


def _rules(random: Random) -> str:
    lines = []
    for _ in range(random.randint(1, 3)):
        lines += [f"User-agent: {name}" for name in random.sample(("*", "shoal", "other"), random.randint(1, 2))]
        for _ in range(random.randint(0, 6)):
            path = "/" + "".join(random.choices(PIECES, k=random.randint(0, 5))) + random.choice(("", "", "$"))
            lines.append(f"{random.choice(('Allow', 'Disallow', 'disallow '))}: {path}")
    return "\n".join(lines)


@pytest.mark.slow
def test_protego_reads_honest_files_the_same() -> None:
    random = Random(9309)
    answers = []
    for _ in range(1500):
        text = _rules(random)
        ours, theirs = Robots(text, "Shoal/0.1"), Protego.parse(text)
        for _ in range(6):
            url = SITE + "/" + "".join(random.choices([*PIECES[:5], *PIECES[6:]], k=random.randint(0, 6)))
            answers.append(ours.allowed(url))
            assert answers[-1] == theirs.can_fetch(url, "shoal"), (text, url)
    assert 0.1 < sum(answers) / len(answers) < 0.9, "both answers are common"
