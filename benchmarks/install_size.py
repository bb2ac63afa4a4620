"""How much comes with `pip install shoal`, and how much with each extra?

Makes a fresh environment, installs what requirements/runtime.txt locks and shoal itself, and measures what the files take on the
disk, compiled modules included: that is the default. Then it installs everything in requirements/extras.txt, and adds up for each
extra the packages that it brings beside the default. Word vectors are not locked and not measured: they are 70 MB of data.

    python -m benchmarks.install_size [--rows 12]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PYPROJECT = ROOT / "pyproject.toml"
TARGET = 300
"""MB that the default may take."""
MB = 2**20


class Installation:
    """A fresh environment without pip. Sole owner of its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "environment"
        venv.create(self.folder, symlinks=True)
        (self.site,) = self.folder.glob("lib/python*/site-packages")

    def install(self, *arguments: str) -> None:
        """What pip installs with these arguments."""
        self._pip("--python", str(self.folder / "bin" / "python"), "install", "--quiet", *arguments)

    def install_locked(self, lock: str) -> None:
        """The libraries of a lock."""
        self.install("--require-hashes", "--requirement", str(ROOT / "requirements" / f"{lock}.txt"))

    def install_shoal(self) -> None:
        """A wheel of this tree."""
        built = self.folder / "built"
        offline = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation")
        self._pip("wheel", *offline, "--wheel-dir", str(built), str(ROOT))
        self.install("--no-deps", "--no-index", *map(str, built.glob("*.whl")))

    def _pip(self, *arguments: str) -> None:
        subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments], check=True)

    def size(self) -> int:
        """Bytes that everything takes, as `du` counts them."""
        return sum(file.lstat().st_blocks * 512 for file in self.site.rglob("*"))

    def packages(self) -> dict[str, Distribution]:
        """By their names."""
        return {canonicalize_name(one.name): one for one in distributions(path=[str(self.site)])}


def size_of(package: Distribution) -> int:
    """Bytes that the files of one package take."""
    places = {Path(str(package.locate_file(file))) for file in package.files or ()}
    return sum(place.lstat().st_blocks * 512 for place in places if place.is_file())


def brought(asked: Iterable[str], packages: Mapping[str, Distribution]) -> set[str]:
    """The packages that come with these requirements, and with those of theirs, and so on."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in asked]
    while waiting:
        wish = waiting.pop()
        name = canonicalize_name(wish.name)
        if name in found or name not in packages or (wish.marker and not wish.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += map(Requirement, packages[name].requires or ())
    return found


def table(names: Iterable[str], sizes: Mapping[str, int], rows: int) -> None:
    """The largest of some packages, and how much all others are."""
    ordered = sorted(names, key=lambda name: -sizes[name])
    for name in ordered[:rows]:
        print(f"  {name:<24}{sizes[name] / MB:>8.1f}")
    if rest := ordered[rows:]:
        print(f"  {f'{len(rest)} others':<24}{sum(sizes[name] for name in rest) / MB:>8.1f}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=12, help="packages to name")
    rows = options.parse_args().rows
    extras: dict[str, list[str]] = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(Path(folder))
        installation.install_locked("runtime")
        installation.install_shoal()
        total, default = installation.size(), set(installation.packages())
        installation.install_locked("extras")
        packages = installation.packages()
        sizes = {name: size_of(package) for name, package in packages.items()}
        added = {name: brought(extras[name], packages) - default for name in extras.keys() - {"semantic", "all"}}
    print(f"{'default':<26}{total / MB:>8.1f} MB")
    table(default, sizes, rows)
    for name, names in sorted(added.items()):
        print(f"{name:<26}{sum(sizes[each] for each in names) / MB:>+8.1f} MB")
        table(names, sizes, 4)
    print(
        f"the default takes {total / MB:.0f} MB, target at most {TARGET}: {'met' if total <= TARGET * MB else 'not met'}"
    )


if __name__ == "__main__":
    main()
