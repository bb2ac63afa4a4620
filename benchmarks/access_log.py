"""What did the server see? Reads the access log of nginx: the one witness that no crawler can flatter."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.testing.webserver import Access

FORMAT = "$msec $request_time $status $host $request_uri"
CLOCK = 0.01
"""nginx reads its clock once per round of its event loop: when it is busy, its times are this exact, in seconds."""


@dataclass(frozen=True)
class AccessLog:
    """The log file of a running nginx."""

    file: Path

    def position(self) -> int:
        """Where the log ends now: what comes later is `entries(since=...)`."""
        return self.file.stat().st_size

    def entries(self, *, since: int = 0) -> list[Access]:
        with self.file.open("rb") as stream:
            stream.seek(since)
            return [_access(line.decode("ascii", "replace")) for line in stream]


def is_page(access: Access) -> bool:
    return access.status == 200 and access.path.endswith(".html")


def _access(line: str) -> Access:
    ended, lasted, status, host, path = line.rstrip("\n").split(" ", 4)
    return Access(host=host, path=path, started=float(ended) - float(lasted), ended=float(ended), status=int(status))
