"""What may come over a wire that any machine, or any bug, can speak on? Messages of the cluster, honest ones and damaged ones.

They are damaged where they mean something (another number, another kind, a field too few, a list in a list in a list) and where
they are only bytes. The names in them are those of the crawl that the fuzzer runs, so that much of it nearly fits.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from shoal.model import Task, Topic
from shoal.settings import Settings
from shoal.testing.fuzz.mutation import mutated, noise

CRAWL, RUN = "c", "r"
NOW = 1_000_000.0
SEEDS = ("http://a.test/", "http://h0.test/", "http://h1.test/", "http://h2.test/")
URLS = (*SEEDS, "http://h0.test/2", "http://h2.test/2")
OUT = (
    *(Task(id=1 + n, url=url + "robots.txt", kind="robots", host=url[7:-1]) for n, url in enumerate(SEEDS)),
    *(Task(id=1 + n, url=url, host=url[7:-1]) for n, url in enumerate(SEEDS)),
)
"""What a crawl of these seeds hands out first, in the order of the leases: number 1, 2, 3 …"""
_Message = dict[str, Any]


def session(random: Random) -> bytes:
    """Messages of one crawl, each with where it is sent: `results`, `tasks`, `voices` or `replies`."""
    return msgspec.msgpack.encode([_sent(random) for _ in range(random.randint(1, 25))])


def pipe_session(random: Random) -> bytes:
    """Messages of a worker process that has all of `OUT`, as they come through its socket: each behind its length."""
    said = [_piped(random) for _ in range(random.randint(1, 8))]
    stream = b"".join(len(one).to_bytes(4, "big") + one for one in said)
    return mutated(stream, random, times=random.choice((0, 0, 0, 0, 1)))


def message(random: Random) -> bytes:
    """One message of any kind."""
    return _body(random.choice((_result, _task_message, _voice, _reply))(random), random)


def _sent(random: Random) -> tuple[str, bytes]:
    others = ("tasks", _task_message), ("voices", _voice), ("replies", _reply)
    where, make = random.choice((*(("results", _result),) * 5, *others))
    return where, _body(make(random), random)


def _piped(random: Random) -> bytes:
    number = random.randrange(len(OUT))
    id = OUT[number].id if random.random() < 0.9 else random.choice((0, -1, 99, 2**63))
    kind = OUT[number].kind if random.random() < 0.95 else random.choice(("page", "robots", "image", "revisit", "x"))
    done = {"type": "Done", "kind": kind, "id": id, "visit": _visit(random, _task(random, number + 1))}
    return _body(done, random)


def _body(honest: object, random: Random) -> bytes:
    for _ in range(random.choice((0, 1, 1, 1, 2, 4))):
        honest = _spoilt(honest, random)
    body = msgspec.msgpack.encode(honest)
    fate = random.random()
    if fate < 0.02:
        return noise(random)
    if fate < 0.05:
        return b"\x82\xa4type\xa4Came\xa1x" + b"\x91" * random.choice((10, 1000, 200_000))
    return mutated(body, random) if fate < 0.15 else body


# --- honest ones -----------------------------------------------------------------------------------------------------


def _task(random: Random, lease: int = 0) -> _Message:
    """Mostly the one that is leased under this number."""
    task = OUT[lease - 1] if 0 < lease <= len(OUT) and random.random() < 0.85 else random.choice(OUT)
    plain: _Message = msgspec.to_builtins(task)
    return plain


def _timing(random: Random) -> _Message:
    at = NOW + random.choice((0.0, 1.0, -5.0, 1e6, -1e6))
    return {"started": at, "answered": at, "ended": at + 0.5, "address": random.choice(("", "192.0.2.1"))}


def _response(random: Random, url: str) -> _Message:
    headers = [["content-type", "text/html"], ["etag", '"x"']]
    return {"url": url, "status": 200, "headers": headers, "body": b"<p>grid", "timing": _timing(random)}


def _visit(random: Random, task: _Message) -> _Message:
    fitting = _robots if task.get("kind") == "robots" else _seen
    return random.choice((*(fitting,) * 5, _seen, _moved, _missed, _robots, _seen_image))(random, task)


def _seen(random: Random, task: _Message) -> _Message:
    links = [
        {"url": url, "anchor": "电网", "position": place} for place, url in enumerate(URLS[: random.randint(0, 3)])
    ]
    page = {"url": task["url"], "title": "变电站", "links": links, "language": "zh", "fingerprint": bytes(512)}
    verdict = {"score": 0.5, "threshold": 0.1, "why": [{"what": "grid", "amount": 0.5}]}
    seen: _Message = {
        "type": "Seen",
        "task": task,
        "response": _response(random, task["url"]),
        "page": page,
        "verdict": verdict,
        "packed": _packed(random),
    }
    seen["hints"] = [0.5] * len(links)
    return seen


def _packed(random: Random) -> _Message:
    text = random.choice((b"", zlib.compress(bytes(8)), zlib.compress(bytes(2**24)), b"no deflate"))
    links = random.choice(
        (b"", zlib.compress(msgspec.msgpack.encode((bytes(8), ["a"]))), zlib.compress(b"\x91" * 5000))
    )
    record = random.choice((b"", b"\x1f\x8b\x08" + bytes(20), b"WARC"))
    packed = {"size": 7, "digest": bytes(16), "payload": "sha1:X", "text": text, "links": links, "record": record}
    return packed | {"bands": [random.getrandbits(62) for _ in range(12)]}


def _moved(random: Random, task: _Message) -> _Message:
    redirect = {"url": task["url"], "status": 301, "target": random.choice(URLS), "timing": _timing(random)}
    return {"type": "Moved", "task": task, "redirect": redirect}


def _missed(random: Random, task: _Message) -> _Message:
    failure = {"url": task["url"], "reason": random.choice(("dns", "status", "timeout")), "timing": _timing(random)}
    failure |= {"heals": random.random() < 0.5, "status": random.choice((0, 404, 503)), "retry_after": 3.0}
    return {"type": "Missed", "task": task, "failure": failure}


def _robots(random: Random, task: _Message) -> _Message:
    return {"type": "RobotsRead", "task": task, "text": "User-agent: *\nDisallow: /private", "timing": _timing(random)}


def _seen_image(random: Random, task: _Message) -> _Message:
    image = {"format": "png", "width": 9, "height": 9, "fingerprint": bytes(8), "thumbnail": b"x"}
    return {"type": "SeenImage", "task": task, "response": _response(random, task["url"]), "image": image}


def _result(random: Random) -> _Message:
    lease = random.randint(1, 9)
    task = _task(random, lease)
    said = {"run": random.choice((*(RUN,) * 5, "of another run")), "lease": lease}
    if random.random() < 0.7:
        return {"type": "Came", **said, "worker": "x", "visit": _visit(random, task)}
    return {"type": random.choice(("Declined", "Returned")), **said, "task": task}


def _task_message(random: Random) -> _Message:
    until = NOW + random.choice((-1.0, 20.0, 1e9))
    return _task(random) | {"crawl": CRAWL, "run": RUN, "lease": random.randint(1, 40), "until": until}


def _voice(random: Random) -> _Message:
    if random.random() < 0.3:
        return {"type": "Ask", "crawl": CRAWL, "run": RUN, "sent": NOW}
    beat = {"type": "Beat", "wire": random.choice((1, 2, 3)), "shoal": "0", "worker": random.choice(("w", "x", "基地"))}
    return beat | {"capacity": random.choice((0, 4, 64)), "visits": 7, "sent": NOW, "leaving": random.random() < 0.2}


def _reply(random: Random) -> _Message:
    """Not that the worker is refused: then it leaves, as it should."""
    said = {"crawl": CRAWL, "run": RUN, "sent": NOW + random.choice((0.0, 1.0, 1e6)), "now": NOW}
    if random.random() < 0.5:
        return {"type": "Heard", **said}
    settings = Settings(topic=Topic(name="grid", terms=()), seeds=URLS)
    return {"type": "Brief", **said, "settings": msgspec.to_builtins(settings)}


# --- damage ----------------------------------------------------------------------------------------------------------


def _nested(depth: int) -> object:
    value: object = 1
    for level in range(depth):
        value = [value] if level % 2 else {"any": value}
    return value


_STRANGE: tuple[Callable[[], object], ...] = (
    lambda: math.nan,
    lambda: math.inf,
    lambda: -math.inf,
    lambda: 1e308,
    lambda: 2**64 - 1,
    lambda: 2**63 - 1,
    lambda: -(2**63),
    lambda: 10**18,
    lambda: -1,
    lambda: 0,
    lambda: None,
    lambda: True,
    lambda: "",
    lambda: "x" * 2**18,
    lambda: "\x00\x1b[2J\u202e",
    lambda: "http://[",
    lambda: "http://never.test/",
    lambda: "file:///etc/passwd",
    lambda: b"\xff" * 100,
    list,
    dict,
    lambda: [0.5] * 3000,
    lambda: _nested(60),
    lambda: _nested(700),
)


def _spoilt(value: Any, random: Random) -> Any:
    """The same value with something else somewhere inside."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(list(value))
        made = dict(value)
        if random.random() < 0.1:
            del made[key]
        elif random.random() < 0.05:
            made[random.choice(("x", "type", "id", "any"))] = random.choice(_STRANGE)()
        else:
            made[key] = _spoilt(value[key], random)
        return made
    if isinstance(value, list) and value and random.random() < 0.8:
        at = random.randrange(len(value))
        return [*value[:at], _spoilt(value[at], random), *value[at + 1 :]]
    return random.choice(_STRANGE)()
