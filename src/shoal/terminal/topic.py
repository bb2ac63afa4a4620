"""How does a topic look in a terminal? Its words with their weights, where each came from, and how it changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from unicodedata import east_asian_width

from shoal.model import Origin, Page, Term, Topic
from shoal.remembered import TopicChange
from shoal.terminal.speaking import speaker
from shoal.topic.relevance_feedback import difference
from shoal.topic.term_weights import Found, Lesson

_ORIGINS = {Origin.HAND: "typed", Origin.SEEDS: "from samples", Origin.FEEDBACK: "from feedback"}
_BAR = 12
"""Characters of the longest bar."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_NOTHING: Mapping[str, Found] = {}
_Say = Callable[..., None]


def show_topic(topic: Topic) -> None:
    """The words of a topic, those that speak against a page, and the threshold."""
    say = speaker()
    say(f"{topic.name}  version {topic.version}", "bold")
    if topic.any:
        say(f"{len(topic.any)} topics, each judged on its own; a page counts when one of them matches")
    for part in topic.each:
        if topic.any:
            say(f"\n{part.name}", "bold")
        _say_words(say, part)
    say(f"\n{_threshold(topic)}")


def show_lesson(lesson: Lesson, pages: Sequence[Page]) -> None:
    """What was learned, and from which pages."""
    say = speaker()
    say(f"{lesson.topic.name}: learned from {_count(lesson.samples, 'page')}", "bold")
    for page in pages:
        say(f"  {page.url}  “{page.title}”", "dim")
    say("")
    _say_words(say, lesson.topic, lesson.found)


def show_history(changes: Sequence[TopicChange]) -> None:
    """Every version with what became other: + came, - went, ~ weighs more or less."""
    say = speaker()
    before: Topic | None = None
    for change in changes:
        say(f"version {change.topic.version}  after {_count(change.pages, 'page')}  {_when(change.at)}", "bold")
        say(f"  {change.why}")
        for line, style in _changes(before, change.topic):
            say(line, style)
        before = change.topic


# --- words -----------------------------------------------------------------------------------------------------------


def _say_words(say: _Say, topic: Topic, found: Mapping[str, Found] = _NOTHING) -> None:
    for line in word_table(topic.terms, found):
        say(line)
    if topic.negative:
        say("against: " + ", ".join(f"{term.text} {term.weight:.2f}" for term in topic.negative))


def word_table(words: Sequence[Term], found: Mapping[str, Found] = _NOTHING) -> Iterator[str]:
    """One line a word: its weight as a number and as a bar, what one occurrence counts, and where it came from."""
    heaviest = max((term.weight for term in words), default=1.0)
    width = max((columns(term.text) for term in words), default=0)
    yield f"  {'':{width}}  weight  {'':{_BAR}}  factor  origin"
    for term in words:
        pad = " " * (width - columns(term.text))
        yield (
            f"  {term.text}{pad}  {term.weight:6.3f}  {bar(term.weight / heaviest):{_BAR}}  {term.factor:6.2f}  "
            f"{_ORIGINS[term.origin]}{_often(found.get(term.text))}"
        )


def _often(found: Found | None) -> str:
    if found is None:
        return ""
    times = "once" if found.count == 1 else f"{found.count:,} times"
    return f", {times} on {_count(found.samples, 'page')}" if found.count else ", on no page"


def bar(share: float) -> str:
    """A share of 1 as a bar of block characters, an eighth of one exact; never nothing for more than nothing."""
    eighths = max(round(share * _BAR * 8), 1 if share > 0 else 0)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def columns(text: str) -> int:
    """How wide a text is on the screen: Chinese characters take two columns."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _threshold(topic: Topic) -> str:
    own = [part for part in topic.any if part.threshold not in (None, topic.threshold)]
    parts = "".join(f"; {part.name}: {part.threshold:.3g}" for part in own)
    whole = "the judge's own" if topic.threshold is None else f"{topic.threshold:.3g}"
    return f"threshold: {whole}{parts}"


# --- history ---------------------------------------------------------------------------------------------------------


def _changes(before: Topic | None, now: Topic) -> Iterator[tuple[str, str]]:
    if before is None:
        yield f"    {_listed(now.terms)}", "dim"
        return
    found = difference(before, now)
    yield from ((f"  + {term.text} {term.weight:.3f}", "green") for term in found.learned)
    yield from ((f"  - {term.text} {term.weight:.3f}", "red") for term in found.dropped)
    yield from ((f"  ~ {new.text} {old.weight:.3f} → {new.weight:.3f}", "") for old, new in found.moved)
    if before.threshold != now.threshold:
        yield f"  ~ {_threshold(before)} → {_threshold(now).removeprefix('threshold: ')}", ""


def _listed(words: Iterable[Term]) -> str:
    return ", ".join(f"{term.text} {term.weight:.2f}" for term in words)


def _when(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC" if at else "before the first page"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
