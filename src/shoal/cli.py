"""The command `shoal`: runs what was typed, and turns what goes wrong into one clear sentence and an exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from shoal import __version__
from shoal.commands.output import STOPPED, tell
from shoal.errors import InputError, ShoalError, StorageFull
from shoal.files import is_full
from shoal.printable import log_to_stderr

COMMANDS = {
    "demo": "Crawl a topic in a web of our own, and show what came of it.",
    "crawl": "Crawl a topic, best pages first.",
    "resume": "Go on with a crawl that was stopped or died.",
    "start": "Go on with a crawl in the background, or when paused.",
    "pause": "Let a crawl ask for nothing until it is started again.",
    "stop": "Stop a crawl that runs elsewhere than in this terminal.",
    "worker": "Work for the crawls of other machines.",
    "crawls": "List all crawls: topics, states, pages, sizes.",
    "status": "How does a crawl stand: its queues, hosts, workers and rates.",
    "search": "Find stored pages by words.",
    "similar": "Find stored pages that are like one of them.",
    "images": "Find images by what pages say about them.",
    "show": "Print a stored page: its text, or as it came.",
    "revisit": "Look at stored pages again, and keep what changed.",
    "diff": "What changed on a page between two visits.",
    "explain": "Why was this URL fetched, why this score, or why not.",
    "mark": "Mark pages as relevant, or as not.",
    "export": "Write the fetched pages as JSONL, CSV, Parquet or WARC.",
    "reindex": "Make the search index anew from what is stored.",
    "check": "Is everything stored readable, and does the index agree with it?",
    "migrate": "Move a crawl to PostgreSQL, or back.",
    "backup": "Save a crawl in one file, also while it runs.",
    "restore": "Bring a saved crawl back.",
    "model": "Carry what a crawl learned to another one.",
    "topic": "Show what a crawl looks for; learn a topic from pages.",
    "seeds": "Find URLs that a crawl begins at.",
    "strategies": "List the strategies and judges, and where each comes from.",
    "compare": "Compare strategies on webs whose truth is known.",
    "replay": "Serve a WARC file on this computer, for a crawl or a browser.",
    "completion": "Let bash, zsh or fish finish what you type.",
    "help": "Read the manual: topics, strategies, queries, every command.",
}
"""All commands, in the order in which they are needed. Each is a function in the module of its name in `commands/`, which is
loaded when it is called: most commands need little of what there is."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was typed, and turn what goes wrong into one clear sentence and an exit code."""
    log_to_stderr()
    _print_anything()
    try:
        code = commands(arguments, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        _complain(_ended(" ".join(map(str.strip, error.format_message().splitlines()))) + _where_to_look(error))
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain("Stopped")
        code = STOPPED
    except ShoalError as error:
        _complain(str(error))
        code = error.exit_code
    sys.exit(code)


def _print_anything() -> None:
    """A terminal without Chinese shows the codes of the characters; it must not end the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(sentence: str) -> None:
    tell(f"shoal: {_ended(sentence)}")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", "?)")) else f"{sentence}."


def _where_to_look(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f" See {context.command_path} --help." if context is not None else ""


class _Commands(click.Group):
    """The table above as click wants it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the one that is called."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"shoal.commands.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """What was typed; a name that is none brings those that are close, which click knows only of what is loaded."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What each is for, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What could be meant, without loading any either: whoever presses Tab does not want to wait."""
        named = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return named + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> object:
        """Run one; that standard output is gone or full has the same answer for all."""
        try:
            code = super().invoke(ctx)
            if sys.stdout is not None:  # None: the caller closed it
                sys.stdout.flush()
            return code
        except BrokenPipeError:
            # Whoever read our output has had enough (`shoal export | head`); Python must not complain at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                from shoal.topic.value_readers import short  # here, because it comes with all that reads topics

                raise InputError(f"The name {short(error.filename)} is too long for a file or a folder.") from error
            if not is_full(error):
                raise
            raise StorageFull("There is no room left where the output goes.") from error


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="shoal COMMAND --help lists the options of a command, shoal help COMMAND explains it; shoal help lists the manual.",
)
@click.version_option(__version__, prog_name="shoal")
def commands() -> None:
    """Finds what the web says about a topic: a polite, durable, fast focused crawler for Chinese and English."""
