"""The generated web runs as a process of its own, and its log can be read from outside."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import aiohttp
import pytest

from shoal.testing.webserver import read_log


@pytest.mark.slow
async def test_serves_from_another_process(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"
    arguments = ("-m", "shoal.evaluate.serve", "--port", "0", "--log", str(log), "--seed", "7")
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    proxy = f"http://127.0.0.1:{int(await process.stdout.readline())}"
    async with aiohttp.ClientSession() as client, client.get("http://energy.test/", proxy=proxy) as response:
        assert response.status == 200
        assert b"Energy Review" in await response.read()
    assert [(access.host, access.path) for access in read_log(log)] == [("energy.test", "/")]
    process.terminate()
    assert await process.wait() == 0
