"""What do these pages say? Example pages that the user names: files on this computer, and URLs, asked for politely.

A URL that the user typed is asked for as a browser would, so robots.txt has no say; the address guard and the pause between
two requests to one host hold as in a crawl.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from shoal.errors import InputError
from shoal.fetch.client import HttpFetcher
from shoal.fetch.polite_client import PoliteClient, in_a_sentence
from shoal.model import Failure, Page, Response, Timing, Unanswered
from shoal.parse.parser import HtmlParser
from shoal.settings import Fetching
from shoal.urls import normalise

Pause = Callable[[float], Awaitable[None]]
_TYPES = {".html": "text/html", ".htm": "text/html", ".xhtml": "text/html", ".txt": "text/plain", ".md": "text/plain"}
"""Other files are looked at."""
_NO_TIME = Timing(started=0.0, answered=0.0, ended=0.0)


def is_url(source: str) -> bool:
    """True when a source is on the web, else it is the path of a file."""
    return source.lower().startswith(("http://", "https://"))


async def read_samples(
    sources: Sequence[str], fetching: Fetching, *, delay: float, pause: Pause = asyncio.sleep
) -> list[Page]:
    """The pages at these paths and URLs, in their order; all that cannot be read is told in one sentence."""
    pages: list[Page] = []
    complaints: list[str] = []
    async with HttpFetcher(fetching) as fetcher:
        asker = PoliteClient(fetcher, delay=delay, sleep=pause)
        for source in dict.fromkeys(sources):
            try:
                response = await _asked(source, asker) if is_url(source) else _read(source)
                pages.append(_understood(response, fetching))
            except _Unusable as error:
                complaints.append(f"{source} {error}")
    if complaints:
        raise InputError("; ".join(complaints))
    return pages


class _Unusable(Exception):
    """A source that gives no page; the message is the end of a sentence that begins with its name."""


def _read(source: str) -> Response:
    path = Path(source)
    try:
        body = path.read_bytes()
    except FileNotFoundError:
        is_host = "." in source.partition("/")[0].strip(".") and path.suffix.lower() not in _TYPES
        hint = f"; did you mean https://{source}?" if is_host and normalise(f"https://{source}") else ""
        raise _Unusable(f"is neither a URL nor a file that is there{hint}") from None
    except IsADirectoryError:
        raise _Unusable("is a folder; give the files in it") from None
    except (OSError, ValueError) as error:
        raise _Unusable(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    headers = (("content-type", _TYPES.get(path.suffix.lower(), "")),)
    return Response(url=path.absolute().as_uri(), status=200, headers=headers, body=body, timing=_NO_TIME)


def _understood(response: Response, fetching: Fetching) -> Page:
    page = HtmlParser(fetching.user_agent).parse(response)
    if page is None:
        raise _Unusable("is neither HTML nor text")
    if not page.flat.strip():
        raise _Unusable("has no text to learn from")
    return page


async def _asked(source: str, asker: PoliteClient) -> Response:
    """The answer at the end of all redirects."""
    url = normalise(source)
    if url is None:
        raise _Unusable("is not a URL that can be asked for")
    answer = await asker.ask(url)
    if isinstance(answer, Failure):
        raise _Unusable(f"could not be fetched: {in_a_sentence(answer.detail)}")
    if isinstance(answer, Unanswered):
        raise _Unusable(f"could not be fetched: {answer.why}")
    return answer
