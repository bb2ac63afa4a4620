"""Mirrors change a few words, other copies none."""

from __future__ import annotations

from difflib import SequenceMatcher

from shoal.evaluate.generated.articles import Article
from shoal.evaluate.generated.copies import copies
from shoal.evaluate.generated.synthetic_web import SyntheticWeb


def test_mirrors_change_a_few_words(articles: list[Article]) -> None:
    mirrored = [copy for copy in copies(7, articles) if copy.kind == "mirror"]
    assert len(mirrored) >= 60
    assert {copy.original.language for copy in mirrored} == {"en", "zh"}
    for copy in mirrored[::8]:
        texts = (" ".join(copy.paragraphs), " ".join(copy.original.paragraphs))
        ours, theirs = (text.split(" ") if copy.original.language == "en" else list(text) for text in texts)
        assert 0.94 < SequenceMatcher(None, ours, theirs, autojunk=False).ratio() < 1.0


def test_there_are_exact_copies(web: SyntheticWeb) -> None:
    exact = [page for page in web.pages.values() if page.original and page.body == web.pages[page.original].body]
    assert len(exact) >= 8
