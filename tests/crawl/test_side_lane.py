"""Images of pages are fetched as politely as pages, in full, once, and cost nothing of the page budget."""

from __future__ import annotations

import asyncio
import io
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image, ImageDraw

from shoal.crawl import side_lane
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.model import Evidence, Reason, Response, State, Task, Term, Timing, Topic
from shoal.settings import Budget, ImageSettings, Politeness, Scope
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status, kept_images
from shoal.store.warc import read_body
from shoal.testing.fakes import Answer, failure, html, redirect
from tests.crawl.simulated import SEED, Simulation, page
from tests.running import assert_consistent

RELEVANT = ImageSettings(wanted="relevant")


def drawing(seed: int, width: int = 320, height: int = 240) -> bytes:
    """An image that looks like no other with another seed, and like itself in every size."""
    image = Image.new("RGB", (width, height), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    random = Random(seed)
    for _ in range(24):
        x, y, shade = random.random() * 0.8 * width, random.random() * 0.8 * height, random.randrange(256)
        draw.rectangle((x, y, x + width * 0.3, y + height * 0.3), fill=(shade, shade, random.randrange(256)))
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def image(seed: int, width: int = 320, height: int = 240) -> Answer:
    return html("", drawing(seed, width, height), content_type="image/png")


def showing(*images: tuple[str, str], links: tuple[str, ...] = (), text: str = "words") -> Answer:
    """A page with images: (URL, what stands in alt)."""
    tags = "".join(f'<p><img src="{url}" alt="{alt}"></p>' for url, alt in images)
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return html("", f"<title>{text}</title><p>{text}</p>{tags}{anchors}")


def crawl(folder: Path, web: dict[str, Answer], **settings: Any) -> Simulation:
    return Simulation(folder, web, **{"images": RELEVANT} | settings)


def kept(folder: Path) -> list[kept_images.KeptImage]:
    with folders.reading(folder) as database:
        return list(kept_images.kept(database))


def images(folder: Path) -> dict[str, tuple[int, str | None]]:
    """State and reason of every image, by URL."""
    with folders.reading(folder) as database:
        return {
            url: (state, reason) for url, state, reason in database.execute("SELECT url, state, reason FROM images")
        }


def asked(simulation: Simulation) -> list[str]:
    return [task.url for _, task in simulation.servers.requests if task.kind == "image"]


# --- which ones ------------------------------------------------------------------------------------------------------


def test_images_about_the_topic_are_fetched_and_others_are_not(tmp_path: Path) -> None:
    web = {
        SEED: showing(("/1.png", "the power grid"), ("/2.png", "a cat")),
        "http://a.test/1.png": image(1),
        "http://a.test/2.png": image(2),
    }
    simulation = crawl(tmp_path, web)
    assert simulation.run() is Ending.NOTHING_LEFT
    assert asked(simulation) == ["http://a.test/1.png"]
    (one,) = kept(tmp_path)
    assert (one.url, one.format, one.width, one.height) == ("http://a.test/1.png", "png", 320, 240)
    assert read_body(tmp_path, one.warc_file, one.warc_offset) == drawing(1)
    (shown,) = one.shown
    assert (shown.page, shown.image.alt) == (SEED, "the power grid")
    assert shown.why[0].what.startswith("“grid”")
    assert isinstance(shown.why[0], Evidence)
    assert_consistent(tmp_path)


def test_a_crawl_that_wants_no_images_asks_for_none(tmp_path: Path) -> None:
    web = {SEED: showing(("/1.png", "the power grid")), "http://a.test/1.png": image(1)}
    simulation = Simulation(tmp_path, web)
    simulation.run()
    assert asked(simulation) == []
    assert images(tmp_path) == {}


def test_all_images_are_fetched_when_all_are_wanted(tmp_path: Path) -> None:
    web = {
        SEED: showing(("/1.png", "the power grid"), ("/2.png", "a cat")),
        "http://a.test/1.png": image(1),
        "http://a.test/2.png": image(2),
    }
    crawl(tmp_path, web, images=ImageSettings(wanted="all")).run()
    assert [one.url for one in kept(tmp_path)] == ["http://a.test/1.png", "http://a.test/2.png"]


def test_of_several_topics_the_one_that_fits_is_named(tmp_path: Path) -> None:
    parts = (Topic(name="cats", terms=(Term(text="cat"),)), Topic(name="电网", terms=(Term(text="电网"),)))
    topic = Topic(name="both", terms=(Term(text="cat"), Term(text="电网")), any=parts)
    web = {
        SEED: showing(("/1.png", "智能電網"), ("/2.png", "two cats"), ("/3.png", "a dog")),
        **{f"http://a.test/{n}.png": image(n) for n in (1, 2, 3)},
    }
    crawl(tmp_path, web, topic=topic).run()
    assert {one.url: one.shown[0].topic for one in kept(tmp_path)} == {
        "http://a.test/1.png": "电网",
        "http://a.test/2.png": "cats",
    }


def test_what_the_user_excludes_and_what_the_page_wants_to_keep_is_left_alone(tmp_path: Path) -> None:
    def asking(directive: str) -> Answer:
        head = f'<title>{directive}</title><meta name="robots" content="{directive}">'
        return html("", f'{head}<p>words</p><img src="/{directive}.png" alt="grid">')

    web = {
        SEED: showing(("/ads/1.png", "grid"), ("http://cdn.test/2.png", "grid"), links=("/a", "/b")),
        "http://a.test/a": asking("noindex"),
        "http://a.test/b": asking("noimageindex"),
        "http://cdn.test/2.png": image(2),
    }
    simulation = crawl(tmp_path, web, scope=Scope(kind="host", exclude=("*/ads/*",)))
    simulation.run()
    assert len(simulation.pages_asked) == 3
    assert asked(simulation) == ["http://cdn.test/2.png"], "an image may live on another host than its page"


# --- how they are asked for ------------------------------------------------------------------------------------------


def test_the_page_is_named_as_the_referrer(tmp_path: Path) -> None:
    web = {SEED: showing(("http://cdn.test/1.png", "grid")), "http://cdn.test/1.png": image(1)}
    simulation = crawl(tmp_path, web)
    simulation.run()
    (task,) = [task for _, task in simulation.servers.requests if task.kind == "image"]
    assert (task.referrer, task.host) == (SEED, "cdn.test")


@pytest.mark.slow
def test_images_wait_for_the_clock_of_their_host(tmp_path: Path) -> None:
    web = {
        SEED: showing(*((f"/{n}.png", f"grid {n}") for n in range(5)), links=("/next",)),
        "http://a.test/next": page(),
        **{f"http://a.test/{n}.png": image(n) for n in range(5)},
    }
    simulation = crawl(tmp_path, web, politeness=Politeness(delay=10.0))
    simulation.run()
    times = simulation.times("a.test")
    assert len(times) == 8, "robots.txt, two pages, five images"
    assert all(later - earlier >= 10.0 - 1e-6 for earlier, later in pairwise(times))


def test_robots_txt_of_the_images_own_host_is_read_and_obeyed(tmp_path: Path) -> None:
    web = {
        SEED: showing(("http://cdn.test/yes/1.png", "grid"), ("http://cdn.test/no/2.png", "grid")),
        "http://cdn.test/robots.txt": html("", "User-agent: *\nDisallow: /no/", content_type="text/plain"),
        "http://cdn.test/yes/1.png": image(1),
        "http://cdn.test/no/2.png": image(2),
    }
    simulation = crawl(tmp_path, web)
    simulation.run()
    assert [url for url in simulation.asked if "cdn" in url] == [
        "http://cdn.test/robots.txt",
        "http://cdn.test/yes/1.png",
    ]
    assert images(tmp_path)["http://cdn.test/no/2.png"] == (State.SKIPPED, Reason.ROBOTS)


def test_a_robots_txt_that_cannot_be_read_forbids_images_too(tmp_path: Path) -> None:
    web: dict[str, Answer] = {
        SEED: showing(("http://cdn.test/1.png", "grid"), ("http://cdn.test/2.png", "grid")),
        "http://cdn.test/robots.txt": failure("", status=503, heals=True),
    }
    simulation = crawl(tmp_path, web, politeness=Politeness(attempts=1))
    assert simulation.run() is Ending.NOTHING_LEFT
    assert asked(simulation) == []
    assert set(images(tmp_path).values()) == {(State.SKIPPED, Reason.ROBOTS_UNREACHABLE)}


def test_a_robots_txt_that_ran_out_is_read_again_before_the_next_image(tmp_path: Path) -> None:
    web = {
        SEED: showing(*((f"/{n}.png", f"grid {n}") for n in range(4))),
        **{f"http://a.test/{n}.png": image(n) for n in range(4)},
    }
    simulation = crawl(tmp_path, web, politeness=Politeness(delay=10.0, robots_ttl=25.0))
    assert simulation.run() is Ending.NOTHING_LEFT
    assert simulation.asked.count("http://a.test/robots.txt") >= 2
    assert len(kept(tmp_path)) == 4


def test_images_may_be_elsewhere_by_now(tmp_path: Path) -> None:
    web = {
        SEED: showing(("/old.png", "grid")),
        "http://a.test/old.png": redirect("", "http://cdn.test/new.png"),
        "http://cdn.test/new.png": image(1),
    }
    crawl(tmp_path, web).run()
    assert [one.url for one in kept(tmp_path)] == ["http://a.test/old.png"]


def test_images_that_redirect_in_a_circle_come_to_an_end(tmp_path: Path) -> None:
    web: dict[str, Answer] = {
        SEED: showing(("/a.png", "grid")),
        "http://a.test/a.png": redirect("", "http://a.test/b.png"),
        "http://a.test/b.png": redirect("", "http://a.test/a.png"),
    }
    assert crawl(tmp_path, web).run() is Ending.NOTHING_LEFT
    assert images(tmp_path)["http://a.test/a.png"] == (State.FAILED, Reason.BAD_REDIRECT)


# --- what goes wrong -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (failure("", status=404), Reason.STATUS),
        (html("", "<p>hotlinking is not allowed</p>"), Reason.IMAGE),
        (html("", b"\x89PNG broken", content_type="image/png"), Reason.IMAGE),
        (image(1, 20, 20), Reason.IMAGE),
    ],
    ids=["missing", "html", "broken", "tiny"],
)
def test_what_is_no_image_is_noted_with_the_reason(tmp_path: Path, answer: Answer, reason: Reason) -> None:
    crawl(tmp_path, {SEED: showing(("/1.png", "grid")), "http://a.test/1.png": answer}).run()
    assert images(tmp_path) == {"http://a.test/1.png": (State.FAILED, reason)}


def test_a_failure_that_may_heal_is_tried_again(tmp_path: Path) -> None:
    web: dict[str, Any] = {
        SEED: showing(("/1.png", "grid")),
        "http://a.test/1.png": [failure("", status=503, heals=True), image(1)],
    }
    crawl(tmp_path, web).run()
    assert len(kept(tmp_path)) == 1


def test_a_dead_host_of_images_does_not_hold_the_crawl_up(tmp_path: Path) -> None:
    dead: dict[str, Answer] = {f"http://dead.test/{n}.png": failure("", Reason.CONNECT, heals=True) for n in range(200)}
    web = {SEED: showing(*((url, f"grid {n}") for n, url in enumerate(dead)))} | dead
    simulation = crawl(tmp_path, web)
    assert simulation.run() is Ending.NOTHING_LEFT
    assert len(asked(simulation)) < 20
    assert {state for state, _ in images(tmp_path).values()} <= {State.FAILED, State.SKIPPED}


# --- the same image ------------------------------------------------------------------------------------------------


def test_of_one_image_in_several_sizes_the_largest_is_kept(tmp_path: Path) -> None:
    sizes = {"small": (160, 120), "large": (640, 480), "middle": (320, 240)}
    web = {
        SEED: showing(*((f"/{name}.png", f"grid {name}") for name in sizes), ("/other.png", "grid other")),
        **{f"http://a.test/{name}.png": image(5, *size) for name, size in sizes.items()},
        "http://a.test/other.png": image(6),
    }
    crawl(tmp_path, web).run()
    found = {one.url: one for one in kept(tmp_path)}
    assert set(found) == {"http://a.test/large.png", "http://a.test/other.png"}
    large = found["http://a.test/large.png"]
    assert (large.width, large.height) == (640, 480)
    assert {shown.image.alt for shown in large.shown} == {"grid small", "grid large", "grid middle"}
    with folders.reading(tmp_path) as database:
        assert crawl_status.images(database) == crawl_status.ImageCounts(
            kept=2, copies=2, waiting=0, failed=0, skipped=0
        )
        assert kept_images.thumbnail(database, large.id)


def test_a_image_on_many_pages_is_fetched_once(tmp_path: Path) -> None:
    web = {
        SEED: showing(("/1.png", "grid"), links=("/b", "/c")),
        "http://a.test/b": showing(("/1.png", "the grid of b"), text="b"),
        "http://a.test/c": showing(("/1.png", "no words"), text="c"),
        "http://a.test/1.png": image(1),
    }
    simulation = crawl(tmp_path, web)
    simulation.run()
    assert asked(simulation) == ["http://a.test/1.png"]
    (one,) = kept(tmp_path)
    assert {shown.page for shown in one.shown} == {SEED, "http://a.test/b"}


# --- budgets ---------------------------------------------------------------------------------------------------------


def many(count: int) -> dict[str, Answer]:
    images = [(f"http://cdn.test/{n}.png", f"grid {n}") for n in range(count)]
    return {SEED: showing(*images, links=("/next", "/last"))} | {url: image(n) for n, (url, _) in enumerate(images)}


@pytest.mark.slow
def test_images_cost_nothing_of_the_page_budget_and_are_fetched_to_the_end(tmp_path: Path) -> None:
    simulation = crawl(tmp_path, many(30), budget=Budget(max_pages=1))
    assert simulation.run() is Ending.PAGES
    assert simulation.pages_asked == [SEED]
    assert len(kept(tmp_path)) == 30


@pytest.mark.slow
def test_no_more_images_come_than_may(tmp_path: Path) -> None:
    simulation = crawl(tmp_path, many(30), images=ImageSettings(wanted="relevant", max_images=7))
    assert simulation.run() is Ending.NOTHING_LEFT
    assert len(kept(tmp_path)) == len(asked(simulation)) == 7
    assert list(images(tmp_path).values()).count((State.WAITING, None)) == 23
    assert simulation.run() is Ending.NOTHING_LEFT
    assert len(asked(simulation)) == 7


def test_bytes_of_images_count(tmp_path: Path) -> None:
    simulation = crawl(tmp_path, many(30), budget=Budget(max_bytes=5 * len(drawing(1))))
    assert simulation.run() is Ending.BYTES
    assert 3 <= len(kept(tmp_path)) <= 6


@pytest.mark.slow
def test_a_crawl_with_little_time_stops_with_images_waiting(tmp_path: Path) -> None:
    simulation = crawl(tmp_path, many(30), budget=Budget(max_time=10.0))
    assert simulation.run() is Ending.TIME
    assert 5 <= len(kept(tmp_path)) <= 12


@pytest.mark.slow
def test_images_do_not_make_pages_of_other_hosts_wait(tmp_path: Path) -> None:
    """Patience is for pages: a queue of images on one host must not keep the budget from being used."""
    web = many(20) | {
        SEED: showing(*((f"http://cdn.test/{n}.png", f"grid {n}") for n in range(20)), links=("http://b.test/1",))
    }
    web["http://b.test/1"] = page("http://b.test/2", text="one")
    web["http://b.test/2"] = page(text="two")
    simulation = crawl(tmp_path, web, budget=Budget(max_pages=3))
    simulation.run()
    at = {task.url: moment for moment, task in simulation.servers.requests}
    last_image = max(moment for url, moment in at.items() if url.endswith(".png"))
    assert at["http://b.test/2"] < last_image - 10


def test_pages_that_were_fetched_without_images_give_them_when_they_are_looked_at_again(tmp_path: Path) -> None:
    headers = (("content-type", "text/html"), ("etag", '"1"'))
    body = b'<title>t</title><p>words</p><p><img src="/1.png" alt="grid"></p>'
    never = Timing(started=0.0, answered=0.0, ended=0.0)
    web: dict[str, Answer] = {
        SEED: Response(url="", status=200, headers=headers, body=body, timing=never),
        "http://a.test/1.png": image(1),
    }
    simulation = Simulation(tmp_path, web)
    simulation.run()
    simulation.settings = replace(simulation.settings, images=RELEVANT)
    with folders.reading(tmp_path) as database:
        folders.write_settings(tmp_path, database, simulation.settings)
        database.execute("INSERT INTO due SELECT id FROM pages")
    assert simulation.run(new_pages=False) is Ending.LOOKED
    assert [task.etag for _, task in simulation.servers.requests if task.url == SEED] == ["", ""]
    assert len(kept(tmp_path)) == 1


# --- over a restart --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_waits_is_fetched_by_the_next_run(tmp_path: Path) -> None:
    simulation = crawl(tmp_path, many(30))

    async def stop_soon(coordinator: Coordinator) -> Ending:
        asyncio.get_running_loop().call_later(8.0, coordinator.stop)
        return await simulation.crawl(coordinator)

    assert simulation.play(stop_soon) is Ending.STOPPED
    assert 2 < len(kept(tmp_path)) < 25
    assert simulation.run() is Ending.NOTHING_LEFT
    assert len(kept(tmp_path)) == 30
    assert len(asked(simulation)) == len(set(asked(simulation)))
    assert {task.referrer for _, task in simulation.servers.requests if task.kind == "image"} == {SEED}


def test_who_wants_no_images_any_more_gets_none(tmp_path: Path) -> None:
    simulation = crawl(tmp_path, many(5), images=ImageSettings(wanted="relevant", max_images=1))
    simulation.run()
    simulation.settings = replace(simulation.settings, images=ImageSettings())
    with folders.reading(tmp_path) as database:
        folders.write_settings(tmp_path, database, simulation.settings)
    assert simulation.run() is Ending.NOTHING_LEFT
    assert len(asked(simulation)) == 1


def test_a_size_that_comes_in_the_next_run_is_compared_with_what_is_there(tmp_path: Path) -> None:
    web: dict[str, Any] = {
        SEED: showing(("/small.png", "grid"), links=("/b",)),
        "http://a.test/small.png": image(5, 160, 120),
        "http://a.test/b": [failure("", status=503, heals=True), showing(("/large.png", "grid"), text="b")],
        "http://a.test/large.png": image(5, 640, 480),
    }
    simulation = crawl(tmp_path, web, budget=Budget(max_pages=1))
    simulation.run()
    assert [one.url for one in kept(tmp_path)] == ["http://a.test/small.png"]
    with folders.reading(tmp_path) as database:
        folders.write_settings(tmp_path, database, replace(simulation.settings, budget=Budget(max_pages=2)))
    simulation.run()
    assert [one.url for one in kept(tmp_path)] == ["http://a.test/large.png"]


@pytest.mark.slow
def test_far_more_images_than_fit_into_memory_are_fetched_from_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_lane, "IN_MEMORY", 8)
    monkeypatch.setattr(side_lane, "SOME", 4)
    simulation = crawl(tmp_path, many(60))
    most = 0

    async def watched(coordinator: Coordinator) -> Ending:
        async def watch() -> None:
            nonlocal most
            while True:
                most = max(most, coordinator.statistics().side_tasks)
                await asyncio.sleep(0.3)

        watching = asyncio.create_task(watch())
        ending = await simulation.crawl(coordinator)
        watching.cancel()
        return ending

    assert simulation.play(watched) is Ending.NOTHING_LEFT
    assert 0 < most <= 8
    assert len(asked(simulation)) == len(set(asked(simulation))) == 60
    assert len(kept(tmp_path)) == 60


def test_a_lease_that_nobody_took_is_handed_out_again(tmp_path: Path) -> None:
    simulation = crawl(tmp_path, many(3))

    async def give_up_once(coordinator: Coordinator) -> Ending:
        lease = coordinator.lease
        taken: list[Task] = []

        async def lease_and_drop() -> Task | None:
            task = await lease()
            if task is not None and task.kind == "image" and not taken:
                taken.append(task)
                coordinator.take_back(task)
                coordinator._handout.dispatch_soon()
                return await lease()
            return task

        coordinator.lease = lease_and_drop  # type: ignore[method-assign]
        return await simulation.crawl(coordinator)

    assert simulation.play(give_up_once) is Ending.NOTHING_LEFT
    assert len(kept(tmp_path)) == 3
