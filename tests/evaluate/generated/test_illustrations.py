"""Articles are illustrated in every way, most of them with what they speak of, and many images are described badly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from shoal.evaluate.generated.articles import Article
from shoal.evaluate.generated.ground_truth import ShownImage
from shoal.evaluate.generated.illustrations import illustrate


@pytest.fixture(scope="module")
def illustrated(articles: list[Article]) -> dict[str, tuple[ShownImage, ...]]:
    return illustrate(7, articles)


@pytest.fixture(scope="module")
def shown(illustrated: Mapping[str, tuple[ShownImage, ...]]) -> list[ShownImage]:
    return [each for images in illustrated.values() for each in images]


def test_images_are_shown_in_every_way(shown: list[ShownImage]) -> None:
    ways = Counter(each.way for each in shown)
    assert set(ways) == {"plain", "figure", "lazy", "srcset", "picture", "background", "thumbnail"}
    assert min(ways.values()) > 50


def test_many_are_described_badly(shown: list[ShownImage]) -> None:
    photos = [each for each in shown if each.files[-1].motif[0] == "7"]
    silent = [each for each in photos if not each.alt and not each.caption and "/IMG_" in each.files[-1].url]
    assert 0.15 < len(silent) / len(photos) < 0.35
    assert 0.4 < sum(bool(each.alt) for each in photos) / len(photos) < 0.7


def test_most_images_of_an_article_show_what_it_is_about(
    articles: list[Article], illustrated: Mapping[str, tuple[ShownImage, ...]]
) -> None:
    own = [
        bool(each.files[0].topics & article.topics)
        for article in articles
        if article.topics
        for each in illustrated[article.url]
    ]
    assert 0.65 < sum(own) / len(own) < 0.85
    others = [article for article in articles if not article.topics]
    strangers = [bool(each.files[0].topics) for article in others for each in illustrated[article.url]]
    assert 0.02 < sum(strangers) / len(strangers) < 0.12


def test_articles_have_none_to_five(illustrated: Mapping[str, tuple[ShownImage, ...]]) -> None:
    counts = Counter(len(images) for url, images in illustrated.items() if "gridlab" not in url)
    assert set(counts) == {0, 1, 2, 3, 4, 5}
