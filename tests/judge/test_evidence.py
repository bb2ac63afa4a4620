"""The judge of evidence, with numbers worked by hand: of words that no list has, all are equally rare."""

from __future__ import annotations

from math import log

import pytest

from shoal.judge.evidence import THRESHOLD, EvidenceJudge, own_share
from shoal.judge.vector import EVERYWHERE, MIXED, LinkScorer, TopicVector
from shoal.model import Link, Page, Term, Topic, Verdict
from shoal.text import flat, terms
from shoal.topic.word_frequencies import UNKNOWN, general

RARE = ("zzgrid", "zzplant", "zzwire")
USUAL = 6 * 299
"""Bytes of a page of usual length: 300 words, the one that every page has included."""


def topic(*words: str, against: tuple[str, ...] = (), threshold: float | None = None, **weights: float) -> Topic:
    return Topic(
        name="grid",
        terms=tuple(Term(text=word, weight=weights.get(word, 1.0)) for word in words or RARE),
        negative=tuple(Term(text=word) for word in against),
        threshold=threshold,
    )


def page(text: str, title: str = "", *, size: int = USUAL, links: tuple[Link, ...] = ()) -> Page:
    """A page that says this, filled up to so many bytes with what says nothing."""
    said = flat(terms(f"{title}\n{text}"))
    filled = said + "x" * (size - len(said.encode()))
    assert len(filled.encode()) == size
    return Page(url="http://x.example/", title=title, text=text, flat=filled, links=links)


def judge(given: Page, *words: str, against: tuple[str, ...] = (), **weights: float) -> Verdict:
    return EvidenceJudge(topic(*words, against=against, **weights)).judge(given)


def saturated(count: float, half: float = 1.2) -> float:
    """The tenth mention says less than the first: 2.2 n / (n + 1.2) on a page of usual length."""
    return 2.2 * count / (count + half)


# --- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title", "score"),
    [
        ("", "", 0.0),
        ("nothing of it", "nor here", 0.0),
        # one word of three, once: 2.2 / 2.2
        ("zzgrid", "", 1 / 3),
        ("zzgrid " * 2, "", (4.4 / 3.2) / 3),
        ("zzgrid " * 10, "", (22 / 11.2) / 3),
        ("zzgrid zzplant", "", 2 / 3),
        # the title is part of the text, and counts three times more: n = 1 + 3
        ("", "zzgrid", (8.8 / 5.2) / 3),
        ("zzgrid", "zzgrid", (11 / 6.2) / 3),
        ("zzgrid zzplant zzwire", "", 1.0),
    ],
)
def test_score(text: str, title: str, score: float) -> None:
    assert judge(page(text, title)).score == pytest.approx(score)


def test_three_words_fully_said_are_enough() -> None:
    verdict = judge(page(" ".join(RARE * 20), " ".join(RARE)), "zzgrid", "zzplant", "zzwire", "zzother")
    assert verdict.score == 1.0
    assert sum(one.amount for one in verdict.why) == pytest.approx(1.0), "what goes beyond is shared"
    assert [one.amount for one in verdict.why] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    ("words", "half"),
    # 1.2 x (0.25 + 0.75 x words / 300)
    [(100, 0.6), (300, 1.2), (900, 3.0)],
)
def test_in_a_long_text_a_word_says_less(words: int, half: float) -> None:
    assert judge(page("zzgrid", size=6 * (words - 1))).score == pytest.approx(saturated(1, half) / 3)


def test_two_chinese_characters_are_as_long_as_a_word() -> None:
    chinese = Page(url="http://x.example/", flat=flat(terms("zzgrid")) + "山" * 200)
    english = Page(url="http://x.example/", flat=flat(terms("zzgrid")) + "hill s" * 100)
    assert judge(chinese).score == pytest.approx(judge(english).score)


def test_heavier_words_say_more() -> None:
    # weights 3 and 1, the heaviest counts as fully said: 3 / (3 x 3), 1 / (3 x 3)
    assert judge(page("zzgrid"), zzgrid=3.0).score == pytest.approx(1 / 3)
    assert judge(page("zzplant"), zzgrid=3.0).score == pytest.approx(1 / 9)


@pytest.mark.parametrize("scale", [1e-200, 0.01, 7.0, 1e200])
def test_only_the_proportions_of_the_weights_matter(scale: float) -> None:
    verdict = judge(page("zzgrid zzplant"), zzgrid=3.0 * scale, zzplant=scale, zzwire=scale)
    assert verdict.score == pytest.approx(4 / 9)


@pytest.mark.parametrize("common", ["people", "发展"])
def test_common_words_say_less_than_rare_ones(common: str) -> None:
    share = general().frequency(common)
    assert share > 1e-4
    rarity = log(0.01 / share + 1) / log(10_000)
    rarest = log(0.01 / UNKNOWN + 1) / log(10_000)
    expected = rarity / (3 * rarest)
    assert judge(page(common), common, *RARE).score == pytest.approx(expected)
    assert expected < 0.6 * judge(page("zzgrid"), common, *RARE).score


def test_words_against_a_page_are_subtracted() -> None:
    # zzgrid twice, zzfan once: (4.4 / 3.2 - 1) / 3
    assert judge(page("zzgrid zzgrid zzfan"), against=("zzfan",)).score == pytest.approx((1.375 - 1) / 3)
    assert judge(page("zzgrid zzfan zzfan"), against=("zzfan",)).score == 0.0


def test_reasons() -> None:
    verdict = judge(page("zzgrid zzgrid zzfan", "zzplant"), against=("zzfan",))
    assert [one.what for one in verdict.why] == ["“zzplant” once, in the title", "“zzgrid” 2 times", "“zzfan” once"]
    assert [one.amount for one in verdict.why] == pytest.approx([saturated(4) / 3, saturated(2) / 3, -1 / 3])
    assert sum(one.amount for one in verdict.why) == pytest.approx(verdict.score)


def test_chinese_words_in_title_and_text() -> None:
    given = page("變電站旁的變電站", "变电站")
    verdict = judge(given, "变电站")
    assert [one.what for one in verdict.why] == ["“变电站” 3 times, in the title"]
    assert verdict.score == pytest.approx(saturated(6) / 3)


# --- what is relevant ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title", "relevant"),
    [
        ("zzgrid", "", False),
        ("zzgrid zzgrid", "", True),
        ("zzgrid zzplant", "", True),
        ("", "zzgrid", True),
    ],
)
def test_one_keyword_in_the_title_is_enough_or_two_in_the_text(text: str, title: str, relevant: bool) -> None:
    assert judge(page(text, title)).relevant == relevant


def test_the_users_threshold_wins() -> None:
    assert EvidenceJudge(topic()).judge(page("")).threshold == THRESHOLD
    assert EvidenceJudge(topic(threshold=0.0)).judge(page("zzgrid")).threshold == 0.0
    assert not EvidenceJudge(topic(threshold=0.5)).judge(page("zzgrid zzgrid")).relevant


# --- lists of links --------------------------------------------------------------------------------------------------


def linked(text: str, *anchors: str) -> Page:
    return page(text, links=tuple(Link(url="http://x.example/1", anchor=anchor) for anchor in anchors))


def test_how_much_of_a_text_is_not_link_text() -> None:
    text = "zzgrid " + "y" * 63  # 70 characters, and 30 that every text has more
    assert own_share(linked(text)) == 1.0
    assert own_share(linked(text, "y" * 50)) == pytest.approx(0.5)
    assert own_share(linked(text, "y" * 50, "y" * 50)) == pytest.approx(0.5), "one text, however often it is a link"
    assert own_share(linked(text, "y" * 20, "y" * 30)) == pytest.approx(0.5)
    assert own_share(linked(text, "menu", "", "z" * 50)) == 1.0, "what stands elsewhere takes nothing from the text"
    assert own_share(linked(text, "y" * 60, "y" * 61)) == 0.0, "links in links"
    assert own_share(linked("")) == 1.0


def test_a_list_of_links_about_the_topic_says_little_itself() -> None:
    text = "zzgrid " + "y" * 63
    assert judge(linked(text)).score == pytest.approx(1 / 3)
    assert judge(linked(text, "y" * 50)).score == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("anchors", "score"),
    [
        ((), 0.0),
        (("home", "weather"), 0.0),
        # each of three words that links name gives a tenth, however often it is named
        (("to the zzgrid",), 0.1),
        (("zzgrid", "the zzgrid again", "zzgrid zzgrid"), 0.1),
        (("zzgrid", "zzwire"), 0.2),
        (("ZZGrid, zzplant and zzwires",), 0.3),
    ],
)
def test_who_links_to_much_of_the_topic_mostly_belongs_to_it(anchors: tuple[str, ...], score: float) -> None:
    verdict = judge(linked("nothing of it", *anchors))
    assert verdict.score == pytest.approx(score)
    assert not verdict.relevant, "but not by that alone"


def test_links_count_beside_the_text() -> None:
    verdict = judge(linked("zzgrid " + "y" * 63, "all of zzplant", "zzfan"), "zzgrid", "zzplant", against=("zzfan",))
    # of two words that speak for a page one is named, and one against it that weighs as much: 0.3 / 2
    assert [one.what for one in verdict.why] == ["“zzgrid” once", "“zzplant” in links", "“zzfan” in links"]
    assert [one.amount for one in verdict.why] == pytest.approx([1 / 3, 0.15, -0.15])


@pytest.mark.parametrize("anchor", ["变电站一览", "變電站一覽"])
def test_chinese_words_in_links(anchor: str) -> None:
    assert judge(linked("别的", anchor, "天气"), "变电站").score == pytest.approx(0.3)


# --- links -----------------------------------------------------------------------------------------------------------


def link_score(**link: str) -> float:
    asked = Link(**{"url": "http://zzgrid.example/", **link})  # type: ignore[arg-type]
    silent = Link(url="http://zzgrid.example/", anchor="home")
    before, given = EvidenceJudge(topic("zzgrid", "电站", "zzwire", against=("zzfan",), 电站=0.5)).judge_links(
        [silent, asked]
    )
    assert before == 0.0
    return given


def test_one_and_a_half_of_the_heaviest_keywords_are_enough() -> None:
    assert link_score(anchor="the zzgrid") == pytest.approx(1 / 1.5)
    assert link_score(anchor="zzgrid, zzgrid and zzgrids") == pytest.approx(1 / 1.5), "to name is not to repeat"
    assert link_score(anchor="zzgrid and zzwire") == 1.0
    assert link_score(anchor="zzgrid with a zzfan") == 0.0
    assert link_score(anchor="zzgrid, zzwire and a zzfan") == pytest.approx(1 / 1.5)


def test_light_words_name_less() -> None:
    rarity = log(0.01 / general().frequency("电站") + 1) / log(0.01 / UNKNOWN + 1)
    assert link_score(anchor="電站") == pytest.approx(0.5 * rarity / 1.5)


def test_the_url_says_as_much_as_the_text_and_the_surroundings_half() -> None:
    assert link_score(anchor="more", url="http://x.example/the_zzgrid.html") == pytest.approx(1 / 1.5)
    assert link_score(anchor="more", before="the zzgrid") == pytest.approx(0.5 / 1.5)
    assert link_score(anchor="more", after="the zzgrid") == pytest.approx(0.5 / 1.5)
    assert link_score(anchor="zzgrid", after="zzwire", url="http://x.example/zzgrid") == pytest.approx(1 / 1.5)


def test_the_parts_of_a_link_each_for_itself() -> None:
    scorer = LinkScorer(TopicVector(topic("zzgrid", "电站")), EVERYWHERE, lambda counts: float(sum(map(bool, counts))))
    link = Link(url="http://x.example/%E7%94%B5%E7%AB%99", anchor="zzgrid", before="旧電站", after="and more")
    assert scorer.parts(link) == (1.0, 2.0, 1.0)
    assert scorer.parts(Link(url="http://zzgrid.example/")) == (0.0, 0.0, 0.0)
    assert scorer.scores([link]) == (1.0,), "the best of them; both words around it count half"


def test_another_measure_than_the_cosine() -> None:
    vector, link = TopicVector(topic("zzgrid", "电站")), Link(url="http://x.example/", anchor="zzgrid")
    assert LinkScorer(vector, MIXED).scores([link]) == pytest.approx([0.5**0.5])
    assert LinkScorer(vector, MIXED, lambda counts: 0.25).scores([link]) == pytest.approx([0.25])


def test_a_topic_without_words_is_about_nothing() -> None:
    empty = EvidenceJudge(Topic(name="x", terms=()))
    assert empty.judge(page("zzgrid")).score == 0.0
    assert empty.judge_links([Link(url="http://x.example/", anchor="zzgrid")]) == (0.0,)


def test_some_links_stand_for_all() -> None:
    """Half of a giant text are links, whichever of them are looked for."""
    words = [f"link number {number} of many" for number in range(6000)]
    links = tuple(Link(url=f"http://a.test/{number}", anchor=anchor) for number, anchor in enumerate(words))
    text = " ".join(words)
    page = Page(url="http://a.test/", text=text + "x" * len(text), flat="", links=links)
    assert own_share(page) == pytest.approx(0.5, abs=0.05)
