"""Which webs can be measured on, and what is true about them? Recorded ones with labels, and the generated one.

generated, generated:SEED          the web that `generated` makes; it knows its own truth
webs/NAME.warc.xz                  with NAME.labels.tsv and NAME.TOPIC.toml beside it, unless they are given
webs/                              every such web in a folder
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from shoal import services
from shoal.errors import InputError
from shoal.evaluate.generated.synthetic_web import SyntheticWeb, generate
from shoal.evaluate.recorded.labels import read_labels, strangers
from shoal.settings import Settings
from shoal.testing.webserver import WebAnswer
from shoal.topic.topic_file import read_topic

if TYPE_CHECKING:
    from shoal.evaluate.recorded.archive import Archive

GENERATED = "generated"
SEED = 7
"""What the generated web grows from, unless the user says otherwise."""


class OfflineWeb(Protocol):
    """A web that answers without a network, always the same."""

    @property
    def name(self) -> str: ...

    def urls(self) -> Collection[str]:
        """Every page that answers with 200, robots.txt files left out."""

    def answer(self, url: str, nth: int = 0) -> WebAnswer | None:
        """The answer to the `nth` request to this host, from 1; 0 when nobody counts. None: there is no such page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One topic to measure."""

    name: str
    """Short and without the name of its web: `kidney`."""
    settings: Settings
    """As a person would crawl it."""
    labelled: frozenset[str]
    """The pages that are about it, whether the seeds lead there or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredWeb:
    """A web, and the topics whose truth is known. Can be sent to another process while it is open here."""

    web: OfflineWeb
    subjects: tuple[Subject, ...]


@contextmanager
def open_web(
    source: str,
    *,
    labels: Path | None = None,
    topics: Sequence[Path] = (),
    warn: Callable[[str], None] = lambda sentence: None,
) -> Iterator[tuple[MeasuredWeb, ...]]:
    """The webs that a source names; `labels` and `topics` replace what stands beside a recorded one."""
    with ExitStack() as stack:
        if (seed := _generated_seed(source)) is not None:
            if labels is not None or topics:
                raise InputError("The generated web has its own topics and labels: leave --labels and topic files out.")
            yield (_generated(seed),)
            return
        path = Path(source)
        if path.is_dir() and (labels is not None or topics):
            raise InputError(f"{path} is a folder: labels and topic files belong to one web, so name its WARC file.")
        files = _webs_in(path) if path.is_dir() else [path]
        yield tuple(stack.enter_context(_recorded(file, labels, topics, warn)) for file in files)


# --- the generated web -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GeneratedWeb:
    """The generated web by URL instead of by host."""

    web: SyntheticWeb

    @property
    def name(self) -> str:
        return GENERATED if self.web.seed == SEED else f"{GENERATED}:{self.web.seed}"

    def urls(self) -> Collection[str]:
        """Every page that answers with 200; what its traps make up has no end, and is not among them."""
        return [url for url, page in self.web.pages.items() if page.status == 200]

    def answer(self, url: str, nth: int = 0) -> WebAnswer | None:
        """Some hosts refuse their first requests; nobody is refused when nobody counts."""
        _, _, rest = url.partition("://")
        host, _, target = rest.partition("/")
        answer = self.web.answer(host, "/" + target, nth or _LATE)
        return None if answer.status == 404 else answer

    def __reduce__(self) -> tuple[Callable[[int], GeneratedWeb], tuple[int]]:
        return _grown, (self.web.seed,)  # made anew in another process, which is faster than sending it there


_LATE = 1_000_000


def _grown(seed: int) -> GeneratedWeb:
    return GeneratedWeb(generate(seed))


def _generated_seed(source: str) -> int | None:
    """The seed when the generated web is meant."""
    name, colon, seed = source.partition(":")
    if name != GENERATED:
        return None
    if colon and not (seed.isascii() and seed.isdigit()):
        raise InputError(f"'{source}': the seed of the generated web is a whole number, as in {GENERATED}:{SEED}.")
    return int(seed) if colon else SEED


def _generated(seed: int) -> MeasuredWeb:
    web = generate(seed)
    subjects = [
        Subject(
            name=name,
            settings=Settings(topic=web.topic(name), seeds=web.seeds(name), label=name),
            labelled=web.relevant(name),
        )
        for name in web.topics
    ]
    return MeasuredWeb(web=GeneratedWeb(web), subjects=tuple(subjects))


# --- recorded webs ---------------------------------------------------------------------------------------------------


def _webs_in(folder: Path) -> list[Path]:
    found = [path for path in sorted(folder.iterdir()) if ".warc" in path.name and path.is_file()]
    if not found:
        raise InputError(f"{folder}: there is no WARC file in this folder")
    return found


@contextmanager
def _recorded(
    path: Path, labels: Path | None, topics: Sequence[Path], warn: Callable[[str], None]
) -> Iterator[MeasuredWeb]:
    # Only here, because what reads WARC files is an extra, and the generated web does without.
    from shoal.evaluate.recorded.archive import name_of, open_archive

    name = name_of(path)
    # The small files first: a mistake in them should not cost the unpacking of the large one.
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder; a web is a WARC file, or '{GENERATED}'")
    labels = labels or path.with_name(f"{name}.labels.tsv")
    table = read_labels(labels)
    subjects = [_subject(name, file, table, labels) for file in topics or _topics_beside(path, name)]
    with open_archive(path) as archive:
        known = frozenset(archive.urls()) | _redirecting(archive, table)
        if warning := strangers(table, known, labels):
            warn(warning)
        yield MeasuredWeb(web=archive, subjects=tuple(_within(subject, known, labels) for subject in subjects))


def _topics_beside(path: Path, name: str) -> list[Path]:
    found = sorted(path.parent.glob(f"{_literally(name)}.*.toml"))
    if not found:
        raise InputError(f"{path}: there is no topic file beside it, such as {name}.TOPIC.toml")
    return found


def _literally(name: str) -> str:
    """A name in which brackets and stars mean themselves."""
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in name)


def _subject(web: str, file: Path, table: dict[str, frozenset[str]], labels: Path) -> Subject:
    settings = read_topic(file, names=services.choices.names())
    short = file.stem.removeprefix(f"{web}.")
    label = settings.label or short
    if label not in table:
        hint = f"its topics are {', '.join(sorted(table)[:10])}"
        raise InputError(f"{labels}: no page is labelled '{label}', which {file} asks for; {hint}")
    return Subject(name=short, settings=replace(settings, label=label), labelled=table[label])


def _redirecting(archive: Archive, table: dict[str, frozenset[str]]) -> frozenset[str]:
    """Labelled URLs that lead to a page: they count for that one."""
    unknown = frozenset[str]().union(*table.values()) - frozenset(archive.urls())
    return frozenset(
        url for url in unknown if (answer := archive.answer(url)) is not None and 300 <= answer.status < 400
    )


def _within(subject: Subject, known: frozenset[str], labels: Path) -> Subject:
    """The same with labels for pages of the web only."""
    labelled = subject.labelled & known
    if not labelled:
        raise InputError(f"{labels}: no page of the web is labelled '{subject.settings.label}'")
    return Subject(name=subject.name, settings=subject.settings, labelled=labelled)
