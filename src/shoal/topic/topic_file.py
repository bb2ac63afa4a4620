"""What did the user ask for? Topic file, options and environment become `Settings`, or one clear sentence.

    defaults ◄ environment (SHOAL_PROXY …) ◄ topic file ◄ options (--max-pages …)        what stands further right wins

What can be said is the table `topic/setting_table.py`. In the web application a form says it: `settings_from_form`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from shoal.errors import InputError
from shoal.files import read_text
from shoal.model import Topic
from shoal.settings import Cluster, Fetching, Settings
from shoal.topic import setting_table, value_readers, word_readers
from shoal.topic.combined import name_of, said_of_topic, together
from shoal.topic.setting_entry import Setter
from shoal.topic.setting_readers import Names, reader_of
from shoal.topic.setting_table import check_allowed, setting
from shoal.topic.word_readers import form_of

NOTHING: Mapping[str, object] = {}
_LARGEST = 16 * 2**20
"""Bytes of a topic file; a hundred thousand seeds have less."""
_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")
"""`a.a.a.a…`: the time to read one grows with the square of its parts."""
_CLUSTER = "cluster"
"""No part of the settings, which travel to all workers: only `read_cluster` answers it."""


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
    _refuse_unknown(file, path)
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


def settings_from_form(
    values: Mapping[str, object], *, by: Setter, names: Names, environ: Mapping[str, str] | None = None
) -> Settings:
    """The same from a form that they filled in: they may say what `setting_table.check_allowed` lets them."""
    check_allowed(values, by)
    said = _Source(values=values, called=str, by=by)
    return _settled([_environment(environ or {}), said], names, called=said.called)


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
    by: Setter = "operator"


def _environment(environ: Mapping[str, str]) -> _Source:
    variables = {key: variable for variable, key in setting_table.ENVIRONMENT.items() if environ.get(variable)}
    return _Source(values={key: environ[name] for key, name in variables.items()}, called=variables.__getitem__)


def _options(options: Mapping[str, object]) -> _Source:
    given = {key: value for key, value in options.items() if value is not None and value != ()}
    return _Source(values=given, called=lambda key: setting(key).spelling)


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


def _refuse_unknown(file: _Source, path: Path) -> None:
    known = [entry.name for entry in setting_table.SETTINGS]
    for key in file.values:
        if key not in known:
            hint = value_readers.did_you_mean(key, known) or f"; the keys are {', '.join(known)}"
            raise InputError(f"{path}: there is no key {value_readers.quoted(key)}{hint}")
    for table in ("keywords", "not", "learned"):
        words = file.values.get(table)
        for key, value in words.items() if isinstance(words, dict) else ():
            # In TOML everything below a [keywords] line belongs to it, which people forget.
            if key in known and ("_" in key or not word_readers.is_weight(value)):
                raise InputError(f"{path}: {key} stands below [{table}] and is read as a word; move it above that line")
    if "any" in file.values and (both := next((key for key in ("keywords", "learned") if key in file.values), "")):
        raise InputError(f"{path}: {both} and any exclude each other; give each [[any]] its own {both}")


# --- what can be said ------------------------------------------------------------------------------------------------


def _applied(settings: Settings, source: _Source, names: Names) -> Settings:
    """The settings with the source's values in their places."""
    changed = _changes(source, names)
    changed.pop(_CLUSTER, None)
    if "topic" in changed:
        changed["topic"] = said_of_topic(settings.topic, changed["topic"])
    own = changed.pop("", {})
    return replace(settings, **own, **{part: replace(getattr(settings, part), **new) for part, new in changed.items()})


def _changes(source: _Source, names: Names) -> dict[str, dict[str, Any]]:
    """What the source says, by part and field; an empty part is `Settings` itself."""
    changed: dict[str, dict[str, Any]] = {}
    for name, raw in source.values.items():
        entry = setting(name)
        try:
            value = reader_of(entry, names, source.by)(raw)
        except ValueError as error:
            raise InputError(f"{source.called(name)} {error}") from None
        for place in entry.places:
            part, _, field = place.rpartition(".")
            changed.setdefault(part, {})[field] = value
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
