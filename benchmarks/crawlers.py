"""Which command makes each crawler crawl the whole site? One function per crawler, and the setting up of the rivals."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from benchmarks.nginx import NotInstalled

REPOSITORY = Path(__file__).resolve().parent.parent
RIVALS = Path(__file__).resolve().parent / "rivals"
RIVALS_PYTHON = REPOSITORY / ".venv-bench" / "bin" / "python"
"""The rivals have an environment of their own, so that shoal's stays clean."""


@dataclass(frozen=True, kw_only=True)
class Crawler:
    """One contestant."""

    name: str
    does: str
    """What it does with a page, in a few words: the contestants do not all do the same work."""
    command: Callable[[str, Path, int], list[str]]
    """From the start URL, an empty folder to work in, and the number of pages there are."""
    version: Callable[[], str]
    """Also sets the crawler up when needed; raises `NotInstalled` when that cannot be done."""


def shoal_program() -> str:
    """The shoal of the environment this runs in, before any other."""
    beside = Path(sys.executable).with_name("shoal")
    program = str(beside) if beside.exists() else shutil.which("shoal")
    if program is None:
        raise NotInstalled("shoal is not installed in this environment: run `make setup`")
    return program


def _shoal(name: str, processes: int, *options: str) -> Crawler:
    def command(url: str, folder: Path, pages: int) -> list[str]:
        limits = f"--delay 0 --per-host 64 --concurrency 64 --processes {processes} --max-pages {pages}".split()
        place = f"--dir {folder / 'crawl'} --allow-private 127.0.0.0/8 --scope host --quiet".split()
        return [shoal_program(), "crawl", "--topic", "power grid", "--seed", url, *place, *limits, *options]

    def version() -> str:
        shoal_program()
        return metadata.version("shoal")

    return Crawler(name=name, does="full extraction, judged, stored, searchable", command=command, version=version)


def _scrapy(name: str, does: str, *options: str) -> Crawler:
    def command(url: str, folder: Path, pages: int) -> list[str]:
        return [str(RIVALS_PYTHON), str(RIVALS / "scrapy_spider.py"), url, *options]

    return Crawler(name=name, does=does, command=command, version=lambda: _rival_version("scrapy"))


def _crawlee_command(url: str, folder: Path, pages: int) -> list[str]:
    return [str(RIVALS_PYTHON), str(RIVALS / "crawlee_crawl.py"), url]


def _wget2_command(url: str, folder: Path, pages: int) -> list[str]:
    links = ["--recursive", "--level=0", "--robots=off", "--ignore-tags=img,link,script"]
    return [
        "wget2",
        *links,
        "--max-threads=64",
        "--quiet",
        "--no-host-directories",
        f"--directory-prefix={folder}",
        url,
    ]


def _wget2_version() -> str:
    if not shutil.which("wget2"):
        raise NotInstalled("wget2 is not installed: apt-get install wget2")
    answer = subprocess.run(["wget2", "--version"], capture_output=True, text=True, check=True)
    return answer.stdout.split()[2]


CRAWLERS: Sequence[Crawler] = (
    _shoal("shoal", processes=2),
    _shoal("shoal-1", processes=1),
    _shoal("best-first", 2, "--strategy", "best-first"),
    _shoal("best-first-1", 1, "--strategy", "best-first"),
    _scrapy("scrapy", "title and links"),
    _scrapy("scrapy-tuned", "title and links, by hand", "tuned"),
    Crawler(
        name="crawlee",
        does="title and links",
        command=_crawlee_command,
        version=lambda: _rival_version("crawlee"),
    ),
    Crawler(name="wget2", does="links, writes files", command=_wget2_command, version=_wget2_version),
)


def _rival_version(package: str) -> str:
    _set_up_rivals()
    code = f"from importlib.metadata import version; print(version({package!r}))"
    answer = subprocess.run([RIVALS_PYTHON, "-c", code], capture_output=True, text=True, check=False)
    if answer.returncode:
        raise NotInstalled(f"{package} could not be installed into {RIVALS_PYTHON.parent.parent}")
    return answer.stdout.strip()


def _set_up_rivals() -> None:
    wanted = RIVALS / "requirements.txt"
    ready = RIVALS_PYTHON.parent.parent / "ready"
    if ready.exists() and ready.stat().st_mtime >= wanted.stat().st_mtime:
        return
    print("Setting up the rivals in .venv-bench ...", flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(ready.parent)], check=True)
    install = [str(RIVALS_PYTHON), "-m", "pip", "install", "--quiet", "--requirement", str(wanted)]
    if subprocess.run(install, check=False).returncode == 0:
        ready.touch()
