"""Which language is a page in? Its own word counts, unless its script clearly says otherwise."""

from __future__ import annotations

import re

from turbohtml.detect import LanguageDetection, detect_language

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
