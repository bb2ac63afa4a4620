"""What does the manual have about these words? A page, a command, a section of a page, or a heading anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from shoal.errors import InputError
from shoal.services.manual import COMMANDS, ManualPage, ManualSection, pages
from shoal.topic.value_readers import did_you_mean, quoted

ALIASES = {
    # What people call it, where the heading has another word for it.
    "settings": "commands all keys",
    "config": "commands the topic file",
    "judges": "strategies is it about the topic",
    "docker": "operating containers",
    "tab": "completion",
    # What stands in a page, but in none of its headings.
    "robots": "crawling to the sites it visits",
    "robots.txt": "crawling to the sites it visits",
    "postgresql": "cluster",
    "rabbitmq": "cluster",
    # Several headings have this word, and one of them is what is asked.
    "politeness": "crawling to the sites it visits",
    # Whoever asks in Chinese.
    "安装": "installing",
    "命令": "commands",
    "主题": "topics",
    "种子": "seeds",
    "标记": "marks",
    "图像": "images",
    "图片": "images",
    "模型": "models",
    "搜索": "searching",
    "查询": "searching the query language",
    "原因": "reasons",
    "策略": "strategies",
    "词向量": "semantic",
    "设置": "commands all keys",
    "环境变量": "commands the environment",
}
"""Other words for what has a name, and what they lead to."""
_LINK = re.compile(r"^(?:docs/)?+([\w-]+)\.md(?:#|$|(?= ))")
_WORDS = re.compile(r"[\s#_-]+")
_SILENT = re.compile(r"[^\w\s.-]+")
_MOST_LISTED = 12
"""Sections that one sentence can name."""
_SHORTEST = 4
"""Letters by which a page is known when they are the beginning of its name alone."""

Wanted = tuple[str, ...]


def look_up(words: Sequence[str]) -> tuple[ManualSection, ...]:
    """What is written about a subject: one section as a rule; several where they answer alike, in the order of the manual."""
    wanted = _words(_LINK.sub(r"\1 ", " ".join(words)))
    for find in (_in_page, _by_alias, _command, _in_page_like, _anywhere):
        if wanted and (found := find(wanted)):
            return found
    raise _unknown(" ".join(words), wanted)


def subjects_after(words: Sequence[str]) -> dict[str, str]:
    """What may be typed next, and what it is: the name of a page; after a name its sections, as one word each."""
    if not words:
        return {page.name: page.question for page in pages().values()}
    name = words[0].lower()
    of_page = pages()[name].sections[1:] if len(words) == 1 and name in pages() else ()
    said = {section.anchor: section.heading for section in of_page if not section.command}
    return {section.command.split()[1]: section.heading for section in _subcommands(words)} | said


# --- five places to look ---------------------------------------------------------------------------------------------


def _in_page(wanted: Wanted) -> tuple[ManualSection, ...]:
    """The name of a page, and perhaps words of a heading in it; the name may have several words itself."""
    for page in pages().values():
        name = _words(page.name)
        if wanted[: len(name)] == name:
            return _of(page, wanted[len(name) :])
    return ()


def _by_alias(wanted: Wanted) -> tuple[ManualSection, ...]:
    """Another word for a place; or for a page, and words of a heading in it."""
    for alias, place in ALIASES.items():
        if _words(alias, like=wanted) == wanted[:1] and (len(wanted) == 1 or place in pages()):
            return _in_page(_words(place) + wanted[1:]) or _command(_words(place) + wanted[1:])
    return ()


def _command(wanted: Wanted) -> tuple[ManualSection, ...]:
    """A command by its words, or all that begin with them; and perhaps words of a heading below it."""
    named = [section for section in pages()[COMMANDS].sections if section.command]
    if found := tuple(one for one in named if _words(one.command)[: len(wanted)] == wanted):
        return found
    for one in named:
        words = _words(one.command)
        if wanted[: len(words)] == words:
            return _best(list(_below(one)), wanted[len(words) :])
    return ()


def _in_page_like(wanted: Wanted) -> tuple[ManualSection, ...]:
    """The same as a page by its name in the singular, or by how it begins."""
    first, *rest = wanted
    same = [page for page in pages().values() if _singular(page.name) == _singular(first)]
    begin = [page for page in pages().values() if page.name.startswith(first) and len(first) >= _SHORTEST]
    found = same or begin
    return _of(found[0], tuple(rest)) if len(found) == 1 else ()


def _anywhere(wanted: Wanted) -> tuple[ManualSection, ...]:
    return _best([section for page in pages().values() for section in page.sections], wanted)


def _of(page: ManualPage, wanted: Wanted) -> tuple[ManualSection, ...]:
    return _best(page.sections[1:], wanted) if wanted else page.sections[:1]


def _below(section: ManualSection) -> Iterator[ManualSection]:
    return (one for one in pages()[COMMANDS].sections if one.level > section.level and one.text in section.text)


def _subcommands(words: Sequence[str]) -> Iterator[ManualSection]:
    typed = [word.lower() for word in words]
    for section in pages()[COMMANDS].sections:
        if (command := section.command.split())[: len(words)] == typed and len(command) == len(words) + 1:
            yield section


# --- how well a heading fits -----------------------------------------------------------------------------------------


def _best(sections: Iterable[ManualSection], wanted: Wanted) -> tuple[ManualSection, ...]:
    """Those that fit best, without what stands inside of another."""
    fits = [(_fit(section, wanted), section) for section in sections] if wanted else []
    best = max((fit for fit, _ in fits), default=0)
    found = [section for fit, section in fits if fit == best > 0]
    return tuple(one for one in found if not any(one is not other and one.text in other.text for other in found))


def _fit(section: ManualSection, wanted: Wanted) -> int:
    """3: the heading says just that; 2: it has all the words; 1: it has words that begin so, or Chinese ones in it."""
    says = _words(section.command or section.heading, like=wanted)
    if says == wanted:
        return 3
    if all(word in says for word in wanted):
        return 2
    return int(all(any(_is_in(word, other) for other in says) for word in wanted))


def _is_in(word: str, other: str) -> bool:
    return other.startswith(_singular(word)) if word.isascii() else word in other


def _words(text: str, like: Wanted | None = None) -> Wanted:
    """The words of a text in one spelling: in that of what it is compared with, which is simple as a rule."""
    simple = text.isascii() if like is None else all(map(str.isascii, like))
    return tuple(filter(None, _WORDS.split(_SILENT.sub(" ", text.lower() if simple else _folded(text)))))


def _folded(text: str) -> str:
    from shoal.text import fold  # here, because its tables take a tenth of a second

    return fold(text)


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


# --- what is not there -----------------------------------------------------------------------------------------------


def _unknown(typed: str, wanted: Wanted) -> InputError:
    """With what is nearest, or what there is."""
    page = pages().get(wanted[0]) if len(wanted) > 1 else None
    if page:
        return InputError(_no_section(page, " ".join(wanted[1:])))
    names = [*pages(), *ALIASES, *(section.command for section in pages()[COMMANDS].sections if section.command)]
    near = did_you_mean(" ".join(wanted), names)
    return InputError(f"The manual has nothing about {quoted(typed)}{near or ': shoal help lists what there is.'}")


def _no_section(page: ManualPage, typed: str) -> str:
    headings = [section.heading for section in page.sections[1:]]
    near = did_you_mean(typed, [heading.lower() for heading in headings])
    listed = f": its sections are {'; '.join(headings)}." if len(headings) <= _MOST_LISTED else "."
    return f"The page {page.name} has no section about {quoted(typed)}{near or listed}"
