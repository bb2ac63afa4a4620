"""A picture is decoded once, and a failure is never remembered."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.evaluate.developing import PictureMemory
from shoal.model import Failure, Picture, Reason, Response, Timing

NOW = Timing(started=0.0, answered=1.0, ended=1.0)


@dataclass
class Counting:
    """A darkroom that takes what starts with P for a picture."""

    asked: list[str] = field(default_factory=list)

    def develop(self, response: Response) -> Picture | Failure:
        self.asked.append(response.url)
        if not response.body.startswith(b"P"):
            return Failure(url=response.url, reason=Reason.PICTURE, detail="no picture", timing=response.timing)
        return Picture(format="png", width=len(response.body), height=1, fingerprint=bytes(8), thumbnail=b"")


def response(name: str, body: bytes = b"P") -> Response:
    return Response(url=f"http://a.test/{name}", status=200, headers=(), body=body, timing=NOW)


def test_a_picture_is_decoded_once() -> None:
    memory, counting = PictureMemory(), Counting()
    first, second = (memory.darkroom("web", counting) for _ in range(2))
    assert first.develop(response("a")) == second.develop(response("a"))
    assert len(counting.asked) == 1


def test_another_web_has_other_pictures() -> None:
    memory, counting = PictureMemory(), Counting()
    memory.darkroom("one", counting).develop(response("a"))
    memory.darkroom("two", counting).develop(response("a"))
    assert len(counting.asked) == 2


def test_a_failure_has_its_own_time() -> None:
    counting = Counting()
    darkroom = PictureMemory().darkroom("web", counting)
    assert [isinstance(darkroom.develop(response("a", b"x")), Failure) for _ in range(2)] == [True, True]
    assert len(counting.asked) == 2


def test_the_oldest_is_forgotten() -> None:
    counting = Counting()
    darkroom = PictureMemory(2).darkroom("web", counting)
    for name in ("a", "b", "c", "b", "a"):
        darkroom.develop(response(name))
    assert [url[-1] for url in counting.asked] == ["a", "b", "c", "a"]
