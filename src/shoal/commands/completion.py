"""`shoal completion`: how does the shell finish what is typed?"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from shoal.commands.output import answer, is_watched, tell

PLACES = {
    "bash": "~/.local/share/bash-completion/completions/shoal",
    "zsh": "~/.zfunc/_shoal",
    "fish": "~/.config/fish/completions/shoal.fish",
}
"""Where each shell looks for it; zsh when `fpath+=~/.zfunc` stands before `compinit` in its ~/.zshrc."""
MENDED = {"fish": ('string split "," $completion', 'string split -m 1 "," $completion')}
"""In the scripts that click writes: what is said of a command goes on behind a comma."""
VARIABLE = "_SHOAL_COMPLETE"
"""By which a script asks `shoal` what could be meant."""


@click.command()
@click.argument("shell", type=click.Choice(tuple(PLACES)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> int:
    """Print the script by which a shell finishes commands, options, strategies and crawls.

    \b
    shoal completion bash > ~/.local/share/bash-completion/completions/shoal
    shoal completion zsh > ~/.zfunc/_shoal
    shoal completion fish > ~/.config/fish/completions/shoal.fish

    It holds from the next shell on. For zsh, fpath+=~/.zfunc must stand before compinit in ~/.zshrc.
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows all three"
    script = kind(ctx.find_root().command, {}, "shoal", VARIABLE).source().strip()
    answer(script.replace(*MENDED[shell]) if shell in MENDED else script)
    if is_watched():
        tell(f"{shell} looks for it in {PLACES[shell]}: shoal completion {shell} > {PLACES[shell]}")
    return 0
