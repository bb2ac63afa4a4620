"""What did the user ask for? Topic file, options and environment become `Settings`, or one clear sentence.

    defaults ◄ environment (SHOAL_PROXY …) ◄ topic file ◄ options (--max-pages …)        what stands further right wins

`_keys` is the whole list of what can be said, and how each is read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from msgspec.structs import replace

from shoal.errors import InputError
from shoal.files import read_text
from shoal.model import Topic
from shoal.settings import Cluster, Fetching, Scope, Settings
from shoal.topic import value_readers
from shoal.topic.combined import name_of, read_parts, said_of_topic, together
from shoal.topic.value_readers import form_of

NOTHING: Mapping[str, object] = {}
ENVIRONMENT = {
    "SHOAL_USER_AGENT": "user_agent",
    "SHOAL_CONTACT": "contact",
    "SHOAL_PROXY": "proxy",
    "SHOAL_DATABASE": "database",
    "SHOAL_BROKER": "broker",
}
_OPTION_NAMES = {"keywords": "--topic", "seeds": "--seed", "parameters": "--set"}
"""Options that are not called as the key in the file is; all others are `--max-pages` for `max_pages`."""


_LARGEST = 16 * 2**20
"""Bytes of a topic file; a hundred thousand seeds have less."""
_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")
"""`a.a.a.a…`: the time to read one grows with the square of its parts."""
_CLUSTER = "cluster"
"""No part of the settings, which travel to all workers: only `read_cluster` answers it."""


@dataclass(frozen=True, kw_only=True)
class Names:
    """The implementations there are; `services.crawls` knows them, the topic does not."""

    strategies: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    parameters: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict, hash=False)
    """Which numbers can be set of each strategy, from which to which; one that is not here has nothing to set."""


def read_topic(
    path: Path,
    *,
    names: Names,
    options: Mapping[str, object] = NOTHING,
    environ: Mapping[str, str] | None = None,
    seeds_needed: bool = True,
) -> Settings:
    """All that a crawl is, from a topic file; options given by the user (None: not given) win over the file.

    Who only looks at the topic does not need seeds.
    """
    file = _Source(values=load(path), called=lambda key: f"{path}: {key}")
    _refuse_unknown(file, path, names)
    sources = [_environment(environ or {}), file, _options(options)]
    return _settled(sources, names, called=file.called, seeds_needed=seeds_needed)


def topic_from_words(
    words: str | Iterable[str],
    seeds: Iterable[str],
    *,
    names: Names,
    options: Mapping[str, object] = NOTHING,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The same without a file: `power grid, substation=0.8` and the URLs to start from."""
    text = words if isinstance(words, str) else ",".join(words)
    typed = _options({**options, "keywords": text, "seeds": tuple(seeds)})
    return _settled([_environment(environ or {}), typed], names, called=typed.called)


def overlay(settings: Settings, options: Mapping[str, object], *, names: Names) -> Settings:
    """The settings of an earlier run, with what the user says this time."""
    said = _options(options)
    changed = _applied(settings, said, names)
    if "parameters" not in said.values and changed.strategy != settings.strategy:
        # What was set for the old strategy means nothing to the new one.
        known = names.parameters.get(changed.strategy, {})
        changed = replace(changed, parameters=tuple(pair for pair in changed.parameters if pair[0] in known))
    _check_parameters(changed, names, said.called)
    return changed


def read_fetching(options: Mapping[str, object], *, environ: Mapping[str, str] | None = None) -> Fetching:
    """How to talk to servers where there is no crawl: from options and environment."""
    settings = Settings(topic=Topic(name="", terms=()), seeds=())
    for source in (_environment(environ or {}), _options(options)):
        settings = _applied(settings, source, Names())
    return settings.fetching


def read_cluster(
    path: Path | None = None, *, options: Mapping[str, object] = NOTHING, environ: Mapping[str, str] | None = None
) -> Cluster:
    """The servers of a crawl, from its topic file, options and environment."""
    file = _Source(values=load(path), called=lambda key: f"{path}: {key}") if path is not None else _options({})
    cluster = Cluster()
    for source in (_environment(environ or {}), file, _options(options)):
        said = {key: value for key, value in source.values.items() if key in Cluster.__struct_fields__}
        changes = _changes(_Source(values=said, called=source.called), Names())
        cluster = replace(cluster, **changes.get(_CLUSTER, {}))
    return cluster


# --- where values come from ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Source:
    """Some values as the user gave them, and how to speak of each in an error message."""

    values: Mapping[str, object]
    called: Callable[[str], str]


def _environment(environ: Mapping[str, str]) -> _Source:
    variables = {key: variable for variable, key in ENVIRONMENT.items() if environ.get(variable)}
    return _Source(values={key: environ[name] for key, name in variables.items()}, called=variables.__getitem__)


def _options(options: Mapping[str, object]) -> _Source:
    given = {key: value for key, value in options.items() if value is not None and value != ()}
    return _Source(values=given, called=lambda key: _OPTION_NAMES.get(key, "--" + key.replace("_", "-")))


def load(path: Path) -> dict[str, object]:
    """What a topic file says, unread; one sentence when that is no TOML, or none that a person would write."""
    text = read_text(path, "topic file", _LARGEST)
    if (long := _LONG_KEY.search(text)) is not None:
        raise InputError(f"{path} is not TOML: it has a key of too many parts, {value_readers.short(long[0])}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{path} is not TOML: its values are too deep within each other") from None
    except ValueError:  # Python reads no number of thousands of digits, whatever the TOML says
        raise InputError(f"{path} is not TOML: a number in it has too many digits") from None


def _refuse_unknown(file: _Source, path: Path, names: Names) -> None:
    known = _keys(names)
    for key in file.values:
        if key not in known:
            hint = value_readers.did_you_mean(key, known) or f"; the keys are {', '.join(known)}"
            raise InputError(f"{path}: there is no key {value_readers.quoted(key)}{hint}")
    for table in ("keywords", "not", "learned"):
        words = file.values.get(table)
        for key, value in words.items() if isinstance(words, dict) else ():
            # In TOML everything below a [keywords] line belongs to it, which people forget.
            if key in known and ("_" in key or not value_readers.is_weight(value)):
                raise InputError(f"{path}: {key} stands below [{table}] and is read as a word; move it above that line")
    if "any" in file.values and (both := next((key for key in ("keywords", "learned") if key in file.values), "")):
        raise InputError(f"{path}: {both} and any exclude each other; give each [[any]] its own {both}")


# --- what can be said ------------------------------------------------------------------------------------------------


@cache
def _keys(names: Names) -> dict[str, tuple[Callable[[object], object], *tuple[tuple[str, str], ...]]]:
    """How each key is read, and where in the settings it goes: (part, field), an empty part being `Settings` itself."""
    return {
        "name": (value_readers.line, ("topic", "name")),
        "keywords": (value_readers.keywords, ("topic", "terms")),
        "learned": (value_readers.learned, ("topic", "learned")),
        "not": (value_readers.keywords, ("topic", "negative")),
        "any": (read_parts, ("topic", "any")),
        "seeds": (value_readers.seeds, ("", "seeds")),
        "language": (value_readers.language, ("topic", "languages"), ("fetching", "languages")),
        "label": (value_readers.line, ("", "label")),
        "threshold": (value_readers.number, ("topic", "threshold")),
        "strategy": (value_readers.one_of(names.strategies), ("", "strategy")),
        "parameters": (value_readers.named_numbers, ("", "parameters")),
        "judge": (value_readers.one_of(names.judges), ("", "judge")),
        "learn_from_seeds": (value_readers.yes_or_no, ("learning", "from_seeds")),
        "adapt_topic": (value_readers.yes_or_no, ("learning", "adapt_topic")),
        "adapt_threshold": (value_readers.yes_or_no, ("learning", "adapt_threshold")),
        "adapt_interval": (value_readers.whole(1), ("learning", "interval")),
        "adapt_wanted": (value_readers.whole(1), ("learning", "wanted")),
        "scope": (value_readers.one_of(get_args(get_type_hints(Scope)["kind"])), ("scope", "kind")),
        "include": (value_readers.texts, ("scope", "include")),
        "exclude": (value_readers.texts, ("scope", "exclude")),
        "images": (value_readers.yes_means("relevant", "none"), ("images", "wanted")),
        "all_images": (value_readers.yes_means("all", "none"), ("images", "wanted")),
        "max_images": (value_readers.whole(1), ("images", "max_images")),
        "max_pages": (value_readers.whole(1), ("budget", "max_pages")),
        "max_pages_per_host": (value_readers.whole(1), ("budget", "max_pages_per_host")),
        "max_depth": (value_readers.whole(0), ("budget", "max_depth")),
        "max_bytes": (value_readers.whole(1), ("budget", "max_bytes")),
        "max_time": (value_readers.duration, ("budget", "max_time")),
        "until_done": (value_readers.least_share, ("budget", "until_done")),
        "delay": (value_readers.number, ("politeness", "delay")),
        "per_host": (value_readers.whole(1), ("politeness", "per_host")),
        "concurrency": (value_readers.whole(1), ("fetching", "concurrency")),
        "hurry": (value_readers.yes_or_no, ("fetching", "hurry")),
        "processes": (value_readers.whole(1), ("", "processes")),
        "index": (value_readers.yes_or_no, ("", "index")),
        "proxy": (value_readers.proxy, ("fetching", "proxy")),
        "user_agent": (value_readers.user_agent, ("fetching", "user_agent")),
        "contact": (value_readers.header, ("fetching", "contact")),
        "allow_private": (value_readers.networks, ("fetching", "allow_private")),
        "database": (value_readers.database, (_CLUSTER, "database")),
        "broker": (value_readers.broker, (_CLUSTER, "broker")),
    }


def _applied(settings: Settings, source: _Source, names: Names) -> Settings:
    """The settings with the source's values in their places."""
    changed = _changes(source, names)
    changed.pop(_CLUSTER, None)
    if "topic" in changed:
        changed["topic"] = said_of_topic(settings.topic, changed["topic"])
    own = changed.pop("", {})
    return replace(settings, **own, **{part: replace(getattr(settings, part), **new) for part, new in changed.items()})


def _changes(source: _Source, names: Names) -> dict[str, dict[str, Any]]:
    """What the source says, by part and field."""
    changed: dict[str, dict[str, Any]] = {}
    for name, raw in source.values.items():
        read, *places = _keys(names)[name]
        try:
            value = read(raw)
        except ValueError as error:
            raise InputError(f"{source.called(name)} {error}") from None
        for part, place in places:
            changed.setdefault(part, {})[place] = value
    return changed


# --- is it enough ----------------------------------------------------------------------------------------------------


def _settled(
    sources: Iterable[_Source], names: Names, called: Callable[[str], str], *, seeds_needed: bool = True
) -> Settings:
    """Defaults and all sources on top of each other, if that is enough for a crawl."""
    settings, sources = Settings(topic=Topic(name="", terms=()), seeds=()), list(sources)
    for source in sources:
        settings = _applied(settings, source, names)
    topic = together(settings.topic, settings.topic.any) if settings.topic.any else settings.topic
    if not topic.terms:
        raise InputError(f'{called("keywords")} must name at least one word to look for, such as "power grid"')
    if seeds_needed and not settings.seeds:
        raise InputError(f'{called("seeds")} must name at least one URL to start from, such as "https://example.org/"')
    for part in topic.each:
        _refuse_both(part, called)
    said = [source.called for source in sources if {"parameters", "strategy"} & source.values.keys()]
    _check_parameters(settings, names, said[-1] if said else called)
    return replace(settings, topic=replace(topic, name=topic.name or name_of(topic.terms)))


def _refuse_both(topic: Topic, called: Callable[[str], str]) -> None:
    unwanted = {form_of(term.text) for term in topic.negative}
    if both := [term.text for term in topic.terms if form_of(term.text) in unwanted]:
        raise InputError(f'{called("not")} must not hold "{both[0]}", because it is a keyword too')


def _check_parameters(settings: Settings, names: Names, called: Callable[[str], str]) -> None:
    """The strategy must know every number that was set, and like it."""
    known = names.parameters.get(settings.strategy, {})
    for name, amount in settings.parameters:
        if name not in known:
            there = f"; it has {', '.join(known)}" if known else "; it has nothing to set"
            hint = value_readers.did_you_mean(name, known) or there
            raise InputError(f'{called("parameters")}: strategy {settings.strategy} has no "{name}"{hint}')
        least, most = known[name]
        if not least <= amount <= most:
            raise InputError(f"{called('parameters')}: {name} must be from {least:g} to {most:g}, not {amount:g}")
