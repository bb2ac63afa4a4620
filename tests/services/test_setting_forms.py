"""A form asks what somebody may set, and what they may not is refused although no form asked for it."""

from __future__ import annotations

import json

import msgspec
import pytest

from shoal import services
from shoal.errors import InputError
from shoal.topic.setting_table import SETTINGS

LEAST = {"keywords": "电网, substation=0.8", "seeds": ["https://example.org/"]}


def test_the_operator_is_asked_everything_and_a_person_what_is_theirs() -> None:
    everything = [field.name for field in services.setting_forms.settings_form("operator")]
    theirs = [field.name for field in services.setting_forms.settings_form("person")]
    assert everything == [entry.name for entry in SETTINGS]
    assert {"keywords", "seeds", "max_pages", "images", "delay"} < set(theirs)
    assert not {"proxy", "database", "broker", "user_agent", "contact", "processes", "allow_private"} & set(theirs)


def test_a_form_becomes_json_with_words_in_both_languages() -> None:
    fields = json.loads(msgspec.json.encode(services.setting_forms.settings_form("person")))
    delay = next(field for field in fields if field["name"] == "delay")
    assert (delay["least"], delay["most"], delay["default"], delay["unit"]) == (1, 86_400, 1, "seconds")
    assert delay["label"] == {"en": "Delay", "zh": "间隔"}
    assert delay["heading"] == {"en": "How to ask", "zh": "如何访问网站"}
    pages = next(field for field in fields if field["name"] == "max_pages")
    assert (pages["default"], pages["unset"]["zh"]) == (None, "不限")
    assert [field["name"] for field in fields if field["needed"]] == ["keywords", "seeds"]


def test_what_can_be_chosen_is_listed() -> None:
    chosen = {field.name: field.choices for field in services.setting_forms.settings_form("person") if field.choices}
    assert chosen.keys() == {"strategy", "judge", "scope"}
    assert "learned" in chosen["strategy"]
    assert chosen["scope"] == ("any", "host", "domain", "prefix")


def test_what_a_person_filled_in_becomes_settings() -> None:
    environ = {"SHOAL_CONTACT": "https://example.org/bot"}
    settings = services.setting_forms.read_form({**LEAST, "max_pages": 50, "delay": 2}, "person", environ)
    assert [term.text for term in settings.topic.terms] == ["电网", "substation"]
    assert (settings.budget.max_pages, settings.politeness.delay) == (50, 2.0)
    assert settings.fetching.contact == "https://example.org/bot", "the operator's environment holds"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"proxy": ""}, "proxy is for the operator of this installation to set: leave it out"),
        ({"delay": 0.5}, "delay must be a number from 1 to 86400, not 0.5"),
        ({"max_pages": 0}, "max_pages must be a whole number of at least 1, not 0"),
        ({"max_page": 3}, 'There is no setting "max_page"; did you mean max_pages?'),
        ({"keywords": ""}, 'keywords must name at least one word to look for, such as "power grid"'),
    ],
)
def test_what_is_wrong_or_not_theirs_is_one_sentence(said: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        services.setting_forms.read_form(LEAST | said, "person", {})
    assert str(refused.value) == sentence


def test_the_operator_may_ask_faster() -> None:
    said = {"delay": 0, "proxy": "http://127.0.0.1:3128"}
    assert services.setting_forms.read_form(LEAST | said, "operator", {}).politeness.delay == 0
