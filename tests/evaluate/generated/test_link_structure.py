"""Links lead mostly to the same topic, to islands only over bridges, and sometimes to nothing."""

from __future__ import annotations

from shoal.evaluate.generated.articles import TOPIC_NAMES
from shoal.evaluate.generated.sites import SITES
from shoal.evaluate.generated.synthetic_web import SyntheticWeb


def test_islands_lie_behind_off_topic_pages(web: SyntheticWeb) -> None:
    sources: dict[str, set[str]] = {url: set() for url in web.pages}
    for page in web.pages.values():
        for link in page.links:
            sources.setdefault(link, set()).add(page.url)
    islands = [(site, section) for site in SITES for section in site.sections if section.bridges]
    assert len(islands) >= len(TOPIC_NAMES)
    for site, section in islands:
        shore = {f"http://{site.host}/{section.field}/index.html"}
        shore |= {
            f"http://{site.host}{site.path.format(field=section.field, n=n)}" for n in range(1, section.articles + 1)
        }
        assert shore <= web.relevant(section.field) | {url for url in shore if web.pages[url].noindex}
        for _ in range(section.bridges):
            bridge = {source for url in shore for source in sources[url]} - shore
            assert len(bridge) == 1
            assert all(section.field not in web.pages[url].topics for url in bridge)
            shore = bridge


def test_most_links_of_a_topic_stay_on_topic(web: SyntheticWeb) -> None:
    """Topical locality is there, but far from perfect."""
    on_topic = sum(
        bool(page.topics & web.pages[link].topics)
        for page in web.pages.values()
        if page.note == "article" and page.topics
        for link in page.links
        if link in web.pages
    )
    total = sum(len(page.links) for page in web.pages.values() if page.note == "article" and page.topics)
    assert 0.3 < on_topic / total < 0.6


def test_menus_name_topics_that_the_page_is_not_about(web: SyntheticWeb) -> None:
    page = web.pages["http://energy.test/law/1.html"]
    assert page.topics == frozenset()
    assert b"Power grid" in page.body


def test_links_to_nothing_and_to_files(web: SyntheticWeb) -> None:
    links = {link for page in web.pages.values() for link in page.links}
    gone = [link for link in links if "/gone/" in link]
    assert gone
    assert all(link not in web.pages for link in gone)
    assert any(link.endswith(".pdf") for link in links)
    assert any(link.endswith(".gif") for link in links)
