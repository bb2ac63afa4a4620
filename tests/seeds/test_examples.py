"""Example pages from files and from the web: in any encoding, politely, and with one sentence about all that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.seeds.examples import read_samples
from shoal.settings import Fetching
from shoal.testing.webserver import SimpleWeb, WebServer

HTML = "<html><head><title>电网</title></head><body><p>变压器在变电站里改变电压，输电线路连接各地的电网。</p></body></html>"
TRADITIONAL = "<html><title>電網</title><body><p>變壓器在變電站裡改變電壓，輸電線路連接各地的電網。</p></body></html>"


def fetching(server: WebServer) -> Fetching:
    return Fetching(proxy=server.proxy, total_timeout=5.0)


@pytest.mark.parametrize(
    ("text", "encoding"), [(HTML, "utf-8"), (HTML, "gbk"), (HTML, "utf-16"), (TRADITIONAL, "big5")]
)
async def test_a_file_in_any_encoding(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "样本.html"
    path.write_bytes(text.encode(encoding))
    [page] = await read_samples([str(path)], Fetching(), delay=0.0)
    assert "变压器" in page.flat
    assert page.url == path.as_uri()


async def test_plain_text_is_a_page_too(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes("电网笔记\n<p> 是一个标签。变压器。".encode("gbk"))
    [page] = await read_samples([str(path)], Fetching(), delay=0.0)
    assert page.title == "电网笔记"
    assert "<p>" in page.text


async def test_urls_are_asked_for_through_redirects() -> None:
    web = SimpleWeb().page("http://a.test/grid", title="Grid", text="A substation feeds the power grid.")
    web.redirect("http://b.test/", "http://a.test/grid")
    async with WebServer(web) as server:
        pages = await read_samples(["http://b.test/", "http://b.test/"], fetching(server), delay=0.0)
        assert [page.url for page in pages] == ["http://a.test/grid"]
        assert [access.host for access in server.log] == ["b.test", "a.test"]


async def test_a_host_is_left_alone_between_two_requests() -> None:
    web = SimpleWeb()
    for host in ("a", "b"):
        for name in ("one", "two"):
            web.page(f"http://{host}.test/{name}", title=name, text="A substation feeds the power grid.")
    pauses: list[tuple[float, int]] = []
    async with WebServer(web) as server:

        async def pause(seconds: float) -> None:
            pauses.append((seconds, len(server.log)))

        urls = ["http://a.test/one", "http://b.test/one", "http://a.test/two"]
        await read_samples(urls, fetching(server), delay=1.5, pause=pause)
        assert [f"{access.host}{access.path}" for access in server.log] == ["a.test/one", "b.test/one", "a.test/two"]
    assert pauses == [(1.5, 2)]  # one, between the second and the third request


async def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_bytes(b"<html></html>")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    web = SimpleWeb().redirect("http://a.test/round", "http://a.test/round")
    sources = [
        str(tmp_path / "none.html"),
        "example.org/grid",
        str(tmp_path),
        str(tmp_path / "empty.html"),
        str(tmp_path / "image.png"),
        "http://a.test/missing",
        "http://a.test/round",
        "http://",
    ]
    async with WebServer(web) as server:
        with pytest.raises(InputError) as caught:
            await read_samples(sources, fetching(server), delay=0.0)
    assert str(caught.value).replace(f"{tmp_path}", "").split("; ") == [
        "/none.html is neither a URL nor a file that is there",
        "example.org/grid is neither a URL nor a file that is there",
        "did you mean https://example.org/grid?",
        " is a folder",
        "give the files in it",
        "/empty.html has no text to learn from",
        "/image.png is neither HTML nor text",
        "http://a.test/missing could not be fetched: the server answered 404 Not Found",
        "http://a.test/round could not be fetched: http://a.test/round sends us on more than 10 times",
        "http:// is not a URL that can be asked for",
    ]


async def test_private_addresses_are_refused_unless_allowed() -> None:
    async with WebServer(SimpleWeb().page("http://127.0.0.1/", title="Grid", text="The power grid.")) as server:
        url = f"http://127.0.0.1:{server.port}/"
        with pytest.raises(InputError, match="is not public"):
            await read_samples([url], Fetching(), delay=0.0)
        [page] = await read_samples([url], Fetching(allow_private=("127.0.0.0/8",)), delay=0.0)
        assert page.title == "Grid"
