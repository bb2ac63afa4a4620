"""May this URL be fetched at all? What may not is recorded with its reason, and never asked for."""

from __future__ import annotations

from pathlib import Path

from shoal.crawl.termination import Ending
from shoal.model import Reason, State
from shoal.settings import Budget, Scope
from shoal.testing.fakes import redirect
from tests.crawl.simulated import SEED, Simulation, page
from tests.running import fates


def test_goes_no_deeper_than_it_may(tmp_path: Path) -> None:
    web = {f"http://a.test/{n or ''}": page(f"/{n + 1}") for n in range(6)}
    crawl = Simulation(tmp_path, web, budget=Budget(max_depth=2))
    assert crawl.run() is Ending.NOTHING_LEFT
    assert crawl.pages_asked == [SEED, "http://a.test/1", "http://a.test/2"]
    assert fates(tmp_path)["http://a.test/3"] == (State.SKIPPED, Reason.DEPTH)


def test_a_redirect_out_of_scope_is_not_followed(tmp_path: Path) -> None:
    web = {SEED: page("/out"), "http://a.test/out": redirect("", "http://b.test/")}
    crawl = Simulation(tmp_path, web, scope=Scope(kind="host"))
    crawl.run()
    assert fates(tmp_path)["http://b.test/"] == (State.SKIPPED, Reason.SCOPE)
    assert "http://b.test/" not in crawl.asked


def test_links_that_say_nofollow_are_recorded_and_not_followed(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, {SEED: page("/no", rel="nofollow")})
    crawl.run()
    assert crawl.pages_asked == [SEED]
    assert fates(tmp_path)["http://a.test/no"] == (State.SKIPPED, Reason.NOFOLLOW)
