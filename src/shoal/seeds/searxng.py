"""What does a search engine suggest? Asks an instance of SearXNG, which passes the words on to many engines.

The interface is `GET /search?q=…&format=json&pageno=…&language=…`. An instance answers in JSON only when its owner allows it
(403 otherwise), and may limit how often it is asked (429).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlencode

import msgspec

from shoal.errors import InputError
from shoal.fetch.polite_client import PoliteClient, in_a_sentence
from shoal.model import Failure, Suggestion, Suggestions, Unanswered
from shoal.seeds.list_document import UNREADABLE, plain, suggestion
from shoal.seeds.selection import SuggestionCollector, Wanted, everything, phrases_in
from shoal.urls import normalise

_MOST_PAGES = 10
"""Pages of results that are asked for at most, when filters leave little of each."""
_LANGUAGE = re.compile(r"auto|all|[a-z]{2,3}(-[A-Za-z]{2})?")
_SHOWN_ENGINES = 5


def instance_address(text: str) -> str:
    """Where an instance answers, from what the user typed; one sentence when it cannot be an address."""
    address = normalise(text.strip())
    if address is None:
        hint = f"; did you mean http://{text}?" if normalise(f"http://{text}") and "://" not in text else ""
        raise InputError(f"The SearXNG instance must be a URL such as http://127.0.0.1:8080, not '{text}'{hint}")
    return address.partition("?")[0].rstrip("/").removesuffix("/search")


def language_code(text: str) -> str:
    """A language as SearXNG names it; one sentence when it has no such name."""
    if _LANGUAGE.fullmatch(text):
        return text
    raise InputError(f"--language must be a code such as zh, en or zh-CN, or all, not '{text}'")


class SearxngSource:
    """Suggests what the search engines behind an instance find."""

    def __init__(
        self, instance: str, asker: PoliteClient, *, language: str = "auto", wanted: Wanted = everything
    ) -> None:
        """`instance` comes from `instance_address`; `auto` lets it guess the language by the words."""
        self._instance = instance
        self._asker = asker
        self._language = language
        self._wanted = wanted

    async def find(self, words: str, limit: int) -> Suggestions | Unanswered:
        """Page after page, until there is enough or nothing new comes."""
        collector = SuggestionCollector(limit, self._wanted)
        silent: dict[str, str] = {}
        query = " ".join(phrases_in(words))
        for number in range(1, _MOST_PAGES + 1):
            page = await self._page(query, number)
            if isinstance(page, Unanswered):
                if not collector.found:
                    return page
                collector.notes.append(f"There may be more results: {in_a_sentence(page.why)}.")
                break
            silent |= page.silent()
            is_new = [collector.add(one) for one in page.suggestions(self._instance)]
            if collector.full or not any(is_new):
                break
        collector.notes += _about(silent)
        return collector.answer()

    async def _page(self, query: str, number: int) -> _Page | Unanswered:
        asked = {"q": query, "format": "json", "pageno": number, "language": self._language}
        answer = await self._asker.ask(f"{self._instance}/search?{urlencode(asked)}", stay=True)
        if isinstance(answer, Unanswered):
            return answer
        if isinstance(answer, Failure):
            return Unanswered(why=self._explain(answer))
        try:
            return msgspec.json.decode(answer.body, type=_Page)
        except UNREADABLE:
            return Unanswered(
                why=f"{self._instance} did not answer with SearXNG's JSON: is there an instance of SearXNG at this address?"
            )

    def _explain(self, failure: Failure) -> str:
        match failure.status:
            case 403:
                return (
                    f"The SearXNG instance {self._instance} does not answer in JSON: its owner must allow that "
                    "with 'search: formats: [html, json]' in its settings.yml"
                )
            case 429:
                later = f" for {failure.retry_after:.0f} seconds" if failure.retry_after else " for a while"
                return (
                    f"The SearXNG instance {self._instance} wants no more questions{later}: wait, or if it is yours, "
                    "say 'server: limiter: false' in its settings.yml"
                )
            case 400:
                return f"The SearXNG instance {self._instance} does not understand the question: try another --language"
            case _:
                return f"The SearXNG instance {self._instance} cannot be asked: {in_a_sentence(failure.detail)}"


def _about(silent: dict[str, str]) -> list[str]:
    """One sentence about the engines that an instance asked in vain."""
    if not silent:
        return []
    named = [f"{name} ({why})" if why else name for name, why in sorted(silent.items())]
    more = f" and {len(named) - _SHOWN_ENGINES} more" if len(named) > _SHOWN_ENGINES else ""
    return [f"Search engines that did not answer: {', '.join(named[:_SHOWN_ENGINES])}{more}."]


# --- its JSON --------------------------------------------------------------------------------------------------------


class _Result(msgspec.Struct):
    """One result, as far as we need it; others have images, scores and positions."""

    url: str | None = None
    title: str | None = None
    content: str | None = None
    engine: str | None = None
    engines: list[str] = []
    published: str | None = msgspec.field(default=None, name="publishedDate")


class _Page(msgspec.Struct):
    """One page of results. What stands in it comes from many engines, so each piece is read on its own."""

    results: list[msgspec.Raw]
    unresponsive_engines: list[msgspec.Raw] = []

    def suggestions(self, source: str) -> Iterable[Suggestion | None]:
        for raw in self.results:
            try:
                result = msgspec.json.decode(raw, type=_Result)
            except UNREADABLE:
                continue
            yield suggestion(
                result.url or "",
                title=plain(result.title or ""),
                snippet=plain(result.content or ""),
                source=source,
                engines=result.engines or ([result.engine] if result.engine else []),
                updated=result.published or "",
            )

    def silent(self) -> dict[str, str]:
        """The engines that did not answer, and why."""
        found: dict[str, str] = {}
        for raw in self.unresponsive_engines:
            try:
                name, why = msgspec.json.decode(raw, type=tuple[str, str])
            except UNREADABLE:
                continue
            found[name] = why
        return found
