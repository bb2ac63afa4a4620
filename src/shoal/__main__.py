"""The command `shoal`, and `python -m shoal`."""

import sys


def run() -> None:
    """Start: importing everything takes a moment, in which Ctrl-C must not end in a traceback either."""
    try:
        from shoal.cli import main  # here, so that the line above holds

        main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
