"""The parts that visit pages are those that the settings ask for."""

from __future__ import annotations

import pytest

from shoal.crawl.visitor import open_visitor
from shoal.model import Seen, Task, Term, Topic
from shoal.settings import Fetching, Settings
from shoal.testing.webserver import SimpleWeb, WebServer

TOPIC = Topic(name="电网", terms=(Term(text="电网"),))


@pytest.mark.parametrize(("agent", "nofollow"), [("MyBot/2.0", True), ("Shoal/0.1", False)])
async def test_a_page_is_read_by_the_name_we_go_by(agent: str, nofollow: bool) -> None:
    web = SimpleWeb().page("http://a.test/", "电网", head='<meta name="mybot" content="nofollow">')
    async with WebServer(web) as server:
        fetching = Fetching(proxy=server.proxy, user_agent=agent)
        async with open_visitor(Settings(topic=TOPIC, seeds=("http://a.test/",), fetching=fetching)) as visitor:
            visit = await visitor.visit(Task(id=1, url="http://a.test/"))
    assert isinstance(visit, Seen)
    assert visit.page is not None
    assert visit.page.nofollow is nofollow
