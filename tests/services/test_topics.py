"""What does a crawl look for? The topic it began with, every one that it learned since, and what example pages say."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import services
from shoal.errors import InputError
from shoal.settings import Cluster, Learning
from shoal.topic.setting_table import setting
from tests.stocked import Stock


def test_a_crawl_that_learns_nothing_has_the_topic_it_began_with(tmp_path: Path) -> None:
    (only,) = services.topics.topic_history(Stock(tmp_path / "c").folder)
    assert only.topic.terms


def test_what_was_learned_comes_after_what_it_began_with(tmp_path: Path) -> None:
    learning = Learning(adapt_topic=True, interval=2)
    first, *later = services.topics.topic_history(Stock(tmp_path / "c", learning=learning).folder)
    assert later
    assert later[-1].topic != first.topic


# --- example pages ---------------------------------------------------------------------------------------------------


ENGLISH = "A transformer changes the voltage. The transformers of a substation feed the power grid. A substation hums."
CHINESE = "变压器和变电站组成电网。变压器改变电压，输电线路连接变电站，我们可以看到变压器。输电需要变压器。"


@pytest.fixture
def samples(tmp_path: Path) -> list[str]:
    """Two pages in English and two in Chinese, in GBK without saying so."""
    texts = {
        "en": (ENGLISH, "utf-8"),
        "en2": (ENGLISH * 2, "utf-8"),
        "zh": (CHINESE, "gbk"),
        "zh2": (CHINESE * 2, "gbk"),
    }
    for name, (text, encoding) in texts.items():
        (tmp_path / f"{name}.html").write_bytes(f"<title>x</title><p>{text}</p>".encode(encoding))
    return [str(tmp_path / f"{name}.html") for name in texts]


async def test_what_was_learned_is_what_the_file_says(tmp_path: Path, samples: list[str]) -> None:
    out = tmp_path / "电网.toml"
    lesson = await services.topics.learn_topic(samples, words="电网, power grid=0.5", out=out, most=5)
    topic = services.topics.topic_of(out)
    assert {term.text for term in topic.terms} == {term.text for term in lesson.learned.topic.terms}
    assert len(topic.terms) == 7
    assert (lesson.seeds, len(lesson.pages)) == ((), 4)
    assert services.topics.settings_of(out, options={"seeds": ("http://a.test/",)}).topic == topic
    found = services.topics.difference(services.topics.settings_from_words("电网", ["http://a.test/"]).topic, topic)
    assert "power grid" in {term.text for term in found.learned}


async def test_what_cannot_be_learned_from_is_one_sentence(tmp_path: Path, samples: list[str]) -> None:
    async def complaint(*places: str, **said: str) -> str:
        with pytest.raises(InputError) as caught:
            await services.topics.learn_topic(places, **said)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
        return str(caught.value)

    (tmp_path / "thin.txt").write_text("the and of 12", encoding="utf-8")
    assert await complaint() == "Say which pages to learn from: --from URL or --from FILE"
    assert "is neither a URL nor a file" in await complaint(str(tmp_path / "none.html"))
    assert "have no words that could make a topic" in await complaint(str(tmp_path / "thin.txt"))
    assert (await complaint(*samples, words="grid=heavy")).startswith("--topic must have weights")
    assert (await complaint(*samples, name="")).startswith("--name must be one line of text")
    assert "is not public" in await complaint("http://127.0.0.1:9/")


ENVIRON = {"SHOAL_CONTACT": "e@x.example", "SHOAL_BROKER": "amqp://mq.example"}


def test_a_file_words_and_servers_are_read_with_what_is_typed_and_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "电网.toml"
    file.write_text('keywords = ["电网"]\nseeds = ["http://a.test/"]\nmax_body = "20MB"\n', encoding="utf-8")
    read = services.topics.settings_of(file, ENVIRON, {"max_pages": 7})
    assert (read.fetching.max_body, read.budget.max_pages, read.fetching.contact) == (20_000_000, 7, "e@x.example")
    typed = services.topics.settings_from_words(
        "电网", ["http://a.test/"], ENVIRON, {"max_pages": 7, "max_body": "20MB"}
    )
    assert typed == read
    assert services.topics.servers_of(file, ENVIRON) == Cluster(broker="amqp://mq.example")
    assert services.topics.servers_of(None, ENVIRON, {"broker": ""}) == Cluster()


def test_names_of_strategies_are_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^--strategy must be one of .*did you mean breadth\?$"):
        services.topics.settings_from_words("grid", ["http://a.test/"], {}, {"strategy": "bredth"})


def test_what_was_typed_for_a_setting_is_what_a_file_would_say() -> None:
    assert services.topics.value_of(setting("attempts"), "6") == 6
