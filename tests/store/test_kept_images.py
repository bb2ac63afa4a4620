"""Of images that look alike the largest is kept; what has another shape is another image."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.model import DecodedImage, Image, Response, SeenImage, Sighting, State, Task, Term, Timing, Topic
from shoal.model.stored import Changes, ImageFate, ImageOnPage
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.urls import key_of

AT = Timing(started=1.0, answered=2.0, ended=3.0)


def url(number: int) -> str:
    return f"http://a.test/{number}.png"


def came(number: int, width: int, height: int, fingerprint: int) -> ImageFate:
    look = DecodedImage(
        format="png", width=width, height=height, fingerprint=fingerprint.to_bytes(8, "big"), thumbnail=b"small"
    )
    response = Response(url=url(number), status=200, headers=(), body=f"{width}x{height}".encode(), timing=AT)
    task = Task(id=-number, url=url(number), kind="image")
    return ImageFate(id=number, state=State.DONE, came=SeenImage(task=task, response=response, image=look))


async def kept(folder: Path, cluster: Cluster, *images: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """What is left of these (width, height, fingerprint): number, the number of what it is the same as, bytes of a thumbnail."""
    folders.create(
        folder, Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",)), cluster=cluster
    )
    numbered = list(enumerate(images, start=1))
    sighting = Sighting(image=Image(url=url(1)), score=1.0)
    shown = tuple(ImageOnPage(image=n, key=key_of(url(n)), url=url(n), page=1, sighting=sighting) for n, _ in numbered)
    for number, image in numbered:
        with open_store(folder) as store:  # each in a run of its own: what was there before is known
            await store.commit(Changes(shown=shown if number == 1 else (), images=(came(number, *image),)))
    with folders.reading(folder) as database:
        return database.execute("SELECT id, same_as, length(thumbnail) FROM images ORDER BY id").fetchall()


@pytest.mark.parametrize(
    ("images", "left"),
    [
        ([(100, 80, 7), (400, 320, 7)], [(1, 2, 0), (2, 0, 5)]),
        ([(400, 320, 7), (100, 80, 7)], [(1, 0, 5), (2, 1, 0)]),
        ([(100, 80, 7), (200, 160, 7), (400, 320, 7)], [(1, 3, 0), (2, 3, 0), (3, 0, 5)]),
        ([(100, 80, 7), (100, 80, 7)], [(1, 0, 5), (2, 1, 0)]),
        ([(100, 80, 7), (400, 100, 7)], [(1, 0, 5), (2, 0, 5)]),
        ([(100, 80, 0b0), (400, 320, 0b111111)], [(1, 2, 0), (2, 0, 5)]),
        ([(100, 80, 0b0), (400, 320, 0b1111111)], [(1, 0, 5), (2, 0, 5)]),
        ([(100, 80, 2**64 - 1), (400, 320, 2**63 - 1)], [(1, 2, 0), (2, 0, 5)]),
    ],
    ids=["larger later", "smaller later", "three", "twice", "another shape", "6 bits", "7 bits", "all bits"],
)
async def test_what_is_left_of_images_that_look_alike(
    tmp_path: Path, cluster: Cluster, images: list[tuple[int, int, int]], left: list[tuple[int, int, int]]
) -> None:
    assert await kept(tmp_path / "c", cluster, *images) == left
