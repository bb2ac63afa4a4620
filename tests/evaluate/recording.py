"""How does a test make a WARC file? Record by record, as bytes: also as no proper tool would write them."""

from __future__ import annotations

import gzip
from pathlib import Path

CHINESE = "<!doctype html><meta charset=gb2312><title>电网</title><p>智能电网与变电站。<a href='/zhan'>变电站</a></p>"


def response(
    url: str,
    body: bytes = b"<p>hello",
    *,
    status: str = "200 OK",
    content_type: str = "text/html",
    headers: str = "",
    fields: str = "",
    kind: str = "response",
) -> bytes:
    """A whole record; `headers` are more HTTP headers, `fields` more of the record's own, each line with its end."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{headers}\r\n".encode()
    return record(kind, head + body, f"WARC-Target-URI: {url}\r\n{fields}", "application/http; msgtype=response")


def record(kind: str, block: bytes, fields: str, content_type: str = "text/plain") -> bytes:
    """Any record."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{len(block)}>\r\n"
        f"{fields}Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def page(url: str, text: str, *links: str) -> bytes:
    """The record of a page in UTF-8."""
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    html = f"<!doctype html><meta charset=utf-8><title>{text}</title><p>{text} {anchors}</p>"
    return response(url, html.encode(), content_type="text/html; charset=utf-8")


def redirect(url: str, target: str) -> bytes:
    """The record of an address that leads elsewhere."""
    return response(url, b"", status="301 Moved Permanently", headers=f"Location: {target}\r\n")


def robots(host: str, text: str) -> bytes:
    """The record of a robots.txt."""
    return response(f"http://{host}/robots.txt", text.encode(), content_type="text/plain")


def save(path: Path, *records: bytes) -> Path:
    """A WARC file, packed record by record if its name says gzip."""
    path.write_bytes(b"".join(map(gzip.compress, records)) if path.suffix == ".gz" else b"".join(records))
    return path


HOME, NEXT = "http://a.test/", "http://a.test/next"
RECORDS = (
    record("warcinfo", b"software: a test\r\n", ""),
    robots("a.test", "User-agent: *\nDisallow: /private\n"),
    page(HOME, "the front page", NEXT),
    redirect("http://a.test/old", "/next"),
    response("http://zh.test/", CHINESE.encode("gbk")),
    record("request", b"GET / HTTP/1.1\r\n\r\n", f"WARC-Target-URI: {HOME}\r\n", "application/http; msgtype=request"),
    response("http://a.test/gone", b"no", status="404 Not Found"),
)
"""A small web, with one of everything."""
