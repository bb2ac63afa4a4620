"""How many files does a page pass on its way from seed to hit?

    python -m benchmarks.page_walk [--tree ../before]

Crawls three pages on loopback and searches them, in processes that note which of our files a function runs in. `--tree` looks at
another checkout with the same libraries, to compare. Counted is everything from the typed command on; what only commands do
stands apart.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

HERE = Path(__file__).parent.parent
FRONT = ("__main__", "cli", "commands", "terminal")
"""What reads arguments and prints."""
WATCH = """
import atexit, os, sys, threading
seen = set()
def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_name != "<module>":
        seen.add(code.co_filename)
def tell():
    with open(os.path.join(os.environ["WALK"], str(os.getpid())), "w") as file:
        file.writelines(name + "\\n" for name in seen)
atexit.register(tell)
threading.setprofile(note)
sys.setprofile(note)
"""
"""Python reads it at the start of every process, as `sitecustomize`."""
PAGE = """<!doctype html><html lang="en"><title>{title}</title><article><h1>{title}</h1>
<p>The {title} carries electricity from one substation to the next; 电网 is its Chinese name. This is text enough for a page
to have a main text that can be judged, stored, found and shown.</p><a href="/a.html">power grid substation</a>
<a href="/b.html">a transformer</a></article></html>"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tree", type=Path, default=HERE, help="another checkout")
    tree = parser.parse_args().tree.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        files = sorted(walked(tree / "src", Path(scratch)))
    rooms = Counter(name.partition("/")[0].removesuffix(".py") for name in files)
    front = sum(count for room, count in rooms.items() if room in FRONT)
    print(", ".join(f"{room} {count}" for room, count in rooms.most_common()))
    print(f"{len(files)} files from seed to hit; {len(files) - front} without those that only read arguments and print")


def walked(source: Path, scratch: Path) -> set[str]:
    """Our files in which a function ran, without the folder of the package."""
    notes, watch, site = (scratch / name for name in ("notes", "watch", "site"))
    for folder in (notes, watch, site):
        folder.mkdir()
    (watch / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    for name, title in (("index", "power grid"), ("a", "grid of power lines"), ("b", "transformer")):
        (site / f"{name}.html").write_text(PAGE.format(title=title), encoding="utf-8")
    path = os.pathsep.join((str(source), str(watch)))
    environment = os.environ | {"PYTHONPATH": path, "WALK": str(notes), "SHOAL_HOME": str(scratch / "state")}
    with served(site) as url:
        crawl = (
            "crawl",
            "--topic",
            "power grid, 电网",
            "--seed",
            url,
            "--max-pages",
            "3",
            "--allow-private",
            "127.0.0.0/8",
        )
        for command in (crawl, ("search", "power grid")):
            arguments = (sys.executable, "-m", "shoal", *command, "--dir", str(scratch / "crawl"))
            subprocess.run(arguments, env=environment, stdout=subprocess.DEVNULL, check=True, timeout=120)
    names = {line for file in notes.iterdir() for line in file.read_text(encoding="utf-8").splitlines()}
    ours = f"{source / 'shoal'}{os.sep}"
    return {name.removeprefix(ours) for name in names if name.startswith(ours)}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


if __name__ == "__main__":
    main()
