"""A bug that a page brings to light is a failure with a place, is logged once, and is counted."""

from __future__ import annotations

import logging

import pytest

from shoal import urls
from shoal.internal_errors import InternalErrors, failure_of, place_of
from shoal.model import Reason, Timing

NOW = Timing(started=1.0, answered=2.0, ended=3.0)


def _raised_in_shoal() -> Exception:
    try:
        urls.host_of("no URL")
    except IndexError as error:
        return error
    raise AssertionError("it has a host")


def test_the_place_is_the_innermost_one_of_our_own() -> None:
    assert place_of(_raised_in_shoal()).startswith("urls.py, line ")


def test_what_was_never_raised_has_no_place() -> None:
    assert place_of(ValueError("made by hand")) == "an unknown place"


def test_a_failure_names_what_and_where_and_is_not_tried_again() -> None:
    failure = failure_of(_raised_in_shoal(), "http://a.test/", NOW)
    assert (failure.reason, failure.heals, failure.timing) == (Reason.INTERNAL, False, NOW)
    assert "IndexError in urls.py, line " in failure.detail
    assert "Traceback" in failure.trace
    assert "host_of" in failure.trace


def test_a_trace_can_be_sent_whatever_is_in_it() -> None:
    failure = failure_of(ValueError("\udce1" * 100_000), "http://a.test/", NOW)
    assert len(failure.trace.encode()) <= 8_000


def test_each_is_counted_and_logged_but_a_place_is_traced_once(caplog: pytest.LogCaptureFixture) -> None:
    errors = InternalErrors(before=5)
    failure = failure_of(_raised_in_shoal(), "http://a.test/1", NOW)
    with caplog.at_level(logging.ERROR):
        errors.note(failure)
        errors.note(failure_of(_raised_in_shoal(), "http://a.test/2", NOW))
    assert errors.count == 7
    first, second = (record.getMessage() for record in caplog.records)
    assert "http://a.test/1" in first
    assert "Traceback" in first
    assert "http://a.test/2" in second
    assert "Traceback" not in second
