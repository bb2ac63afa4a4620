"""A day is a day, however it was written."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.index.query import (
    MOST_CHARACTERS,
    MOST_LIMITS,
    MOST_WORDS,
    LimitKind,
    Query,
    day_of,
    day_typed,
    month_name,
    month_of,
    parse,
    pieces_of,
    today,
)

DAY = 86400.0


@pytest.mark.parametrize(
    ("published", "day"),
    [
        ("1970-01-02", 1),
        ("1970-01-02T23:59:59+08:00", 1),
        ("1971", 365),
        ("1970-02", 31),
        ("1969-12-31", -1),
        ("", 400),
        ("soon", 400),
        ("1970-02-30", 400),  # no such day
        ("1971-02-06", 401),  # tomorrow, where it was written
        ("1971-02-07", 400),  # a day to come
        ("9999-12-31", 400),
    ],
)
def test_the_day_of_a_page(published: str, day: int) -> None:
    assert day_of(published, 400 * DAY + 5) == day


@pytest.mark.parametrize("text", ["", "24", "2024-", "2024-05-01-01", "May 2024", "2024-00", "0000-01-01"])
def test_no_date(text: str) -> None:
    assert day_typed(text) is None


@pytest.mark.parametrize(("day", "name"), [(0, "1970-01"), (31, "1970-02"), (-1, "1969-12"), (19_844, "2024-05")])
def test_months(day: int, name: str) -> None:
    assert month_name(month_of(day)) == name


def test_today() -> None:
    assert today(19_844 * DAY + 1) == 19_844


# --- a query means something or is a sentence, whatever is typed -----------------------------------------------------


def wanted(text: str) -> list[str]:
    """The wanted words, tokens joined with a blank."""
    return [" ".join(words.tokens) for words in parse(text).wanted]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("smart grids", ["smart", "grid"]),
        ("Smart　ＧＲＩＤ", ["smart", "grid"]),  # the blank is full width
        ('"power lines" grid', ["power line", "grid"]),
        ("「智能電網」", ["智 能 电 网"]),
        ("『智能』“电网”", ["智 能", "电 网"]),
        ("＂power line＂", ["power line"]),
        ("智能電網", ["智 能 电 网"]),
        ("智能电网的建设", ["智 能", "电 网", "的", "建 设"]),
        ("电网，变电站。", ["电 网", "变 电 站"]),
        ("Python教程", ["python", "教 程"]),
        ("x-ray manifest.json", ["x ray", "manifest json"]),
        ("foo:bar", ["foo bar"]),
        ('foo:"a b"', ["foo", "a b"]),
        ("http://example.org", ["http example org"]),
        ("word word", ["word"]),
        ("isn't", ["isn"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert wanted(text) == expected


def test_quotes_are_exact_and_others_are_not() -> None:
    assert [words.exact for words in parse('"a b" c').wanted] == [True, False]


def test_words_that_say_little() -> None:
    assert [words.light for words in parse("how to build the grid").wanted] == [True, True, False, True, False]
    assert [words.light for words in parse("失眠怎么办").wanted] == [False, True]


@pytest.mark.parametrize("minus", ["-", "－", "−"])
def test_not(minus: str) -> None:
    query = parse(f'grid {minus}fan {minus}"cooling fan" {minus}site:example.org {minus}title:fan')
    assert [words.tokens for words in query.unwanted] == [("fan",), ("cooling", "fan"), ("fan",)]
    assert [words.in_title for words in query.unwanted] == [False, False, True]
    assert [(limit.kind, limit.value) for limit in query.never] == [(LimitKind.SITE, "example.org")]
    assert [words.tokens for words in query.wanted] == [("grid",)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("site:Example.ORG", LimitKind.SITE, "example.org"),
        ("站點：example.org", LimitKind.SITE, "example.org"),
        ("site:*.example.org", LimitKind.SITE, "example.org"),
        ("site:https://www.example.org/a/b?c", LimitKind.SITE, "www.example.org"),
        ("site:例子.测试", LimitKind.SITE, "xn--fsqu00a.xn--0zwm56d"),
        ("site:localhost:8080", LimitKind.SITE, "localhost:8080"),
        ("LANG:zh-CN", LimitKind.LANGUAGE, "zh"),
        ("语言：中文", LimitKind.LANGUAGE, "zh"),
        ("lang:English", LimitKind.LANGUAGE, "en"),
        ('topic:"power grid"', LimitKind.TOPIC, "power grid"),
        ("主题：“智能 电网”", LimitKind.TOPIC, "智能 电网"),
        ("is:relevant", LimitKind.IS, "relevant"),
    ],
)
def test_limits(text: str, kind: LimitKind, value: str) -> None:
    (limit,) = parse(text).only
    assert (limit.kind, limit.value) == (kind, value)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("after:1970", 0),
        ("before:1970-02", 31),
        ("after:1970-01-02", 1),
        ("after:1970/1/2", 1),
        ("之后：１９７０年１月２日", 1),
        ("之前：1970年2月", 31),
        ("before:1969-12-31", -1),
    ],
)
def test_dates(text: str, day: int) -> None:
    assert [limit.day for limit in parse(text).only] == [day]


@pytest.mark.parametrize(
    "text",
    [
        "after:yesterday",
        "before:2024-13",
        "after:2023-02-29",
        "before:0000",
        "after:20240501",
        "is:funny",
        "site:///",
        'site:"a b"',
        "topic:!!!",
        "grid -after:soon",
    ],
)
def test_what_cannot_mean_anything_is_a_sentence(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('"smart grid', "A quotation mark that is not closed was left out."),
        ("「智能电网", "A quotation mark that is not closed was left out."),
        ("site: example.org", "site: was left out, because nothing follows it (write site:word, without a blank)."),
        ("site:example.org/blog", "site: compares hosts, so it means all of example.org."),
        ("a" * 10_000, "The query was cut to its first 1,000 characters."),
        (" ".join(f"w{number}" for number in range(10, 90)), "Only the first 50 words were searched."),
    ],
)
def test_what_was_left_out_is_noted(text: str, note: str) -> None:
    assert parse(text).notes == (note,)


def test_unclosed_quotes_leave_the_words() -> None:
    assert wanted('"smart grid') == ["smart", "grid"]
    assert wanted('a "b c" "d e') == ["a", "b c", "d", "e"]


def test_long_queries_are_cut() -> None:
    assert len(parse("电网 " * 5_000).wanted) == 1
    assert len(parse(" ".join(f"w{number}" for number in range(100_000))).wanted) == MOST_WORDS
    assert sum(len(words.text) for words in parse("abc " * MOST_CHARACTERS).wanted) <= MOST_CHARACTERS


def test_limits_are_counted_too() -> None:
    sites = (
        " ".join(f"site:a{number}.b" for number in range(40))
        + " "
        + " ".join(f"-is:relevant -lang:{a}{b}" for a in "abcd" for b in "abcd")
    )
    query = parse(sites)
    assert len(query.only) + len(query.never) == MOST_LIMITS
    assert query.notes == (f"Only the first {MOST_LIMITS} limits such as site: were heeded.",)
    assert parse("site:a.b -site:c.d").notes == ()


@pytest.mark.parametrize("text", ["", "   ", "?!…", "🙂🙃", "-", '""', "7", "《》"])
def test_nothing_asked(text: str) -> None:
    assert parse(text).is_empty


def test_only_operators() -> None:
    query = parse("site:example.org after:2024 -lang:zh")
    assert not query.wanted
    assert not query.is_empty


def test_pieces_of_a_word() -> None:
    (word,) = parse("智能电网").wanted
    assert [piece.tokens for piece in pieces_of(word)] == [("智", "能"), ("电", "网")]
    (word,) = parse("x-ray").wanted
    assert [piece.tokens for piece in pieces_of(word)] == [("x",), ("ray",)]


PIECES = st.sampled_from(
    ["grid", "智能电网", '"', "“", "”", "「", "」", "：", ":", "-", "site:", "after:2024", "title:", "标题：", "x-ray", " ", "　",
     "🙂", "ｇｒｉｄ", "'", "\x00", "\ud800", "é", "的", "…", "*", "~", "/", "(", ")", "is:relevant", "主题:", "\n"]
)  # fmt: skip


def understood(text: str) -> Query | None:
    try:
        return parse(text)
    except InputError:
        return None


@given(st.text(alphabet=st.characters(), max_size=80))
def test_any_string_at_all(text: str) -> None:
    understood(text)


@pytest.mark.slow
@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_string_of_what_could_matter(text: str) -> None:
    query = understood(text)
    if query is not None:
        assert all(words.tokens for words in (*query.wanted, *query.unwanted))


@example("title:「grid「grid」")
@example('topic:"grid『grid"')
@example("site:/*")
@example("site:http://*.example.org/")
@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_query_written_down_is_read_as_the_same(text: str) -> None:
    query = understood(text)
    if query is None:
        return
    again = parse(str(query))
    assert {words.tokens for words in again.wanted} == {words.tokens for words in query.wanted}
    assert {words.tokens for words in again.unwanted} == {words.tokens for words in query.unwanted}
    assert (again.only, again.never) == (query.only, query.never)
