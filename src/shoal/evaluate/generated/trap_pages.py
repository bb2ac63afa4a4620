"""Where does a careless crawler go round for ever? Pages that are made up when they are asked for, without end."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from shoal.evaluate.generated.ground_truth import WebPage
from shoal.evaluate.generated.page_markup import Anchor, ListEntry, Sheet, content_type, press
from shoal.evaluate.generated.prose import Dice, voice
from shoal.evaluate.generated.sites import BY_HOST, Site
from shoal.evaluate.generated.vocabulary import OTHERS, TOPICS

_MONTH = re.compile(r"/calendar\?month=(\d{4})-(\d\d)")
_SHELVES = ("blue", "small", "sale", "new")


def trap(seed: int, host: str, target: str) -> WebPage | None:
    """The endless page at this address, or None when no trap reaches there."""
    dice = Dice(seed, host, target)
    if host == "events.test" and (month := _MONTH.fullmatch(target)) and 1 <= int(month[2]) <= 12:
        return _page(target, BY_HOST[host], _calendar(dice, int(month[1]), int(month[2])), dice)
    if host == "shop.test" and target.startswith("/list?"):
        return _page(target, BY_HOST[host], _session(dice, target), dice)
    if host == "shop.test" and _is_shelf(target):
        return _page(target, BY_HOST[host], _browse(dice, target), dice)
    return None


def _page(target: str, site: Site, sheet: Sheet, dice: Dice) -> WebPage:
    return WebPage(
        url=f"http://{site.host}{target}",
        note="trap",
        body=press(sheet, site, site.layout, dice),
        content_type=content_type(site),
        charset=site.charset,
        language=sheet.language,
        links=tuple(anchor.url for anchor in sheet.anchors),
    )


def _calendar(dice: Dice, year: int, month: int) -> Sheet:
    """A month with a few dates, and always a next and a previous one."""
    months = year * 12 + month - 1
    near = [_anchor("events.test", "/calendar?month={:04}-{:02}", months + step) for step in (-1, 1, 12)]
    dates = [
        f"{dice.number(1, 28)}: {voice(dice, dice.pick(TOPICS + OTHERS).name, 'en').title(dice)}."
        for _ in range(dice.number(2, 5))
    ]
    return Sheet(
        title=f"Events in {year}-{month:02}", language="en", paragraphs=dates, links=near, menu=_menu("events.test")
    )


def _anchor(host: str, path: str, months: int) -> Anchor:
    year, month = divmod(months, 12)
    return Anchor(url=f"http://{host}{path.format(year % 10_000, month + 1)}", text=f"{year}-{month + 1:02}")


def _session(dice: Dice, target: str) -> Sheet:
    """A product list that gives every visitor a new session id."""
    asked = parse_qs(target.partition("?")[2]).get("page", ["1"])[0]
    page = int(asked) if asked.isdigit() and len(asked) < 9 else 1
    session = f"{dice.number(0, 2**32):08x}"
    entries = [
        ListEntry(
            anchor=Anchor(url=f"http://shop.test/list?page={number}&sid={session}", text=f"Products, page {number}"),
            blurb=voice(dice, "cooking", "en").title(dice),
        )
        for number in sorted({max(1, page - 1), page + 1, page + dice.number(2, 9)})
    ]
    return Sheet(title=f"All products, page {page}", language="en", entries=entries, menu=_menu("shop.test"))


def _is_shelf(target: str) -> bool:
    parts = target.split("/")
    return parts[1] == "browse" and parts[-1] == "" and all(part in _SHELVES for part in parts[2:-1])


def _browse(dice: Dice, target: str) -> Sheet:
    """Filters that can be put behind each other without end."""
    entries = [
        ListEntry(anchor=Anchor(url=f"http://shop.test{target}{shelf}/", text=shelf), blurb=f"Only {shelf} things")
        for shelf in _SHELVES
    ]
    text = [voice(dice, "gardening", "en").title(dice)]
    return Sheet(title="Browse the shop", language="en", paragraphs=text, entries=entries, menu=_menu("shop.test"))


def _menu(host: str) -> list[Anchor]:
    return [Anchor(url=f"http://{host}/", text=BY_HOST[host].title)]
