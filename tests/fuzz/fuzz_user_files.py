"""Files that somebody was given: recordings, backups, topics and models are used, or refused with one sentence."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

from shoal.errors import ShoalError
from shoal.evaluate.recorded.archive import open_archive
from shoal.model import Term, Topic
from shoal.settings import Settings
from shoal.store import backup
from shoal.store import crawl_folder as folders
from shoal.store.strategy_memory import Model, decode_model, pack
from shoal.testing.fuzz.user_files import archive, model_file, recording, topic_file
from shoal.topic.setting_readers import Names
from shoal.topic.topic_file import read_cluster, read_topic
from shoal.topic.topic_writer import add_seeds
from tests.fuzz.target import Target

_NAMES = Names(strategies=("best-first", "fish"), judges=("cosine",))
_TOPIC = Topic(name="grid", terms=(Term(text="grid"), Term(text="电网", weight=0.5)))
_MODEL = pack(Model(strategy="learned", shoal="1.0", topic=_TOPIC, pages=7, at=1, knowledge=b"what was learned"))


@contextmanager
def _file(data: bytes, name: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        yield path


@contextmanager
def _a_sentence_at_worst() -> Iterator[None]:
    said = ""
    try:
        yield
    except ShoalError as error:
        said = str(error)
    assert len(said) < 3000
    assert "\n" not in said


def _check_recording(data: bytes) -> None:
    with _file(data, "web.warc") as path, _a_sentence_at_worst(), open_archive(path) as web:
        for url in web.urls():
            assert web.answer(url) is not None


def _check_topic(data: bytes) -> None:
    with _file(data, "topic.toml") as path:
        with _a_sentence_at_worst():
            read_topic(path, names=_NAMES, seeds_needed=False)
        with _a_sentence_at_worst():
            read_cluster(path)
        with _a_sentence_at_worst():
            add_seeds(path, ["http://b.test/"])


def _check_model(data: bytes) -> None:
    with _a_sentence_at_worst():
        decode_model(Path("it.model"), data)


def _check_backup(data: bytes) -> None:
    with _file(data, "saved.tar") as path, _a_sentence_at_worst():
        backup.bring_back(path, path.parent / "back", "", lambda done, total: None)


@cache
def _saved() -> dict[str, bytes]:
    """The files of a backup of a small crawl."""
    with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as name:
        folders.create(Path(name) / "crawl", Settings(topic=_TOPIC, seeds=("http://a.test/",)))
        backup.save(Path(name) / "crawl", Path(name) / "saved.tar", lambda done, total: None)
        with tarfile.open(fileobj=io.BytesIO((Path(name) / "saved.tar").read_bytes())) as tar:
            return {info.name: stream.read() for info in tar if (stream := tar.extractfile(info)) is not None}


def _make_backup(random: Random) -> bytes:
    return archive(_saved(), random)


def _make_model(random: Random) -> bytes:
    return model_file(_MODEL, random)


TARGETS = (
    Target(name="recordings", make=recording, check=_check_recording, runs=400),
    Target(name="topic-files", make=topic_file, check=_check_topic, runs=250),
    Target(name="models", make=_make_model, check=_check_model, runs=800),
    Target(name="backups", make=_make_backup, check=_check_backup, runs=60),
)
