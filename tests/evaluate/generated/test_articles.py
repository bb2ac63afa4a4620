"""Articles speak of one field, rarely of two, in one language, rarely in both."""

from __future__ import annotations

import pytest

from shoal.evaluate.generated.articles import KIN, TOPIC_NAMES, Article, write_all
from shoal.evaluate.generated.synthetic_web import SyntheticWeb


@pytest.mark.slow
def test_some_pages_are_in_two_languages(web: SyntheticWeb) -> None:
    assert sum(page.language == "en+zh" for page in web.pages.values()) >= 20


@pytest.mark.slow
def test_an_article_is_about_one_field_or_two_that_go_together(articles: list[Article]) -> None:
    several = [article for article in articles if len(article.fields) > 1]
    assert 0.02 < len(several) / len(articles) < 0.07
    assert all(article.fields[1] in KIN[article.fields[0]] for article in several)
    assert all(article.topics == TOPIC_NAMES.intersection(article.fields) for article in articles)


@pytest.mark.slow
def test_an_article_is_the_same_every_time(articles: list[Article]) -> None:
    again = write_all(7)
    assert [(one.url, one.title, one.paragraphs) for one in again] == [
        (one.url, one.title, one.paragraphs) for one in articles
    ]
