"""Whatever a person calls it, in English or Chinese: the manual finds the place, or says what is near."""

from __future__ import annotations

from contextlib import suppress

import pytest

from shoal import services
from shoal.errors import InputError
from shoal.services.manual_lookup import ALIASES


def found(asked: str) -> list[tuple[str, str]]:
    return [(section.page, section.heading) for section in services.manual_lookup.look_up(asked.split())]


PLACES = {
    # a page
    "topics": ("topics", "Topics"),
    "Strategies": ("strategies", "Strategies and judges"),
    "strategy": ("strategies", "Strategies and judges"),
    "ＳＥＥＤＳ": ("seeds", "Where a crawl begins"),
    "finish": ("finishing", "When is it done?"),
    "adding-a-strategy": ("adding-a-strategy", "Adding a strategy"),
    "adding a strategy": ("adding-a-strategy", "Adding a strategy"),
    "docs/topics.md": ("topics", "Topics"),
    # a section of it
    "strategies learned": ("strategies", "learned"),
    "strategies LINK next?": ("strategies", "Which link next?"),
    "strategies is-it-about-the-topic": ("strategies", "Is it about the topic?"),
    "topics.md#the-file": ("topics", "The file"),
    "marks 中文页面": ("marks", "中文页面"),
    "marks 中文": ("marks", "中文页面"),
    "marks 頁面": ("marks", "中文页面"),
    # a command
    "status": ("commands", "shoal status"),
    "STATUS": ("commands", "shoal status"),
    "topic learn": ("commands", "shoal topic learn"),
    "seeds find": ("commands", "shoal seeds find"),
    "crawl when to stop": ("commands", "When to stop"),
    "commands strategies": ("commands", "shoal strategies"),
    "commands stop": ("commands", "shoal stop"),
    # a heading anywhere
    "queries": ("searching", "The query language"),
    "query language": ("searching", "The query language"),
    "exit code": ("commands", "The exit code"),
    "prometheus": ("operating", "Prometheus and Grafana"),
    # other words
    "查询": ("searching", "The query language"),
    "标记 中文": ("marks", "中文页面"),
    "策略 learned": ("strategies", "learned"),
    "種子": ("seeds", "Where a crawl begins"),
}


@pytest.mark.parametrize(("asked", "place"), PLACES.items(), ids=PLACES)
def test_one_place(asked: str, place: tuple[str, str]) -> None:
    assert found(asked) == [place]


def test_a_command_of_several_is_all_of_them() -> None:
    assert found("topic") == [("commands", "shoal topic show"), ("commands", "shoal topic learn")]


def test_headings_of_several_pages_are_several_places() -> None:
    assert {page for page, _ in found("limits")} == {"searching", "seeds"}


@pytest.mark.parametrize("alias", ALIASES)
def test_every_other_word_leads_to_one_place_and_is_needed(alias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places = found(alias)
    assert len(places) == 1
    assert places == found(ALIASES[alias])
    monkeypatch.delitem(ALIASES, alias)
    with suppress(InputError):  # nothing else is called so
        assert found(alias) != places


@pytest.mark.parametrize("name", services.manual.pages())
def test_what_a_section_says_it_is_asked_by_finds_it(name: str) -> None:
    for section in services.manual.pages()[name].sections:
        assert section in services.manual_lookup.look_up(section.subject.split()), section.subject


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("topcis", '"topcis"; did you mean topics?'),
        ("staus", '"staus"; did you mean status?'),
        ("zzz", '"zzz": shoal help lists what there is.'),
        ("zzz 天气", '"zzz 天气": shoal help lists what there is.'),
        ("", '"": shoal help lists what there is.'),
        ("?", '"?": shoal help lists what there is.'),
        ("strategies lerned", 'strategies has no section about "lerned"; did you mean learned?'),
        ("seeds zzz", "its sections are By words: SearXNG; By a site, a sitemap or a feed; Choosing; Limits."),
        ("\x1b[31m", r"'\x1b[31m'"),
    ],
)
def test_what_is_not_there_is_one_sentence_with_what_is_near(asked: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        found(asked)
    assert str(error.value).endswith(said) or said in str(error.value)
    assert str(error.value).count("\n") == 0


# --- what may be typed next ------------------------------------------------------------------------------------------


def test_first_the_pages_then_their_sections_as_one_word_each() -> None:
    after = services.manual_lookup.subjects_after
    assert list(after([])) == list(services.manual.pages())
    assert after([])["seeds"] == "Where does a crawl begin?"
    assert after(["strategies"]) == {
        "which-link-next": "Which link next?",
        "learned": "learned",
        "is-it-about-the-topic": "Is it about the topic?",
    }
    assert after(["topic"]) == {"show": "shoal topic show", "learn": "shoal topic learn"}
    assert {"find", "read", "choosing"} <= after(["seeds"]).keys()
    assert after(["status"]) == after(["nothing"]) == after(["strategies", "learned"]) == {}


@pytest.mark.parametrize("name", [*services.manual.pages(), "topic", "model"])
def test_what_is_offered_is_found(name: str) -> None:
    assert [word for word in services.manual_lookup.subjects_after([name]) if not found(f"{name} {word}")] == []
