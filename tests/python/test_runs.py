"""How does a crawl go on, and look again? With what it is told this time; `test_start.py` has it with loops and in threads."""

from __future__ import annotations

from typing import Any

import pytest

import shoal
from shoal.errors import InputError
from tests.python.conftest import SEED


def test_it_goes_on_with_what_it_is_told(about: dict[str, Any], home: object) -> None:
    crawl = shoal.crawl(**about, max_pages=1)
    with pytest.raises(InputError, match=r"^max_pages must be a whole number"):
        crawl.resume(max_pages=0, progress=False)
    assert crawl.resume(max_pages=2, strategy="breadth", progress=False).ending == "the page budget is reached"
    assert crawl.status().pages == 2


def test_pages_are_looked_at_again(crawled: shoal.Crawl) -> None:
    seen = crawled.revisit(f"{SEED}gbk", progress=False)
    assert (seen.found.looked, seen.found.changed, seen.found.gone) == (1, (), ())
    assert crawled.revisit(relevant=True, progress=False).found.looked == 3
    assert len(crawled.pages()) == 4


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"urls": SEED, "older": "1d"}, "Name URLs, or choose with older and relevant, not both"),
        ({"older": "soon"}, "^older must be seconds or a duration"),
        ({"older": 3600}, "There is no page to look at again"),
        ({"urls": [f"{SEED}nobody"]}, "nobody"),
    ],
)
def test_what_cannot_be_looked_at_is_one_sentence(crawled: shoal.Crawl, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        crawled.revisit(**given, progress=False)
