"""What a person is told while a crawl runs, where there are only lines."""

from __future__ import annotations

from msgspec.structs import replace

from shoal.commands import live_lines
from shoal.crawl.metrics import Statistics

NOW = Statistics(
    pages=1234,
    relevant=617,
    harvest_rate=0.5,
    bytes=5_000_000,
    elapsed=3725.4,
    rate=12.34,
    queue=98_765,
    hosts_ready=3,
    hosts_waiting=40,
    failed=2,
    skipped=1,
    retries=0,
    fetching=tuple(f"http://host{number}.test/{'a-long-path/' * 20}" for number in range(9)),
)


def test_says_why_so_few_requests_are_in_flight() -> None:
    patient = replace(NOW, holding_back=True)
    assert live_lines.line(patient).endswith("40 waiting; better links wait for their hosts (--hurry does not)")


def test_one_line_says_how_the_crawl_stands() -> None:
    assert live_lines.line(NOW) == (
        "1:02:05  1,234 pages, 617 relevant (50%), 12.3 pages/s, 98,765 waiting, 9 in flight, hosts 3 ready 40 waiting"
    )


def test_the_last_failure_is_told_to_whoever_waits_for_a_first_page() -> None:
    failing = replace(NOW, pages=0, trouble="http://a.test/robots.txt: There is no connection: \x1b[2J.")
    assert live_lines.line(failing).endswith("; last failure: http://a.test/robots.txt: There is no connection:  [2J.")
    assert "last failure" not in live_lines.line(replace(failing, pages=1))


def test_ctrl_c_is_answered() -> None:
    stopping = replace(NOW, stopping=True)
    assert "Finishing 1 request in flight" in live_lines.stopping_line(replace(stopping, fetching=("http://a.test/",)))
