"""The command `shoal`: runs what was typed, and turns what goes wrong into one clear sentence and an exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

import click

from shoal import __version__
from shoal.commands.answer import STOPPED
from shoal.commands.choosing import strategies
from shoal.commands.compare import compare
from shoal.commands.crawling import crawl, resume
from shoal.commands.demonstrating import demo
from shoal.commands.feedback import feedback
from shoal.commands.images import images
from shoal.commands.keeping import check, reindex, revisit
from shoal.commands.looking import explain, export, status
from shoal.commands.model import model
from shoal.commands.moving import backup, migrate, restore
from shoal.commands.replay import replay
from shoal.commands.rereading import diff, show
from shoal.commands.searching import search, similar
from shoal.commands.seeds import seeds
from shoal.commands.topic import topic
from shoal.commands.working import worker
from shoal.errors import InputError, ShoalError, StorageFull
from shoal.printable import log_to_stderr
from shoal.terminal.speaking import tell
from shoal.topic.value_readers import short


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
        _complain(error.format_message() + _where_to_look(error))
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
    end = "" if sentence.endswith((".", "?", "!")) else "."
    tell(f"shoal: {sentence}{end}")


def _where_to_look(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f" See {context.command_path} --help." if context is not None else ""


class _Commands(click.Group):
    """All commands, in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As they are added below."""
        return list(self.commands)

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
                raise InputError(f"The name {short(error.filename)} is too long for a file or a folder.") from error
            if error.errno != errno.ENOSPC:
                raise
            raise StorageFull("There is no room left where the output goes.") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="shoal")
def commands() -> None:
    """Finds what the web says about a topic: a polite, durable, fast focused crawler for Chinese and English."""


for _command in (
    demo,
    crawl,
    resume,
    worker,
    status,
    search,
    similar,
    images,
    show,
    revisit,
    diff,
    explain,
    feedback,
    export,
    reindex,
    check,
    migrate,
    backup,
    restore,
    model,
    topic,
    seeds,
    strategies,
    compare,
    replay,
):
    commands.add_command(_command)
