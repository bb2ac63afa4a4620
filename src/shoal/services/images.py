"""Which images were found, and where do they stand? Searched by what pages say about them, shown, and taken away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from shoal.database.sql import Database
from shoal.errors import FolderError, InputError
from shoal.files import written
from shoal.images.gallery import Exhibit, gallery
from shoal.index.index_folder import IndexWriter, exists, in_turn, problem
from shoal.index.query import parse
from shoal.index.schema import Document
from shoal.index.searcher import Index, open_index
from shoal.indexer import refuse_to_make
from shoal.judge.image_judge import describe
from shoal.protocols import Progress, no_progress
from shoal.store import crawl_folder as folders
from shoal.store import kept_images
from shoal.store.crawl_status import StoreAnswer, images
from shoal.store.kept_images import KeptImage as KeptImage
from shoal.store.warc import read_body

IMAGES = "index-images"
"""Where in a crawl's folder the index of its images is."""
_EVERYTHING = 1_000_000


class ImageAnswer(StoreAnswer, frozen=True, kw_only=True):
    """What was found of the images that are kept."""

    words: str
    images: tuple[KeptImage, ...]
    """The best first."""
    offset: int = 0
    total: int = 0
    more: bool = False
    notes: tuple[str, ...] = ()
    suggestion: str = ""
    waiting: int = 0
    """Images that are still to be fetched."""


def find(
    folder: Path,
    words: str = "",
    *,
    limit: int = 10,
    offset: int = 0,
    progress: Progress = no_progress,
) -> ImageAnswer:
    """The images whose descriptions answer the words; without words all, those that are most about the topic first."""
    with folders.reading(folder) as database:
        counts = images(database)
        waiting = counts.waiting if counts else 0
        if not words.strip():
            everything = sorted(kept_images.kept(database), key=lambda one: (-_best_score(one), one.id))
            chosen = everything[offset : offset + limit]
            more, total = len(everything) > offset + limit, len(everything)
            return ImageAnswer(words="", images=tuple(chosen), offset=offset, total=total, more=more, waiting=waiting)
        query = parse(words)
        index, notes = _index(folder, database, progress)
        if index is None:
            none = notes or ("There is no image to be searched yet.",)
            return ImageAnswer(words=words, images=(), notes=none, waiting=waiting)
        results = index.search(query, limit=limit, offset=offset, facets=False)
        found = tuple(kept for hit in results.hits for kept in kept_images.kept(database, hit.id))
    return ImageAnswer(
        words=words,
        images=found,
        offset=offset,
        total=results.total,
        more=results.more,
        notes=(*notes, *results.notes),
        suggestion=results.suggestion,
        waiting=waiting,
    )


def write_gallery(folder: Path, out: Path, words: str = "", *, limit: int = _EVERYTHING) -> int:
    """One HTML file with all of them, which needs nothing else; answers how many."""
    _refuse_own(folder, out)
    found = find(folder, words, limit=limit)
    with folders.reading(folder) as database, written(out) as stream:
        title = folders.read_settings(folder, database).topic.name + (f": {words}" if words else "")
        for part in gallery(title, _exhibits(database, found.images)):
            stream.write(part.encode())
    return len(found.images)


def write_lines(folder: Path, out: Path, words: str = "", *, limit: int = _EVERYTHING) -> int:
    """A line of JSON for each; answers how many."""
    _refuse_own(folder, out)
    found = find(folder, words, limit=limit)
    with written(out) as stream:
        for image in found.images:
            stream.write(msgspec.json.encode(image) + b"\n")
    return len(found.images)


def write_files(folder: Path, out: Path, words: str = "", *, limit: int = _EVERYTHING, progress: Progress) -> int:
    """The images themselves, each a file, with `images.jsonl` beside them; answers how many."""
    found = find(folder, words, limit=limit)
    with folders.storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise InputError(f"The folder {out} is not empty: choose another one for the images.")
        with (out / "images.jsonl").open("wb") as stream:
            for done, image in enumerate(found.images, start=1):
                name = f"{image.id:06}.{_EXTENSIONS.get(image.format, image.format)}"
                (out / name).write_bytes(read_body(folder, image.warc_file, image.warc_offset))
                stream.write(msgspec.json.encode({"file": name} | msgspec.to_builtins(image)) + b"\n")
                progress(done, len(found.images))
    return len(found.images)


_EXTENSIONS = {"jpeg": "jpg"}


def _refuse_own(folder: Path, out: Path) -> None:
    if folders.is_own(folder, out):
        raise InputError(f"{out} is part of the crawl itself: choose another name.")
    if out.is_dir():
        raise InputError(f"{out} is a folder: give the name of a file.")


def _exhibits(database: Database, images: Iterable[KeptImage]) -> Iterator[Exhibit]:
    for image in images:
        best = image.shown[0]
        yield Exhibit(
            url=image.url,
            page=best.page,
            page_title=best.title,
            text=best.image.caption or best.image.alt or best.image.title,
            score=best.score,
            why=tuple(evidence.what for evidence in best.why),
            width=image.width,
            height=image.height,
            format=image.format,
            bytes=image.bytes,
            thumbnail=kept_images.thumbnail(database, image.id),
        )


# --- the index -------------------------------------------------------------------------------------------------------


def _index(folder: Path, database: Database, progress: Progress) -> tuple[Index | None, tuple[str, ...]]:
    """The index of all images, None when there is none; and what a user should know of it."""
    place = folder / IMAGES
    try:
        with in_turn(place):
            _bring_up_to_date(folder, database, progress)
            return _opened(place), ()
    except FolderError as error:
        return _opened(place), (f"The newest images may be missing: {error}",)


def _opened(place: Path) -> Index | None:
    return open_index(place) if exists(place) else None


def _bring_up_to_date(folder: Path, database: Database, progress: Progress) -> None:
    """Make the index anew when images came since; there are few of them, and it takes a moment for thousands."""
    place, state = folder / IMAGES, kept_images.state(database)
    if not state or (not problem(place) and open_index(place).last_version() == state):
        return
    refuse_to_make(folder)
    with IndexWriter(place, anew=True) as writer:
        images = list(kept_images.kept(database))
        for done, image in enumerate(images, start=1):
            writer.add([_document(image)])
            progress(done, len(images))
        writer.commit(state)


def _document(image: KeptImage) -> Document:
    """It is found by the site that shows it, not by the one that keeps its file."""
    best = image.shown[0]
    return Document(
        id=image.id,
        url=best.page,
        title=best.image.caption or best.image.alt or best.image.title,
        headings=best.title,
        text="\n".join(dict.fromkeys(describe(shown.image) for shown in image.shown)),
        topic=best.topic,
        fetched_at=image.fetched_at.timestamp(),
        score=best.score,
        relevant=True,
    )


def _best_score(image: KeptImage) -> float:
    return max((shown.score for shown in image.shown), default=0.0)
