"""Which pictures were found, and where do they stand? Searched by what pages say about them, shown, and taken away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from shoal.errors import FolderError, InputError
from shoal.images.gallery import Exhibit, gallery
from shoal.index.document import Document
from shoal.index.index_folder import exists, problem
from shoal.index.index_writer import IndexWriter
from shoal.index.query import parse
from shoal.index.searcher import open_index
from shoal.judge.image_judge import describe
from shoal.store import album
from shoal.store import crawl_folder as folders
from shoal.store.album import Kept
from shoal.store.crawl_status import Answer, pictures
from shoal.store.database import Database
from shoal.store.outfile import written
from shoal.store.warc import read_body

PICTURES = "index-pictures"
"""Where in a crawl's folder the index of its pictures is."""
Progress = Callable[[int, int], None]
_EVERYTHING = 1_000_000


class Pictures(Answer, frozen=True, kw_only=True):
    """What was found of the pictures that are kept."""

    words: str
    pictures: tuple[Kept, ...]
    """The best first."""
    offset: int = 0
    total: int = 0
    more: bool = False
    notes: tuple[str, ...] = ()
    suggestion: str = ""
    waiting: int = 0
    """Pictures that are still to be fetched."""


def find(
    folder: Path,
    words: str = "",
    *,
    limit: int = 10,
    offset: int = 0,
    progress: Progress = lambda done, total: None,
    clock: Callable[[], float] = time.time,
) -> Pictures:
    """The pictures whose descriptions answer the words; without words all, those that are most about the topic first."""
    with folders.reading(folder) as database:
        counts = pictures(database)
        waiting = counts.waiting if counts else 0
        if not words.strip():
            everything = sorted(album.kept(database), key=lambda one: (-_best_score(one), one.id))
            chosen = everything[offset : offset + limit]
            more, total = len(everything) > offset + limit, len(everything)
            return Pictures(words="", pictures=tuple(chosen), offset=offset, total=total, more=more, waiting=waiting)
        query = parse(words)
        notes = _index(folder, database, progress)
        if not exists(folder / PICTURES):
            none = notes or ("There is no picture to be searched yet.",)
            return Pictures(words=words, pictures=(), notes=none, waiting=waiting)
        results = open_index(folder / PICTURES).search(query, limit=limit, offset=offset, now=clock(), facets=False)
        found = tuple(kept for hit in results.hits for kept in album.kept(database, hit.id))
    return Pictures(
        words=words,
        pictures=found,
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
        for part in gallery(title, _exhibits(database, found.pictures)):
            stream.write(part.encode())
    return len(found.pictures)


def write_lines(folder: Path, out: Path, words: str = "", *, limit: int = _EVERYTHING) -> int:
    """A line of JSON for each; answers how many."""
    _refuse_own(folder, out)
    found = find(folder, words, limit=limit)
    with written(out) as stream:
        for picture in found.pictures:
            stream.write(msgspec.json.encode(picture) + b"\n")
    return len(found.pictures)


def write_files(folder: Path, out: Path, words: str = "", *, limit: int = _EVERYTHING, progress: Progress) -> int:
    """The pictures themselves, each a file, with `pictures.jsonl` beside them; answers how many."""
    found = find(folder, words, limit=limit)
    with folders.storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise InputError(f"The folder {out} is not empty: choose another one for the pictures.")
        with (out / "pictures.jsonl").open("wb") as stream:
            for done, picture in enumerate(found.pictures, start=1):
                name = f"{picture.id:06}.{_EXTENSIONS.get(picture.format, picture.format)}"
                (out / name).write_bytes(read_body(folder, picture.warc_file, picture.warc_offset))
                stream.write(msgspec.json.encode({"file": name} | msgspec.to_builtins(picture)) + b"\n")
                progress(done, len(found.pictures))
    return len(found.pictures)


_EXTENSIONS = {"jpeg": "jpg"}


def _refuse_own(folder: Path, out: Path) -> None:
    if folders.is_own(folder, out):
        raise InputError(f"{out} is part of the crawl itself: choose another name.")
    if out.is_dir():
        raise InputError(f"{out} is a folder: give the name of a file.")


def _exhibits(database: Database, pictures: Iterable[Kept]) -> Iterator[Exhibit]:
    for picture in pictures:
        best = picture.shown[0]
        yield Exhibit(
            url=picture.url,
            page=best.page,
            page_title=best.title,
            text=best.image.caption or best.image.alt or best.image.title,
            score=best.score,
            why=tuple(evidence.what for evidence in best.why),
            width=picture.width,
            height=picture.height,
            format=picture.format,
            bytes=picture.bytes,
            thumbnail=album.thumbnail(database, picture.id),
        )


# --- the index -------------------------------------------------------------------------------------------------------


def _index(folder: Path, database: Database, progress: Progress) -> tuple[str, ...]:
    """Make the index anew when pictures came since; there are few of them, and it takes a moment for thousands."""
    place, state = folder / PICTURES, album.state(database)
    if not state or (not problem(place) and open_index(place).last_version() == state):
        return ()
    try:
        with IndexWriter(place, anew=True) as writer:
            pictures = list(album.kept(database))
            for done, picture in enumerate(pictures, start=1):
                writer.add([_document(picture)])
                progress(done, len(pictures))
            writer.commit(state)
    except FolderError as error:
        return (f"The newest pictures may be missing: {error}",)
    return ()


def _document(picture: Kept) -> Document:
    """It is found by the site that shows it, not by the one that keeps its file."""
    best = picture.shown[0]
    return Document(
        id=picture.id,
        url=best.page,
        title=best.image.caption or best.image.alt or best.image.title,
        headings=best.title,
        text="\n".join(dict.fromkeys(describe(shown.image) for shown in picture.shown)),
        topic=best.topic,
        fetched_at=picture.fetched_at.timestamp(),
        score=best.score,
        relevant=True,
    )


def _best_score(picture: Kept) -> float:
    return max((shown.score for shown in picture.shown), default=0.0)
