"""Which words are the benchmark pages made of? Those of `words.toml`, drawn by rank as in real text.

The few common ones come often, the many rare ones seldom.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Literal

Language = Literal["en", "zh"]

RECIPE = (Path(__file__), Path(__file__).with_name("words.toml"))
"""The files that decide what a seeded draw gives."""
_LISTS = tomllib.loads(RECIPE[1].read_text(encoding="utf-8"))
SECTIONS: tuple[str, ...] = tuple(_LISTS["sections"])


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The words of one section in one language, ready to draw from."""

    language: Language
    words: tuple[str, ...]
    weights: tuple[float, ...]
    """Running sums, as `random.choices` takes them."""
    subjects: tuple[str, ...]
    """The words that make a title."""

    def draw(self, rng: Random, count: int) -> list[str]:
        return rng.choices(self.words, cum_weights=self.weights, k=count)

    def sentence(self, rng: Random) -> str:
        chosen = self.draw(rng, rng.randint(8, 22))
        if self.language == "en":
            return " ".join(chosen).capitalize() + "."
        half = len(chosen) // 2
        return "".join(chosen[:half]) + "，" + "".join(chosen[half:]) + "。"

    def title(self, rng: Random) -> str:
        chosen = [*rng.sample(self.subjects, 2), *self.draw(rng, 2)]
        return " ".join(chosen).capitalize() if self.language == "en" else "".join(chosen)


@cache
def vocabulary(section: str, language: Language) -> Vocabulary:
    """The words of a section: glue often, the section's own words now and then, invented names seldom."""
    subjects = _LISTS["sections"][section][language].split()
    shares = (
        (_LISTS[language]["glue"].split(), 40.0),
        (_LISTS[language]["common"].split(), 38.0),
        (subjects, 14.0),
        (_names(Random(f"{section} {language}"), language), 8.0),
    )
    return Vocabulary(
        language=language,
        words=tuple(word for words, _ in shares for word in words),
        weights=tuple(accumulate(share * weight for words, share in shares for weight in _by_rank(len(words)))),
        subjects=tuple(subjects),
    )


@cache
def says_little() -> frozenset[str]:
    """The words that stand on pages of every section, in both languages."""
    return frozenset(
        word for language in ("en", "zh") for kind in ("glue", "common") for word in _LISTS[language][kind].split()
    )


def _by_rank(count: int) -> list[float]:
    raw = [1 / (rank + 3) for rank in range(count)]
    total = sum(raw)
    return [weight / total for weight in raw]


def _names(rng: Random, language: Language, count: int = 600) -> list[str]:
    parts = {kind: text.split() for kind, text in _LISTS["names"].items()}
    if language == "zh":
        return ["".join(rng.choices(parts["han"], k=rng.randint(2, 3))) for _ in range(count)]
    return ["".join(rng.choice(parts[kind]) for kind in ("starts", "middles", "ends")) for _ in range(count)]
