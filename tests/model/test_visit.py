"""What does a worker send home? Whatever came, its times and its size are told in one way."""

from __future__ import annotations

import pytest

from shoal.model import (
    DecodedImage,
    Failure,
    Missed,
    Moved,
    Reason,
    Redirect,
    Response,
    RobotsRead,
    Seen,
    SeenImage,
    Task,
    Timing,
    Verdict,
    Visit,
    size_of,
    timing_of,
)
from shoal.store.packed_page import pack

URL = "http://a.test/"
TASK = Task(id=1, url=URL)
WHEN = Timing(started=1.0, answered=2.0, ended=3.0)
CAME = Response(url=URL, status=200, headers=(), body=b"12345", timing=WHEN)
SEEN = Seen(task=TASK, response=CAME, packed=pack(CAME, None))
IMAGE = SeenImage(
    task=TASK, response=CAME, image=DecodedImage(format="png", width=1, height=1, fingerprint=b"", thumbnail=b"")
)


@pytest.mark.parametrize(
    "visit",
    [
        SEEN,
        IMAGE,
        Moved(task=TASK, redirect=Redirect(url=URL, status=301, target="http://b.test/", timing=WHEN)),
        Missed(task=TASK, failure=Failure(url=URL, reason=Reason.DNS, timing=WHEN)),
        RobotsRead(task=TASK, text="", timing=WHEN),
    ],
    ids=lambda visit: type(visit).__name__,
)
def test_every_visit_says_when_its_request_happened(visit: Visit) -> None:
    assert timing_of(visit) == WHEN


@pytest.mark.parametrize("visit", [SEEN, IMAGE], ids=["page", "image"])
def test_the_size_is_that_of_the_body_packed_or_not(visit: Seen | SeenImage) -> None:
    assert size_of(visit) == 5


@pytest.mark.parametrize(("score", "relevant"), [(0.5, True), (0.499, False)])
def test_a_score_that_reaches_the_threshold_is_enough(score: float, relevant: bool) -> None:
    assert Verdict(score=score, threshold=0.5).relevant == relevant
