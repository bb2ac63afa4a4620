"""From a topic file, options and environment to settings, or to one clear sentence."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from shoal.errors import InputError
from shoal.model import Origin, Term, Topic
from shoal.settings import Budget, Cluster, Fetching, Learning, Politeness, Scope, Settings
from shoal.topic.setting_readers import Names
from shoal.topic.topic_file import overlay, read_cluster, read_fetching, read_topic, topic_from_words

NAMES = Names(
    strategies=("breadth", "best-first", "fish"),
    judges=("cosine", "zones"),
    parameters={"fish": {"width": (1, 100), "depth": (0, 20)}},
)
LEAST = 'keywords = ["grid"]\nseeds = ["http://x.example/"]\n'


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "grid.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def complaint(path: Path, **options: object) -> str:
    """The sentence the user sees, without the folder's name."""
    with pytest.raises(InputError) as caught:
        read_topic(path, names=NAMES, options=options)
    return str(caught.value).replace(str(path.parent) + "/", "")


def test_every_key_arrives(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        name = "power grid"
        label = "grid"
        not = ["fan grid"]
        seeds = ["https://Example.org/energy/#x"]
        language = ["en", "zh"]
        threshold = 0.2
        strategy = "fish"
        parameters = { width = 10, depth = 2.5 }
        judge = "zones"
        learn_from_seeds = true
        adapt_topic = true
        adapt_threshold = true
        adapt_interval = 50
        adapt_wanted = 5
        scope = "domain"
        include = ["*energy*"]
        exclude = "*.pdf"
        max_pages = 5000
        max_pages_per_host = 100
        max_depth = 0
        max_bytes = 1000000
        max_time = "10m"
        delay = 0
        per_host = 2
        concurrency = 8
        hurry = true
        processes = 2
        proxy = "http://127.0.0.1:3128"
        user_agent = "Minnow/2.0"
        contact = "https://example.org/bot"
        allow_private = ["127.0.0.0/8", "10.1.2.3"]

        [keywords]
        "power grid" = 1.0
        "substation" = { weight = 0.8, factor = 1.5 }

        [learned]
        "变压器" = { weight = 0.42, factor = 1.8 }
        "kV" = 0.3
        """,
    )
    assert read_topic(path, names=NAMES) == Settings(
        topic=Topic(
            name="power grid",
            terms=(
                Term(text="power grid"),
                Term(text="substation", weight=0.8, factor=1.5),
                Term(text="变压器", weight=0.42, factor=1.8, origin=Origin.SEEDS),
                Term(text="kV", weight=0.3, origin=Origin.SEEDS),
            ),
            negative=(Term(text="fan grid"),),
            languages=("en", "zh"),
            threshold=0.2,
        ),
        seeds=("https://example.org/energy/",),
        strategy="fish",
        parameters=(("width", 10.0), ("depth", 2.5)),
        judge="zones",
        learning=Learning(from_seeds=True, adapt_topic=True, adapt_threshold=True, interval=50, wanted=5),
        scope=Scope(kind="domain", include=("*energy*",), exclude=("*.pdf",)),
        budget=Budget(max_pages=5000, max_pages_per_host=100, max_depth=0, max_bytes=1_000_000, max_time=600.0),
        politeness=Politeness(delay=0.0, per_host=2),
        fetching=Fetching(
            concurrency=8,
            hurry=True,
            proxy="http://127.0.0.1:3128",
            user_agent="Minnow/2.0",
            contact="https://example.org/bot",
            languages=("en", "zh"),
            allow_private=("127.0.0.0/8", "10.1.2.3/32"),
        ),
        processes=2,
        label="grid",
    )


def test_words_and_seeds_are_enough(tmp_path: Path) -> None:
    expected = Settings(topic=Topic(name="grid", terms=(Term(text="grid"),)), seeds=("http://x.example/",))
    assert read_topic(write(tmp_path, LEAST), names=NAMES) == expected
    assert read_topic(write(tmp_path, b"\xef\xbb\xbf" + LEAST.encode()), names=NAMES) == expected
    assert topic_from_words("grid", ["http://x.example"], names=NAMES) == expected
    assert topic_from_words(["grid"], ["http://x.example"], names=NAMES) == expected


def test_typed_words_may_have_weights() -> None:
    settings = topic_from_words(["power grid, substation=0.8", "电网"], ["http://x.example"], names=NAMES)
    assert settings.topic.name == "power grid, substation, 电网"
    assert [term.weight for term in settings.topic.terms] == [1.0, 0.8, 1.0]


def test_options_win_over_the_file_and_the_file_over_the_environment(tmp_path: Path) -> None:
    environ = {"SHOAL_CONTACT": "e@x.example", "SHOAL_USER_AGENT": "Environ/1", "SHOAL_PROXY": "http://e.example:1"}
    path = write(tmp_path, LEAST + 'user_agent = "File/1"\nproxy = "http://f.example:1"\nmax_pages = 5\ndelay = 3')
    options = {
        "proxy": "http://o.example:1",
        "max_pages": 7,
        "delay": None,
        "include": (),
        "seeds": ("http://o.example/",),
    }
    settings = read_topic(path, names=NAMES, options=options, environ=environ)
    assert settings.fetching.contact == "e@x.example"
    assert settings.fetching.user_agent == "File/1"
    assert settings.fetching.proxy == "http://o.example:1"
    assert settings.budget.max_pages == 7
    assert settings.politeness.delay == 3.0
    assert settings.seeds == ("http://o.example/",)


def test_an_option_can_take_back_what_the_file_says(tmp_path: Path) -> None:
    path = write(tmp_path, LEAST + 'proxy = "http://f.example:1"')
    assert read_topic(path, names=NAMES, options={"proxy": ""}).fetching.proxy == ""


def test_an_option_can_supply_what_the_file_lacks(tmp_path: Path) -> None:
    settings = read_topic(
        write(tmp_path, 'keywords = ["grid"]'), names=NAMES, options={"seeds": ("http://x.example/",)}
    )
    assert settings.seeds == ("http://x.example/",)


def test_overlay_changes_what_was_said_and_nothing_else() -> None:
    before = topic_from_words("grid", ["http://x.example"], names=NAMES, options={"max_pages": 5, "max_depth": 2})
    after = overlay(before, {"max_pages": 10, "strategy": "breadth", "delay": None}, names=NAMES)
    assert after.budget == Budget(max_pages=10, max_depth=2)
    assert after.strategy == "breadth"
    assert (after.topic, after.seeds, after.politeness) == (before.topic, before.seeds, before.politeness)


SEED = 'seeds = ["http://x.example/"]\n'
SEVERAL = (
    SEED
    + """
    not = ["fan"]
    threshold = 0.2
    language = "zh"
    [[any]]
    name = "grid"
    keywords = { "power grid" = 1, "电网" = 0.5 }
    [[any]]
    keywords = ["变压器", "電網"]
    learned = { "kV" = 0.3 }
    not = ["玩具"]
    threshold = 0.4
    """
)


def test_several_topics_at_once(tmp_path: Path) -> None:
    grid, transformer = (topic := read_topic(write(tmp_path, SEVERAL), names=NAMES).topic).any
    assert grid == Topic(
        name="grid",
        terms=(Term(text="power grid"), Term(text="电网", weight=0.5)),
        negative=(Term(text="fan"),),
        languages=("zh",),
        threshold=0.2,
    )
    assert (transformer.name, transformer.threshold) == ("变压器, 電網, kV", 0.4)
    assert [term.text for term in transformer.negative] == ["玩具", "fan"]
    # a word of both is there once, with the larger weight
    assert [(term.text, term.weight) for term in topic.terms] == [
        ("power grid", 1.0),
        ("電網", 1.0),
        ("变压器", 1.0),
        ("kV", 0.3),
    ]
    assert topic.each == (grid, transformer)
    assert topic.name == "power grid, 電網, 变压器"


def test_a_threshold_that_is_typed_holds_for_every_topic(tmp_path: Path) -> None:
    settings = read_topic(write(tmp_path, SEVERAL), names=NAMES, options={"threshold": 0.5})
    assert [part.threshold for part in settings.topic.any] == [0.5, 0.5]
    later = overlay(settings, {"threshold": 0.1}, names=NAMES)
    assert [later.topic.threshold, *(part.threshold for part in later.topic.any)] == [0.1, 0.1, 0.1]
    assert later.topic.terms == settings.topic.terms


def test_learned_words_are_enough_and_typed_ones_come_first(tmp_path: Path) -> None:
    only = read_topic(write(tmp_path, SEED + 'learned = { "变压器" = 0.4 }'), names=NAMES)
    assert only.topic.terms == (Term(text="变压器", weight=0.4, origin=Origin.SEEDS),)
    both = read_topic(write(tmp_path, LEAST + "learned = { Grids = 9.0, wire = 0.4 }"), names=NAMES)
    assert both.topic.terms == (Term(text="grid"), Term(text="wire", weight=0.4, origin=Origin.SEEDS))


def test_who_only_looks_needs_no_seeds(tmp_path: Path) -> None:
    path = write(tmp_path, 'keywords = ["grid"]')
    assert read_topic(path, names=NAMES, seeds_needed=False).seeds == ()


def test_another_strategy_forgets_what_was_set_for_the_last() -> None:
    typed = {"strategy": "fish", "parameters": ("width=10, depth=3",)}
    before = topic_from_words("grid", ["http://x.example"], names=NAMES, options=typed)
    assert before.parameters == (("width", 10.0), ("depth", 3.0))
    assert overlay(before, {"max_pages": 5}, names=NAMES).parameters == before.parameters
    assert overlay(before, {"strategy": "breadth"}, names=NAMES).parameters == ()
    with pytest.raises(InputError, match=r"^--set: width must be from 1 to 100, not 0$"):
        overlay(before, {"parameters": ("width=0",)}, names=NAMES)


def test_names_without_parameters_allow_none() -> None:
    plain = dataclasses.replace(NAMES, parameters={})
    settings = topic_from_words("grid", ["http://x.example"], names=plain)
    assert settings.parameters == ()
    with pytest.raises(InputError, match="it has nothing to set"):
        topic_from_words("grid", ["http://x.example"], names=plain, options={"parameters": ("width=3",)})


def test_how_to_talk_to_servers_where_there_is_no_crawl() -> None:
    environ = {"SHOAL_PROXY": "http://e.example:1", "SHOAL_CONTACT": "e@x.example"}
    options = {"proxy": "http://o.example:1", "allow_private": ("127.0.0.0/8",), "user_agent": None}
    assert read_fetching(options, environ=environ) == Fetching(
        proxy="http://o.example:1", contact="e@x.example", allow_private=("127.0.0.0/8",)
    )
    with pytest.raises(InputError, match="--allow-private must be address ranges"):
        read_fetching({"allow_private": ("x",)})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = '电网'".encode("gbk"), "grid.toml is not UTF-8 text (byte 8); save it as UTF-8"),
        (LEAST + "max_page = 3", 'grid.toml: there is no key "max_page"; did you mean max_pages?'),
        (LEAST + "max-pages = 3", 'grid.toml: there is no key "max-pages"; did you mean max_pages?'),
        (LEAST + "Strategy = 'breadth'", 'grid.toml: there is no key "Strategy"; did you mean strategy?'),
        (
            'seeds = ["http://x.example/"]\n[keywords]\ngrid = 1\nmax_pages = 3',
            "grid.toml: max_pages stands below [keywords] and is read as a word; move it above that line",
        ),
        (
            '[keywords]\ngrid = 1\nseeds = ["http://x.example/"]',
            "grid.toml: seeds stands below [keywords] and is read as a word; move it above that line",
        ),
        (
            SEED + '[learned]\ngrid = 1\nstrategy = "breadth"',
            "grid.toml: strategy stands below [learned] and is read as a word; move it above that line",
        ),
        (
            SEED + "[keywords]\ngrid = 1\nadapt_topic = true",
            "grid.toml: adapt_topic stands below [keywords] and is read as a word; move it above that line",
        ),
        (
            SEED + "[keywords]\ngrid = { wieght = 1 }",
            "grid.toml: keywords must say weight and factor of a word, but 'grid' has 'wieght'; did you mean weight?",
        ),
        (
            SEED + "learned = { grid = { factor = 0 } }",
            "grid.toml: learned must have factors that are numbers above 0, but 'grid' has 0",
        ),
        (SEED + "learned = ['grid']", "grid.toml: learned must be a table of words and weights, not ['grid']"),
        (LEAST + "adapt_topic = 1", "grid.toml: adapt_topic must be true or false, not 1"),
        (LEAST + "adapt_interval = 0", "grid.toml: adapt_interval must be a whole number of at least 1, not 0"),
        (
            LEAST + "strategy = 'fish'\nparameters = { widht = 3 }",
            'grid.toml: parameters: strategy fish has no "widht"; did you mean width?',
        ),
        (
            LEAST + "strategy = 'fish'\nparameters = { zz = 3 }",
            'grid.toml: parameters: strategy fish has no "zz"; it has width, depth',
        ),
        (
            LEAST + "parameters = { width = 3 }",
            'grid.toml: parameters: strategy learned has no "width"; it has nothing to set',
        ),
        (
            LEAST + "strategy = 'fish'\nparameters = { width = 500 }",
            "grid.toml: parameters: width must be from 1 to 100, not 500",
        ),
        (
            LEAST + "strategy = 'fish'\nparameters = { width = 'wide' }",
            "grid.toml: parameters must be names with numbers, such as width=10, but 'width' has 'wide'",
        ),
        (
            LEAST + "[[any]]\nkeywords = ['x']",
            "grid.toml: keywords and any exclude each other; give each [[any]] its own keywords",
        ),
        (SEED + "any = 3", "grid.toml: any must be tables, each below a line [[any]], not 3"),
        (SEED + "any = []", "grid.toml: any must be tables, each below a line [[any]], not []"),
        (
            SEED + "[[any]]\nkeywords = ['x']\n[[any]]\nname = 'empty'",
            "grid.toml: any number 2: keywords must name at least one word to look for",
        ),
        (
            SEED + "[[any]]\nkeywords = ['x']\nthreshold = -1",
            "grid.toml: any number 1: threshold must be a number that is not negative, not -1",
        ),
        (
            "[[any]]\nkeywords = ['x']\nseeds = ['http://x.example/']",
            'grid.toml: any number 1 has no key "seeds"; what is for all of them stands above the first [[any]]',
        ),
        (
            SEED + "[[any]]\nkeyword = ['x']",
            'grid.toml: any number 1 has no key "keyword"; did you mean keywords?',
        ),
        (
            SEED + "[[any]]\nname = 'a'\nkeywords = ['x']\n[[any]]\nname = 'a'\nkeywords = ['y']",
            "grid.toml: any must have different names, but two are called 'a'",
        ),
        (
            SEED + "not = ['x ray']\n[[any]]\nkeywords = ['X-Ray']",
            'grid.toml: not must not hold "X-Ray", because it is a keyword too',
        ),
        (
            'seeds = ["http://x.example/"]',
            'grid.toml: keywords must name at least one word to look for, such as "power grid"',
        ),
        (
            LEAST.replace('"grid"', ""),
            'grid.toml: keywords must name at least one word to look for, such as "power grid"',
        ),
        (
            'keywords = ["grid"]',
            'grid.toml: seeds must name at least one URL to start from, such as "https://example.org/"',
        ),
        (
            'keywords = ["grid"]\nseeds = []',
            'grid.toml: seeds must name at least one URL to start from, such as "https://example.org/"',
        ),
        (
            'keywords = ["grid"]\nseeds = ["http://x.example/", "x.example/y"]',
            "grid.toml: seeds must be whole URLs, but 'x.example/y' has no scheme; did you mean https://x.example/y?",
        ),
        (
            'keywords = {"grid" = "much"}\nseeds = ["http://x.example/"]',
            "grid.toml: keywords must have weights that are numbers above 0, but 'grid' has 'much'",
        ),
        (LEAST + 'not = ["!!!"]', "grid.toml: not must have words in them, but '!!!' has none"),
        (LEAST + 'not = ["Grids"]', 'grid.toml: not must not hold "grid", because it is a keyword too'),
        (LEAST + "name = 5", "grid.toml: name must be one line of text, not 5"),
        (
            LEAST + "language = 'English!'",
            "grid.toml: language must be a language code such as 'en' or 'zh', not 'English!'",
        ),
        (
            LEAST + "strategy = 'bredth'",
            "grid.toml: strategy must be one of best-first, breadth, fish, not 'bredth'; did you mean breadth?",
        ),
        (LEAST + "judge = 'cosin'", "grid.toml: judge must be one of cosine, zones, not 'cosin'; did you mean cosine?"),
        (LEAST + "scope = 'web'", "grid.toml: scope must be one of any, domain, host, prefix, not 'web'"),
        (
            LEAST + "scope = ['host']",
            "grid.toml: scope must be one of any, domain, host, prefix, not ['host']; did you mean host?",
        ),
        (LEAST + "max_pages = 0", "grid.toml: max_pages must be a whole number of at least 1, not 0"),
        (LEAST + "max_pages = 1.5", "grid.toml: max_pages must be a whole number of at least 1, not 1.5"),
        (LEAST + "max_pages = true", "grid.toml: max_pages must be a whole number of at least 1, not True"),
        (LEAST + "max_depth = -1", "grid.toml: max_depth must be a whole number of at least 0, not -1"),
        (
            LEAST + "max_time = 'soon'",
            "grid.toml: max_time must be seconds or a duration such as '90s', '10m', '2h' or '1d', not 'soon'",
        ),
        (LEAST + "delay = -1", "grid.toml: delay must be a number from 0 to 86400, not -1"),
        (LEAST + "threshold = nan", "grid.toml: threshold must be a number that is not negative, not nan"),
        (LEAST + "proxy = 'x'", "grid.toml: proxy must be a URL such as 'http://127.0.0.1:3128', not 'x'"),
        (LEAST + "user_agent = '爬虫'", "grid.toml: user_agent must be one line of plain ASCII text, not '爬虫'"),
        (
            LEAST + "user_agent = ''",
            "grid.toml: user_agent must begin with a product name, such as 'MyCrawler/1.0', not ''",
        ),
        (
            LEAST + 'contact = "a\\r\\nX: y"',
            "grid.toml: contact must be one line of plain ASCII text, not 'a\\r\\nX: y'",
        ),
        (
            LEAST + "allow_private = ['10.0.0.0/99']",
            "grid.toml: allow_private must be address ranges such as '127.0.0.0/8', but '10.0.0.0/99' is none",
        ),
    ],
)
def test_a_wrong_file_is_one_clear_sentence(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    assert complaint(write(tmp_path, text)) == sentence


def test_a_key_like_no_other_gets_the_whole_list(tmp_path: Path) -> None:
    sentence = complaint(write(tmp_path, LEAST + "zzz = 1"))
    assert sentence.startswith(
        'grid.toml: there is no key "zzz"; the keys are name, keywords, learned, not, any, seeds, '
    )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert complaint(tmp_path / "grid.toml") == "grid.toml: there is no such topic file"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").mkdir()
    assert complaint(tmp_path / "grid.toml") == "grid.toml is a folder; give the path of a topic file"


def test_a_file_below_a_file(tmp_path: Path) -> None:
    write(tmp_path, LEAST)
    with pytest.raises(InputError, match=r"cannot be read: Not a directory"):
        read_topic(tmp_path / "grid.toml" / "more.toml", names=NAMES)


def test_a_file_that_is_not_toml_says_where(tmp_path: Path) -> None:
    sentence = complaint(write(tmp_path, 'name = "x"\nmax_pages == 3'))
    assert sentence.startswith("grid.toml is not TOML: ")
    assert "line 2" in sentence


def test_tables_without_end(tmp_path: Path) -> None:
    assert complaint(write(tmp_path, "name = " + "[" * 100_000)).startswith("grid.toml is not TOML: ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LEAST + f"max_pages = {'9' * 5000}", "grid.toml is not TOML: a number in it has too many digits"),
        (
            LEAST + f"max_pages = 0x{'f' * 5000}",
            "grid.toml: max_pages must be a whole number of at least 1, not a number of hundreds of digits",
        ),
        (
            LEAST + f"strategy = 0x{'f' * 5000}",
            "grid.toml: strategy must be one of best-first, breadth, fish, not a number of hundreds of digits",
        ),
        (LEAST + f"max_time = '{'1' * 1_000_000}'", "grid.toml: max_time must be seconds or a duration such as "),
        (f"name = {'[' * 2000}", "grid.toml is not TOML: its values are too deep within each other"),
        (f"name = {'{a=' * 2000}", "grid.toml is not TOML: its values are too deep within each other"),
        (".".join(["a"] * 100_000) + " = 1", "grid.toml is not TOML: it has a key of too many parts, 'a.a."),
        ("[" + ".".join(['"b c"'] * 100_000) + "]", "grid.toml is not TOML: it has a key of too many parts, "),
        (LEAST + f"{'k' * 100_000} = 1", "grid.toml: there is no key 'kkk"),
        (LEAST + '"\\u001b[2J" = 1', "grid.toml: there is no key '\\x1b[2J'; the keys are"),
        (LEAST + "name = 2026-01-01", "grid.toml: name must be one line of text, not datetime.date("),
        (LEAST + "label = 12:00:00", "grid.toml: label must be one line of text, not datetime.time("),
        (LEAST + "delay = inf", "grid.toml: delay must be a number from 0 to 86400, not inf"),
        (LEAST + "include = [[[[]]]]", "grid.toml: include must be one line of text, not [[[]]]"),
    ],
    ids=lambda text: None if len(text) < 100 else text[-5:],
)
def test_what_no_person_writes_is_one_short_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    """The 5,000 digits were an error of ours, and the key of 100,000 parts would have taken a minute."""
    said = complaint(write(tmp_path, text))
    assert said.startswith(sentence)
    assert len(said) < 1000


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    with path.open("wb") as file:
        file.truncate(2**34)
    assert complaint(path) == "grid.toml is too large for a topic file: at most 16 MiB are read"


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("max_pages", 0, "--max-pages must be a whole number of at least 1, not 0"),
        ("seeds", ("nowhere",), "--seed must be http or https URLs, but 'nowhere' is none"),
        ("strategy", "best", "--strategy must be one of best-first, breadth, fish, not 'best'"),
    ],
)
def test_a_wrong_option_is_called_by_its_name(tmp_path: Path, option: str, value: object, sentence: str) -> None:
    assert complaint(write(tmp_path, LEAST), **{option: value}) == sentence


def test_a_wrong_variable_is_called_by_its_name() -> None:
    with pytest.raises(InputError, match=r"^SHOAL_PROXY must be a URL such as "):
        topic_from_words("grid", ["http://x.example"], names=NAMES, environ={"SHOAL_PROXY": "x"})


@pytest.mark.parametrize(
    ("words", "seeds", "sentence"),
    [
        ("", ["http://x.example"], '--topic must name at least one word to look for, such as "power grid"'),
        ("grid", [], '--seed must name at least one URL to start from, such as "https://example.org/"'),
        ("grid=x", ["http://x.example"], "--topic must have weights that are numbers above 0, but 'grid' has 'x'"),
    ],
)
def test_wrong_words_are_one_clear_sentence(words: str, seeds: list[str], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        topic_from_words(words, seeds, names=NAMES)
    assert str(caught.value) == sentence


# --- servers ---------------------------------------------------------------------------------------------------------


def test_servers_are_no_part_of_the_settings_that_travel(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(
        'keywords = ["grid"]\nseeds = ["http://x.example/"]\n'
        'database = "postgresql://a:secret@db.example/shoal"\nbroker = "amqp://a:secret@mq.example/"\n'
    )
    settings = read_topic(file, names=NAMES, environ={"SHOAL_DATABASE": "postgresql://b:secret@other.example/x"})
    assert b"secret" not in msgspec.json.encode(settings)
    cluster = read_cluster(file, environ={"SHOAL_DATABASE": "postgresql://b:secret@other.example/x"})
    assert cluster == Cluster(database="postgresql://a:secret@db.example/shoal", broker="amqp://a:secret@mq.example/")
    assert read_cluster(file, options={"broker": "amqps://mq:5671/v"}).broker == "amqps://mq:5671/v"
    assert read_cluster(environ={"SHOAL_BROKER": "amqp://mq"}) == Cluster(broker="amqp://mq")


@pytest.mark.parametrize("url", ["http://x.example/", "amqp://a:secret@/x y", "a:secret@mq.example", "amqp://"])
def test_a_broker_that_is_none_is_told_without_its_password(url: str) -> None:
    with pytest.raises(InputError, match=r"^SHOAL_BROKER must be a URL such as 'amqp://user:password@host/'") as told:
        read_cluster(environ={"SHOAL_BROKER": url})
    assert "secret" not in str(told.value)
