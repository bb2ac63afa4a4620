"""A person could type the topics, and start where the seeds are."""

from __future__ import annotations

from shoal.evaluate.generated.synthetic_web import SyntheticWeb


def test_a_topic_can_be_typed_by_a_person(web: SyntheticWeb) -> None:
    for name in web.topics:
        topic = web.topic(name)
        assert topic.name == name
        assert any(term.text.isascii() for term in topic.terms)
        assert any(not term.text.isascii() for term in topic.terms)
        assert all(seed in web.pages for seed in web.seeds(name))
