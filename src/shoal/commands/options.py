"""What can be typed after `shoal crawl`? The options of a crawl, and the headings they stand under in the help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal.services import crawls as app
from shoal.settings import Address
from shoal.topic import value_readers as values

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OUTPUT = "What to print"
_UNTIL_DONE = "--until-done"


class Seconds(click.ParamType[float]):
    """A time that can be waited for: neither negative nor without end."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """A number of seconds, or one sentence."""
        try:
            return values.number(float(value))
        except ValueError:
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)


class HostAndPort(click.ParamType[Address]):
    """Where a server of ours listens: a port, or a host and a port."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Address:
        """An address, or one sentence."""
        host, _, port = str(value).rpartition(":")
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
            self.fail(f"{value!r} is not a port such as 9310, or a host and a port such as 0.0.0.0:9310.", param, ctx)
        return Address(port=int(port), host=host.strip("[]") or Address(port=0).host)


class _Option(click.Option):
    """An option that stands under a heading in the help."""

    def __init__(self, *names: Any, section: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.section = section


class InSections(click.Command):
    """A command with so many options that its help needs headings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed; `--until-done` may stand alone."""
        return super().parse_args(ctx, _with_usual_share(args))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, each under its heading; those without one come last."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in sorted(options, key=lambda option: not isinstance(option, _Option)):
            if (line := option.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(option, "section", _OUTPUT), []).append(line)
        for title, lines in sections.items():
            with formatter.section(title):
                formatter.write_dl(lines)


def _with_usual_share(args: Sequence[str]) -> list[str]:
    """`--until-done` with the usual share, where none follows: click would take the topic file behind it for the share."""
    alone = {
        place
        for place, (word, behind) in enumerate(zip_longest(args, args[1:], fillvalue=""))
        if word == _UNTIL_DONE and not values.looks_like_share(behind)
    }
    end = args.index("--") if "--" in args else len(args)
    usual = f"{_UNTIL_DONE}={values.USUAL_SHARE}"
    return [usual if place in alone and place < end else word for place, word in enumerate(args)]


def _numbers(ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, float] | None:
    """`--set width=10 --set depth=4` as a table; None when nothing was set."""
    numbers = {}
    for pair in given:
        name, _, number = pair.partition("=")
        try:
            numbers[name.strip()] = float(number)
        except ValueError:
            raise click.BadParameter(f"'{pair}' is not NAME=NUMBER, such as width=10.", ctx=ctx, param=option) from None
    return numbers or None


_start = partial(click.option, cls=_Option, section="What to look for, and where to begin")
_which = partial(click.option, cls=_Option, section="Which pages")
_learn = partial(click.option, cls=_Option, section="What to learn meanwhile")
_limit = partial(click.option, cls=_Option, section="When to stop")
_asking = partial(click.option, cls=_Option, section="How to ask")
_shared = partial(click.option, cls=_Option, section="Many machines")
_path = click.Path(path_type=Path)

topic = _start("--topic", "words", metavar="WORDS", help="Instead of a file: 'power grid, substation=0.8, 电网'.")
seeds = _start("--seed", "seeds", multiple=True, metavar="URL", help="A URL to start from; repeatable.")
new_folder = _start(
    "--dir", "folder", type=_path, metavar="FOLDER", help="Where to keep the crawl. Default: crawls/NAME."
)
folder = _start("--dir", "folder", type=_path, required=True, metavar="FOLDER", help="The folder of the crawl.")
model = _start(
    "--model", "model_file", type=_path, metavar="FILE", help="Begin with what another crawl learned (shoal model)."
)
standby = _shared(
    "--standby", is_flag=True, help="While another machine is at it: wait, and take over when that ends or dies."
)
no_model = click.option(
    "--model", "model_file", type=_path, metavar="FILE", hidden=True, help="Refused: only a new crawl can have one."
)
WITH_MINUS: dict[str, Any] = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""For commands whose words may begin with a minus, as in `shoal search grid -fan`: no option of theirs has one letter."""


def typed(ctx: click.Context, argument: click.Parameter, words: tuple[str, ...]) -> str:
    """A query as it was typed; what looks like an option that is not there is a mistake, not a word."""
    if wrong := next((word for word in words if word.startswith("--")), ""):
        raise click.NoSuchOption(wrong.partition("=")[0], ctx=ctx)
    return " ".join(words)


as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON on standard output.")
quiet = click.option("--quiet", is_flag=True, help="Say nothing unless something goes wrong.")

_SET = "A number of the strategy, such as width=10 (shoal strategies); repeatable."
_DONE = "Stop when the next pages promise too few relevant ones: a share below 5%, or SHARE."
_CRAWL = (
    _which("--strategy", metavar="NAME", help=f"Which link next: {', '.join(app.names().strategies)}."),
    _which("--judge", metavar="NAME", help=f"What is relevant: {', '.join(app.names().judges)}."),
    _which("--threshold", type=float, metavar="SCORE", help="A page scoring at least this is relevant."),
    _which("--scope", metavar="WORD", help="Stay near the seeds: any, host, domain, prefix (the seed's folder)."),
    _which("--include", multiple=True, metavar="PATTERN", help="Only URLs that match: '*/energy/*'; repeatable."),
    _which("--exclude", multiple=True, metavar="PATTERN", help="No URL that matches: '*.pdf'; repeatable."),
    _which("--set", "parameters", multiple=True, metavar="NAME=NUMBER", callback=_numbers, help=_SET),
    _which("--images/--no-images", default=None, help="Keep the pictures whose descriptions are about the topic."),
    _which("--all-images", is_flag=True, default=None, help="Keep all pictures of the pages, whatever they show."),
    _learn("--learn-from-seeds/--no-learn-from-seeds", default=None, help="Learn words from the seed pages."),
    _learn("--feedback/--no-feedback", default=None, help="Learn words from the pages found relevant."),
    _learn("--adapt-threshold/--no-adapt-threshold", default=None, help="Ask more where much is found, or less."),
    _learn("--interval", type=int, metavar="N", help="Pages between two lessons. Default: 100."),
    _learn("--wanted", type=int, metavar="N", help="Relevant pages wanted per interval. Default: 20."),
    _limit("--max-pages", type=int, metavar="N", help="Stop after so many pages."),
    _limit("--max-pages-per-host", type=int, metavar="N", help="Take no more pages than this from one host."),
    _limit("--max-depth", type=int, metavar="N", help="Follow no more links than this from a seed."),
    _limit("--max-bytes", type=int, metavar="N", help="Stop after so many bytes of pages."),
    _limit("--max-images", type=int, metavar="N", help="Fetch no more pictures than this."),
    _limit("--max-time", metavar="TIME", help="Stop after so long: 90, 90s, 10m, 1h30m, 1d."),
    _limit(_UNTIL_DONE, metavar="[SHARE]", help=_DONE),
    _asking("--delay", type=float, metavar="SECONDS", help="Between requests to one host. Default: 1."),
    _asking("--per-host", type=int, metavar="N", help="Requests in flight to one host. Default: 1."),
    _asking("--concurrency", type=int, metavar="N", help="Requests in flight in all. Default: 64."),
    _asking("--hurry/--no-hurry", default=None, help="Never wait for the host of a better link. Default: no."),
    _asking("--processes", type=int, metavar="N", help="Processes that fetch and judge. Default: 1."),
    _asking("--index/--no-index", default=None, help="Make pages searchable meanwhile, or by the first search."),
    _shared(
        "--database", metavar="URL", help="Remember the crawl in PostgreSQL: postgresql://user:password@host/name."
    ),
    _shared("--broker", metavar="URL", help="Hand out the work by RabbitMQ: amqp://user:password@host/."),
    _asking("--user-agent", metavar="TEXT", help="The name we go by, to robots.txt too."),
    _asking("--contact", metavar="TEXT", help="Where a site's owner reaches you."),
    _asking("--proxy", metavar="URL", help="An HTTP proxy for all requests."),
    _asking("--allow-private", multiple=True, metavar="RANGE", help="Private addresses allowed: 127.0.0.0/8."),
)


def crawl(command: _Command) -> _Command:
    """Everything a topic file can say too; what is typed wins."""
    for option in reversed(_CRAWL):
        command = option(command)
    return command


metrics = click.option(
    "--metrics", type=HostAndPort(), metavar="[HOST:]PORT", help="Show figures to Prometheus there, at /metrics."
)


def progress(command: _Command) -> _Command:
    """How much a crawl says while it runs."""
    return as_json(quiet(command))
