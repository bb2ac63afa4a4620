"""When was a page published, and in which language? Its own word counts, unless what is written there clearly says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from turbohtml.detect import LanguageDetection, detect_language

# --- when was it published -------------------------------------------------------------------------------------------

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_CLOCK = r"(?:(?:T|\s)\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?\s*(Z|GMT|UTC|[+-]\d{2}:?\d{2})?)?"
_NUMERIC = re.compile(
    rf"(?<!\d)((?:19|20)\d{{2}})\s?[-/.年]\s?(\d{{1,2}})(?:\s?[-/.月]\s?(\d{{1,2}})(?:\s?日)?(?!\d){_CLOCK})?"
)
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\s+([A-Za-z]{{3,9}})\.?,?\s+((?:19|20)\d{{2}})(?!\d){_CLOCK}"
)
_MONTH_FIRST = re.compile(rf"([A-Za-z]{{3,9}})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+((?:19|20)\d{{2}})(?!\d){_CLOCK}")
_COMPACT = re.compile(rf"(?<!\d)((?:19|20)\d{{2}})([01]\d)([0-3]\d)(?!\d){_CLOCK}")
_IN_URL = re.compile(r"/((?:19|20)\d{2})[/_-]?([01]\d)(?:[/_-]?([0-3]\d))?(?=[/_.-]|$)")
_IN_TEXT = re.compile(
    r"(?:发布|发表|更新|时间|日期|來源|来源|published|posted|updated|date)[^\d\n]{0,20}"
    r"((?:19|20)\d{2}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}[^\n]{0,25})"
    r"|((?:19|20)\d{2}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日[^\n]{0,25})",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
"""Without a year there is no date, and no need for the costly search."""
_HEAD_OF_TEXT = 500
"""Characters at the start of the text where a byline stands; a date further down is what the text tells about."""


def published(stated: Iterable[str], url: str, text: str) -> str:
    """The first date that the page states in its markup, else the one in its URL, else the one in its byline."""
    for value in stated:
        if found := iso_date(value):
            return found
    if match := _IN_URL.search(url):
        year, month, day = match.groups()
        if found := _checked(year, month, day):
            return found
    head = text[:_HEAD_OF_TEXT]
    if _YEAR.search(head) and (match := _IN_TEXT.search(head)):
        return iso_date(match.group(1) or match.group(2))
    return ""


def iso_date(value: str) -> str:
    """A date written in any of the usual ways as ISO 8601; empty when it is none."""
    value = value[:100]
    if match := _NUMERIC.search(value) or _COMPACT.search(value):
        year, month, day, *clock = match.groups()
    elif match := _DAY_FIRST.search(value):
        day, month, year, *clock = match.groups()
    elif match := _MONTH_FIRST.search(value):
        month, day, year, *clock = match.groups()
    else:
        return ""
    return _checked(year, month, day, *clock)


def _checked(year: str, month: str, day: str | None, *clock: str | None) -> str:
    """The parts as one string, or nothing when there is no such day."""
    hour, minute, second, zone = clock or (None, None, None, None)
    number = _MONTHS.get(month[:3].lower(), 0) if month.isalpha() else int(month)
    try:
        day_found = date(int(year), number, int(day or 1))
    except ValueError:
        return ""
    if day is None:
        return f"{day_found:%Y-%m}"
    if hour is None or minute is None or int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        return day_found.isoformat()
    return f"{day_found.isoformat()}T{int(hour):02}:{minute}:{second or '00'}{_zone(zone)}"


def _zone(zone: str | None) -> str:
    if not zone:
        return ""
    if zone in ("Z", "GMT", "UTC"):
        return "Z"
    return zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"


# --- in which language is it -----------------------------------------------------------------------------------------

_SAMPLE = 500
_LEAST_LETTERS = 20
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_LETTER = re.compile(r"[^\W\d_]")
_DECLARED = re.compile(r"\s*([a-zA-Z]{2})(?:[-_]|\s*$|,)")
_WITHOUT_ACCENTS = ("en", "it", "nl", "id")
_SURE = LanguageDetection(threshold=0.3)
# The detector answers with three letters.
_CODES = """
    eng:en cmn:zh deu:de fra:fr spa:es por:pt ita:it nld:nl rus:ru ukr:uk bel:be bul:bg srp:sr hrv:hr slv:sl ces:cs
    slk:sk pol:pl hun:hu ron:ro ell:el tur:tr aze:az ara:ar heb:he pes:fa urd:ur hin:hi ben:bn mar:mr tam:ta tel:te
    kan:kn mal:ml guj:gu pan:pa nep:ne sin:si tha:th vie:vi ind:id jav:jv tgl:tl jpn:ja kor:ko swe:sv dan:da nob:no
    fin:fi est:et lav:lv lit:lt cat:ca epo:eo lat:la afr:af mkd:mk kat:ka hye:hy khm:km mya:my uzb:uz tuk:tk zul:zu
    yid:yi amh:am"""
_TWO_LETTERS = dict(pair.split(":") for pair in _CODES.split())


def language_of(text: str, declared: str) -> str:
    """The two-letter code of a text whose page declares a language, or nothing when neither tells."""
    match = _DECLARED.match(declared)
    said = match.group(1).lower() if match else ""
    sample = text[:_SAMPLE]
    if sample.isascii() and said not in ("zh", "ja", "ko", ""):
        return said
    letters = len(_LETTER.findall(sample))
    if letters < _LEAST_LETTERS:
        return said
    return _by_script(sample, letters, said) or said or _by_statistics(sample)


def _by_script(sample: str, letters: int, said: str) -> str:
    """What the script proves; empty when it proves nothing or fits what the page says."""
    if len(_HANGUL.findall(sample)) > letters * 0.3:
        return "ko"
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if kana > letters * 0.1:
        return "ja"
    if han > letters * 0.3:
        return said if said in ("zh", "ja", "ko") else "zh"
    # Template authors leave their own language behind: a page without one Chinese character is not Chinese.
    return _by_statistics(sample) if said in ("zh", "ja", "ko") and han + kana < letters * 0.02 else ""


def _by_statistics(sample: str) -> str:
    """What the detector is sure of; lists of English labels look like anything to it, but they have no accents."""
    found = _TWO_LETTERS.get(detect_language(sample, _SURE).language or "", "")
    return "" if sample.isascii() and found not in _WITHOUT_ACCENTS else found
