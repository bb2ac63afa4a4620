"""Everything that shoal raises on purpose.

    ShoalError                 a sentence for the person at the keyboard; the command exits with `exit_code`
    ├── InputError             what the user gave cannot be used (topic file, option, URL)
    │   ├── AddressTaken       where we were to listen, somebody else does, or nobody may
    │   └── UnknownCrawl       no crawl was named, or none that is there
    ├── FolderError            the data folder cannot be used (missing, locked, other version, not writable)
    │   ├── FolderBusy         somebody else is writing there at this moment
    │   ├── DatabaseDamaged    its database is none, or not whole: `shoal check --repair`
    │   └── DatabaseGone       the server that keeps the crawl cannot be reached at this moment
    ├── BrokerRefused          the broker is there, but does not let us in
    ├── StartFailed            a crawl that was to run as a process of its own ended at once, or did not begin
    ├── StorageFull            the disk is full; everything committed before is safe
    ├── NotAllowed             this person may not do that
    ├── NoSeedReached          not one seed could be fetched
    └── OwnCodeFailed          a strategy or judge that a program passed raised something

Failures of the web are not here: they are values (`model.Failure`). Bugs are whatever Python raises; one
that a page brings to light costs that page, is logged and is counted (`internal_errors.py`).
"""


class ShoalError(Exception):
    """Something a user can put right; the message is one clear sentence."""

    exit_code = 2


class InputError(ShoalError):
    """What the user gave cannot be used."""


class AddressTaken(InputError):
    """We cannot listen where the user wants us to."""


class UnknownCrawl(InputError):
    """No crawl was named, or none that is there."""


class FolderError(ShoalError):
    """The data folder cannot be used."""


class FolderBusy(FolderError):
    """Somebody else is writing there; it may be free in a moment."""


class DatabaseDamaged(FolderError):
    """What should be the database of a crawl is none, or not whole."""


class DatabaseGone(FolderError):
    """The server that keeps the crawl cannot be reached; it may come back."""


class StartFailed(ShoalError):
    """A crawl that was to run as a process of its own does not."""


class StorageFull(ShoalError):
    """There is no room left to store pages; what was stored before is safe."""


class BrokerRefused(ShoalError):
    """The broker is there, but does not let us in."""


class NotAllowed(ShoalError):
    """Not for this person."""


class NoSeedReached(ShoalError):
    """Not one of the seeds could be fetched."""

    exit_code = 1


class OwnCodeFailed(ShoalError):
    """A strategy or judge that a program passed raised something, which is the error's cause."""


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong, out of the wrapping that task groups put around it."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
