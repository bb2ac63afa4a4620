"""What does the user say of pages, whatever the judge says?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from shoal.errors import InputError
from shoal.model import Mark
from shoal.parse.charset import decode
from shoal.services.explain import explain_url
from shoal.store import crawl_folder as folders
from shoal.store import mark_log
from shoal.store.mark_log import GivenMark as GivenMark
from shoal.store.mark_log import MarkedPage as MarkedPage


class MarksGiven(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of pages, and who hears it."""

    running: bool
    """A crawl is at work in the folder, and hears it with its next commit."""
    pages: tuple[GivenMark, ...]


def mark_pages(
    folder: Path, urls: Iterable[str], relevant: bool | None, clock: Callable[[], float] = time.time
) -> MarksGiven:
    """Say that pages are relevant, or are not, or (None) are as the judge said; all of them, or none if one has no page."""
    with mark_log.reading(folder) as database:
        meant = mark_log.find(database, urls)
        missing = [one.url for one in meant if one.page is None]
        now = clock()
        given = () if missing else tuple(mark_log.give(database, meant, relevant, now))
    if missing:
        raise _no_page(folder, missing)
    if changed := [page for page in given if page.before is not page.relevant]:
        mark_log.add(folder, [Mark(url=page.url, relevant=relevant, at=now) for page in changed])
    return MarksGiven(running=folders.is_running(folder), pages=given)


def _no_page(folder: Path, urls: list[str]) -> InputError:
    others = f" ({len(urls) - 1:,} more of these URLs have no page either)" if len(urls) > 1 else ""
    found = explain_url(folder, urls[0])
    return InputError(f"{found.url} has no page to mark, it is {found.state}{others}: {found.sentence}")


def urls_in(content: bytes) -> list[str]:
    """The URLs of a list, one on each line, in UTF-8 or GBK; empty lines do not count."""
    return [line.strip() for line in decode(content)[0].splitlines() if line.strip()]


def list_marks(folder: Path) -> list[MarkedPage]:
    """What the user said of pages and did not take back."""
    said = mark_log.read(folder)
    with mark_log.reading(folder) as database:
        return mark_log.marks(database, said)
