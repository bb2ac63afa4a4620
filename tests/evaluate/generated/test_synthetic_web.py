"""The generated web is what it promises: the same every time, large, mixed, tiresome, and its truth is true."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict

import pytest
from protego import Protego

from shoal.evaluate.generated.articles import TOPIC_NAMES
from shoal.evaluate.generated.synthetic_web import SyntheticWeb, generate
from shoal.urls import host_of, normalise

DIGEST = "07c6130a317ef058"
"""Changes when the web changes: then every figure measured on it must be measured again."""


def digest(web: SyntheticWeb) -> str:
    state = hashlib.sha256()
    for url, page in sorted(web.pages.items()):
        state.update(repr((url, page.status, page.content_type, page.headers, sorted(page.topics))).encode())
        state.update(page.body)
    return state.hexdigest()[:16]


def test_the_same_seed_gives_the_same_bytes(web: SyntheticWeb) -> None:
    assert digest(web) == DIGEST


@pytest.mark.slow
def test_another_seed_gives_another_web(web: SyntheticWeb) -> None:
    other = generate(8)
    assert digest(other) != digest(web)
    assert min(len(other.relevant(topic)) for topic in other.topics) > 150


def test_it_is_large_enough(web: SyntheticWeb) -> None:
    assert len(web.pages) >= 2_000
    assert len(web.hosts) >= 25
    sizes = sorted(len(page.body) for page in web.pages.values() if page.note == "article")
    assert sizes[len(sizes) // 20] > 2_500
    assert sizes[-1] < 10_000


@pytest.mark.slow
def test_every_address_is_in_normal_form(web: SyntheticWeb) -> None:
    assert [url for url in web.pages if normalise(url) != url] == []
    assert [link for page in web.pages.values() for link in page.links if normalise(link) != link] == []


def test_every_address_is_on_a_known_host(web: SyntheticWeb) -> None:
    assert {host_of(url) for page in web.pages.values() for url in (page.url, *page.links)} == set(web.hosts)


@pytest.mark.parametrize("topic", sorted(TOPIC_NAMES))
def test_a_topic_is_a_tenth_of_the_web_on_several_hosts(topic: str, web: SyntheticWeb) -> None:
    relevant = web.relevant(topic)
    assert 0.075 <= len(relevant) / len(web.pages) <= 0.12
    hosts = Counter(host_of(url) for url in relevant)
    assert 5 <= sum(count >= 10 for count in hosts.values()) <= 8
    assert {web.pages[url].language[:2] for url in relevant} == {"en", "zh"}


@pytest.mark.parametrize("topic", sorted(TOPIC_NAMES))
def test_only_reachable_allowed_unique_pages_are_relevant(topic: str, web: SyntheticWeb) -> None:
    pages = [web.pages[url] for url in web.relevant(topic)]
    assert all(page.status == 200 and page.allowed and not page.noindex and not page.original for page in pages)


def test_some_pages_about_a_topic_do_not_count(web: SyntheticWeb) -> None:
    left_out = {url for url, page in web.pages.items() if page.topics} - {
        url for topic in web.topics for url in web.relevant(topic)
    }
    pages = [web.pages[url] for url in left_out]
    assert all(page.noindex or not page.allowed or page.original for page in pages)
    assert any(page.noindex for page in pages)
    assert any(not page.allowed for page in pages)
    assert any(page.original for page in pages)


def test_seeds_find_almost_everything(web: SyntheticWeb) -> None:
    """What they do not find is forbidden or a file that nobody links to."""
    unreached = web.pages.keys() - web.reachable(web.seeds("power-grid"))
    kinds = Counter(web.pages[url].note for url in unreached if web.pages[url].allowed)
    assert kinds["article"] == kinds["hub"] == 0


def test_robots_txt_says_what_the_truth_says(web: SyntheticWeb) -> None:
    rules = {host: Protego.parse(web.robots.get(host, "")) for host in web.hosts}
    wrong = [
        page.url for page in web.pages.values() if rules[host_of(page.url)].can_fetch(page.url, "Shoal") != page.allowed
    ]
    assert wrong == []
    assert sum(not page.allowed for page in web.pages.values()) > 20
    assert rules["archive.test"].crawl_delay("Shoal") == 1


def test_one_host_refuses_at_first(web: SyntheticWeb) -> None:
    refused = web.answer("busy.test", "/", 1)
    assert (refused.status, dict(refused.headers)["Retry-After"]) == (429, "1")
    assert web.answer("busy.test", "/robots.txt", 1).status == 404
    assert web.answer("busy.test", "/", 6).status == 200


def test_one_host_is_slow(web: SyntheticWeb) -> None:
    assert 0.3 <= web.answer("slow.test", "/", 1).delay <= 0.5
    assert web.answer("energy.test", "/", 1).delay == 0


def test_answers_are_what_the_pages_say(web: SyntheticWeb) -> None:
    moved = web.answer("short.test", "/chain/1", 1)
    assert (moved.status, dict(moved.headers)["Location"]) == (302, "http://short.test/chain/2")
    assert web.answer("archive.test", "/robots.txt", 1).body == web.robots["archive.test"].encode()
    assert web.answer("energy.test", "/nothing", 1).status == 404
    assert web.answer("unknown.test", "/", 1).status == 404


# --- images -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", sorted(TOPIC_NAMES))
def test_a_topic_has_a_few_hundred_images(topic: str, web: SyntheticWeb) -> None:
    assert 250 < len(web.relevant_images(topic)) < 450


def test_only_what_a_polite_crawler_gets_counts(web: SyntheticWeb) -> None:
    relevant = web.relevant_images("power-grid")
    had = defaultdict(list)
    for image in web.images.values():
        had[image.motif].append(image)
    assert all(any(file.can_be_had and "power-grid" in file.topics for file in had[motif]) for motif in relevant)
    left_out = {motif for motif, files in had.items() if "power-grid" in files[0].topics} - relevant
    assert {file.sent for motif in left_out for file in had[motif]} == {"gone", "html", "bomb", "image"}
    assert any(not file.allowed for motif in left_out for file in had[motif])


def test_the_same_image_counts_once(web: SyntheticWeb) -> None:
    relevant = web.relevant_images("rail")
    files = [image for image in web.images.values() if image.motif in relevant]
    assert len(files) > 1.3 * len(relevant)
    hosts = defaultdict(set)
    for image in files:
        hosts[image.motif].add(host_of(image.url))
    assert sum(len(each) > 1 for each in hosts.values()) > 10  # agencies and the mirror
