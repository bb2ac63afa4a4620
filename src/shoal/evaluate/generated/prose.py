"""How does a generated page read? Sentences, paragraphs and titles made of a field's words, in Chinese and English."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from shoal.evaluate.generated.vocabulary import FIELDS, Language, Lexicon, listed

T = TypeVar("T")

PLACES = {
    "en": listed(
        "Norwick, Elmbridge, Port Sallow, Hartfell, the Lower Vale, Kingsmere, Ostrey, Brackenhill, Tarn Valley"
    ),
    "zh": listed("青河市,云岭县,南湾区,东泽镇,临川新区,白石港,松原乡,石门峡,望江城"),
}
TIMES = {
    "en": listed(
        "last spring, in the early morning, since the new year, on most weekdays, for almost a decade, after the storm,"
        "during the trial period, at the end of October, twice a year, before the holidays"
    ),
    "zh": listed("去年春天,清晨,新年以来,工作日,近十年来,暴雨之后,试运行期间,十月底,每年两次,节假日前"),
}
REASONS = {
    "en": listed(
        "because the budget was small, as a recent report shows, although nobody had planned it, "
        "which surprised many readers, so the work took longer than expected, and the results were published, "
        "as it always did, despite a long delay"
    ),
    "zh": listed(
        "因为预算有限,最近的报告也证实了这一点,尽管没有人计划过,这让许多读者感到意外,所以工期比预想的更长,结果已经公布,"
        "与往年一样,虽然推迟了很久"
    ),
}
GENERAL = {
    "en": (
        "The answer depends on whom you ask, and when.",
        "A short summary can be found at the end of this page.",
        "Nobody expected the discussion to last this long.",
        "The figures are rounded and were checked twice.",
        "Several readers wrote to us with questions and corrections.",
        "The first attempt failed, the second one went better.",
        "More details will follow as soon as they are known.",
        "It was a long day, but everybody went home content.",
        "Money is not the only problem; time is short as well.",
        "We compared the old numbers with the new ones.",
        "Some of this may change in the coming months.",
        "A good plan needs patience and a few spare parts.",
    ),
    "zh": (
        "答案取决于你问谁，以及什么时候问。",
        "本页末尾有一个简短的总结。",
        "没有人想到讨论会持续这么久。",
        "这些数字经过四舍五入，并核对了两遍。",
        "有几位读者来信提出了问题和更正。",
        "第一次尝试失败了，第二次顺利得多。",
        "一有新的消息，我们会继续补充。",
        "这一天很漫长，但大家都满意地回家了。",
        "钱不是唯一的问题，时间也很紧张。",
        "我们把旧数据和新数据做了比较。",
        "其中一些内容在未来几个月可能会有变化。",
        "好的计划需要耐心，也需要一些备件。",
    ),
}
SENTENCES = {
    "en": (
        "The {q} {a} {d} the {b} {time}.",
        "In {place}, {p} say that the {a} {d} the {b}, {reason}.",
        "{P} compared the {a} with the {b} and found a difference of {n} percent.",
        "Without the {a}, the {b} would not have lasted, {reason}.",
        "What the {a} means for the {q} {b} is still an open question.",
        "The {a} {d} the {q} {b}, and the {c} depends on both.",
        "Of all {p}, {n} percent asked for the {q} {a} {time}.",
        "Near {place} the {a} {d} the {b}, {reason}.",
        "Each {a} has its {c}, and each {b} has its price.",
    ),
    "zh": (
        "{time}，{place}的{q}{a}{d}了{b}。",
        "{p}表示，{a}{d}{b}，{reason}。",
        "与{b}相比，{q}的{a}提高了{n}%。",
        "如果没有{a}，{b}就难以维持，{reason}。",
        "{a}对{q}的{b}意味着什么，目前还没有定论。",
        "{q}的{a}与{b}、{c}密切相关。",
        "在{place}，约{n}%的{p}关注{a}和{b}。",
        "{p}把{a}和{b}放在一起研究，发现{a}能{d}{c}。",
        "{a}不断更新，{q}的{b}也随之变化。",
    ),
}
TITLES = {
    "en": (
        "How the {a} {d} the {b}",
        "The {q} {a} of {place}",
        "{n} questions about the {a}",
        "Why the {a} needs the {b}",
        "{Q}: the {a} and the {b}",
        "Notes on the {a}",
    ),
    "zh": ("{a}如何{d}{b}", "{place}的{a}", "关于{a}的{n}个问题", "{q}的{a}与{b}", "{a}为什么离不开{b}", "{a}札记"),
}


class Dice:
    """Luck that is the same every time, on every Python: only `random()` is used, whose sequence Python guarantees."""

    def __init__(self, *seed: object) -> None:
        self._random = random.Random("/".join(map(str, seed))).random

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[int(self._random() * len(choices))]

    def some(self, choices: Sequence[T], count: int) -> list[T]:
        """So many different ones, in random order; all of them when there are not enough."""
        rest = list(choices)
        return [rest.pop(int(self._random() * len(rest))) for _ in range(min(count, len(rest)))]

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random() * (high - low + 1))

    def between(self, low: float, high: float) -> float:
        return low + self._random() * (high - low)


@dataclass(frozen=True, slots=True)
class Voice:
    """The words one page draws from: few of the field's things, as an article has its own subject."""

    language: Language
    words: Lexicon
    focus: tuple[str, ...]

    def sentence(self, dice: Dice, template: str) -> str:
        """A template filled with this page's words."""
        a, b, c = dice.some(self.focus if dice.chance(0.8) else self.words.things, 3)
        q, p = dice.pick(self.words.qualities), dice.pick(self.words.people)
        return template.format(
            a=a,
            b=b,
            c=c,
            q=q,
            Q=q.capitalize(),
            p=p,
            P=p.capitalize(),
            d=dice.pick(self.words.doings),
            n=dice.number(3, 60),
            place=dice.pick(PLACES[self.language]),
            time=dice.pick(TIMES[self.language]),
            reason=dice.pick(REASONS[self.language]),
        )

    def title(self, dice: Dice) -> str:
        """What such a page could be called."""
        return self.sentence(dice, dice.pick(TITLES[self.language]))


def voice(dice: Dice, field: str, language: Language) -> Voice:
    """How one page speaks about a field."""
    words = FIELDS[field].words(language)
    return Voice(language, words, tuple(dice.some(words.things, dice.number(7, 12))))


def paragraphs(
    dice: Dice, voices: Sequence[Voice], count: int, *, share: float, strays: Sequence[Voice] = ()
) -> list[str]:
    """An article: `share` of its sentences are about its subject, the others general or about something else."""
    return [_paragraph(dice, voices[index % len(voices)], share, strays) for index in range(count)]


def _paragraph(dice: Dice, speaking: Voice, share: float, strays: Sequence[Voice]) -> str:
    language = speaking.language
    sentences = []
    for _ in range(dice.number(3, 6)):
        if dice.chance(share):
            sentences.append(speaking.sentence(dice, dice.pick(SENTENCES[language])))
        elif strays and dice.chance(0.4):
            stray = dice.pick(strays)
            sentences.append(stray.sentence(dice, dice.pick(SENTENCES[stray.language])))
        else:
            sentences.append(dice.pick(GENERAL[language]))
    return (" " if language == "en" else "").join(sentences)


def reworded(dice: Dice, text: str, language: Language, share: float) -> str:
    """The same text with a few words changed, as mirrors and reprints do."""
    places = PLACES[language]
    if language == "zh":
        return "".join(dice.pick(places)[0] if dice.chance(share) else letter for letter in text)
    return " ".join(dice.pick(places) if dice.chance(share) else word for word in text.split(" "))
